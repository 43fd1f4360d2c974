#include "benzer/research/classics/report_database.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/research/register.h"

#include "base/sorted_lists.h"
#include "base/splitmix.h"
#include "engine/hasher.h"
#include "engine/open_store.h"
#include "store/memory/memory_store.h"
#include "store/store.h"

namespace benzer::classics::report {
namespace {

constexpr std::size_t kMostHashes = 4096;

// A sketch without positions, so that the store looks up every hash in one table.
Schema schema_of(std::size_t most_hashes) {
  if (most_hashes < 1 || most_hashes > kMostHashes) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("a database cannot have {} hashes a document: give 1 to {}",
                            most_hashes, kMostHashes));
  }
  register_research();  // which knows bottomk
  return Schema::parse(fmt::format("hashes=values | bottomk:{} | min:1", most_hashes)).completed();
}

std::vector<std::uint64_t> as_sorted_set(std::span<const std::uint64_t> hashes) {
  std::vector<std::uint64_t> set(hashes.begin(), hashes.end());
  std::sort(set.begin(), set.end());
  set.erase(std::unique(set.begin(), set.end()), set.end());
  return set;
}

}  // namespace

struct Database::State {
  HashLayout layout;
  std::unique_ptr<Store> store;

  // A store finds by 32 bits of a hash. Two hashes of a document with equal bits are one key.
  FieldHashes field_of(std::vector<std::uint64_t> set) const {
    if (set.size() > layout.bands) {
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("{} different hashes are more than the {} that this database has room "
                      "for in each document: make it with more, or give fewer",
                      set.size(), layout.bands));
    }
    FieldHashes out;
    out.features = std::move(set);
    for (const std::uint64_t hash : out.features) {
      const auto key = static_cast<std::uint32_t>(splitmix64(hash) >> 32);
      out.keys.push_back(key == kNoStoreKey ? 0 : key);
    }
    std::sort(out.keys.begin(), out.keys.end());
    out.keys.erase(std::unique(out.keys.begin(), out.keys.end()), out.keys.end());
    out.keys.resize(layout.bands, kNoStoreKey);
    out.cut.resize(layout.cut_bytes());
    return out;
  }
};

Database::Database(std::size_t most_hashes) : state_(std::make_unique<State>()) {
  state_->layout = layout_of(schema_of(most_hashes));
  state_->store = std::make_unique<MemoryStore>(state_->layout);
}

Database::Database(const std::string& location, std::size_t most_hashes)
    : state_(std::make_unique<State>()) {
  OpenOptions options;
  options.create_with = schema_of(most_hashes);
  OpenedStore opened = open_store(location, options);
  state_->layout = layout_of(opened.schema);
  state_->store = std::move(opened.store);
}

Database::~Database() = default;
Database::Database(Database&& other) noexcept = default;
Database& Database::operator=(Database&& other) noexcept = default;

void Database::add_hashes(std::string_view id, std::span<const std::uint64_t> hashes) {
  if (id.empty() || id.size() > kLongestId) {
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("the id of a document has {} bytes: give 1 to {}", id.size(), kLongestId));
  }
  DocumentHashes document;
  document.id = id;
  // A document without hashes has no field, as a store wants it.
  if (!hashes.empty()) document.fields.push_back(state_->field_of(as_sorted_set(hashes)));
  const auto writer = state_->store->writer();
  writer->add_hashes(document);
  writer->commit();
}

std::vector<std::string> Database::get_ids(std::span<const std::uint64_t> hashes) const {
  std::vector<std::string> ids;
  if (hashes.empty()) return ids;
  const FieldHashes query = state_->field_of(as_sorted_set(hashes));
  const FieldHashes* const queries[] = {&query};
  std::vector<std::vector<DocumentNumber>> found(1);
  const auto reader = state_->store->reader();
  reader->get_ids(queries, found);
  reader->prefetch(found[0]);
  for (const DocumentNumber document : found[0]) {
    // Strangers can have the 32 bits of a key.
    const std::span<const std::uint64_t> own(query.features);
    if (count_common(own, reader->features(document, 0)) == 0) continue;
    ids.emplace_back(reader->id(document));
    reader->for_each_copy(document, [&](DocumentNumber copy) {
      ids.emplace_back(reader->id(copy));
      return true;
    });
  }
  reader->throw_if_unreadable();
  std::sort(ids.begin(), ids.end());
  return ids;
}

std::optional<std::vector<std::uint64_t>> Database::get_hashes(std::string_view id) const {
  const auto reader = state_->store->reader();
  const std::optional<DocumentNumber> document = reader->find(id);
  if (!document) return std::nullopt;
  const std::span<const std::uint64_t> hashes = reader->features(*document, 0);
  return std::vector<std::uint64_t>(hashes.begin(), hashes.end());
}

std::uint64_t Database::size() const { return state_->store->reader()->size(); }

}  // namespace benzer::classics::report
