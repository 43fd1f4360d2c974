// Gives documents the numbers that readers of one moment share; names in Redis have 64 bits.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"

#include "store/redis/layout.h"
#include "store/store.h"

namespace benzer::redis {

// Threads: share freely.
class Numbering {
 public:
  // most: documents; tests lower it.
  explicit Numbering(std::uint64_t most = kMostDocuments) : most_(most) {}

  // Returns the document's number, a new one if needed; nothing if close() was called before and
  // the document is not known. Throws Error(kStorageFailed) if there are no more numbers.
  std::optional<DocumentNumber> add(Name name, std::string_view id) {
    const std::lock_guard lock(mutex_);
    const auto known = numbers_.find(name);
    if (known != numbers_.end()) return known->second;
    if (is_closed_) return std::nullopt;
    if (documents_.size() >= most_)
      throw Error(
          ErrorCode::kStorageFailed,
          fmt::format(
              "a question about more than {} documents of an index in Redis cannot be answered",
              most_),
          "divide the documents among several indexes", ": ");
    const auto number = static_cast<DocumentNumber>(documents_.size());
    documents_.push_back({name, std::string(id)});
    numbers_.emplace(name, number);
    return number;
  }
  std::optional<DocumentNumber> find(Name name) const {
    const std::lock_guard lock(mutex_);
    const auto known = numbers_.find(name);
    return known == numbers_.end() ? std::nullopt : std::optional(known->second);
  }
  // Ends the numbering, as all documents have numbers; later documents are not of this moment.
  void close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
  }
  Name name(DocumentNumber number) const {
    const std::lock_guard lock(mutex_);
    return documents_[number].name;
  }
  // The names of at most that many documents, from this number on.
  std::vector<Name> names(DocumentNumber first, std::size_t most) const {
    const std::lock_guard lock(mutex_);
    std::vector<Name> out;
    for (std::size_t i = first; i < documents_.size() && out.size() < most; ++i)
      out.push_back(documents_[i].name);
    return out;
  }
  std::string_view id(DocumentNumber number) const {
    const std::lock_guard lock(mutex_);
    return documents_[number].id;
  }

 private:
  struct Document {
    Name name;
    std::string id;
  };
  const std::uint64_t most_;
  mutable std::mutex mutex_;
  std::deque<Document> documents_;  // a deque, so that ids are never moved
  std::unordered_map<Name, DocumentNumber> numbers_;
  bool is_closed_ = false;
};

}  // namespace benzer::redis
