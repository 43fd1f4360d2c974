#include "io/document_copies.h"

#include <algorithm>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer {

void DocumentCopies::add(std::uint32_t document, std::string_view bytes) {
  documents_.push_back(document);
  offsets_.push_back(file_.append(bytes.data(), bytes.size()));
}

void DocumentCopies::reserve(std::uint32_t document, std::uint64_t size) {
  documents_.push_back(document);
  offsets_.push_back(file_.reserve(size));
}

std::optional<ByteRange> DocumentCopies::find(std::uint32_t document) const noexcept {
  const auto found = std::lower_bound(documents_.begin(), documents_.end(), document);
  if (found == documents_.end() || *found != document) return std::nullopt;
  const auto i = static_cast<std::size_t>(found - documents_.begin());
  const std::uint64_t end = i + 1 < offsets_.size() ? offsets_[i + 1] : file_.size();
  return ByteRange{offsets_[i], end - offsets_[i]};
}

void throw_not_prepared(std::uint32_t document) {
  throw Error(ErrorCode::kInvalidArgument,
              fmt::format("document {} was not named to prepare()", document));
}

}  // namespace benzer
