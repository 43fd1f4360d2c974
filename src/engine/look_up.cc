#include "engine/look_up.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/runtime.h"

#include "engine/attributes.h"
#include "engine/hasher.h"
#include "engine/whole_index.h"

namespace benzer {

std::optional<DocumentNumber> find_live(StoreReader& reader, const Schema& schema,
                                        std::string_view id) {
  const std::optional<DocumentNumber> found = reader.find(id);
  if (!found) return std::nullopt;
  const bool is_live = AttributeFilter(schema).passes(reader, *found);
  reader.throw_if_unreadable();  // or a document whose expiry cannot be read would be missing
  return is_live ? found : std::nullopt;
}

std::vector<bool> find_expired(StoreReader& reader, const Schema& schema,
                               std::span<const std::string_view> ids) {
  std::vector<bool> out(ids.size());
  const AttributeFilter live(schema);
  if (!live.is_needed()) return out;
  std::unordered_set<std::string_view> seen(ids.begin(), ids.end());
  reader.prefetch_ids(std::vector<std::string_view>(seen.begin(), seen.end()));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (seen.erase(ids[i]) == 0) continue;
    const std::optional<DocumentNumber> found = reader.find(ids[i]);
    out[i] = found && !live.passes(reader, *found);
  }
  reader.throw_if_unreadable();
  return out;
}

std::optional<IndexedDocument> Index::get(std::string_view id) const {
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this);
  const std::optional<DocumentNumber> found = find_live(*reader, schema(), id);
  if (!found) return std::nullopt;
  DocumentHashes hashes = reader->get_hashes(*found);
  IndexedDocument out{
      std::move(hashes.id), {}, WholeIndex::hasher(*this).attributes().decode(hashes.attributes)};
  for (FieldHashes& field : hashes.fields) {
    if (WholeIndex::hasher(*this).layout().may_lack_keys()) std::erase(field.keys, kNoStoreKey);
    out.fields.push_back(
        {schema().fields[field.field].name, field.features.size(), std::move(field.keys)});
  }
  return out;
}

bool Index::contains(std::string_view id) const {
  return find_live(*WholeIndex::reader(*this), schema(), id).has_value();
}

bool Index::has_features_of(const Document& document, const std::atomic<bool>* stop) const {
  const Hasher& hasher = WholeIndex::hasher(*this);
  std::string problem = hasher.check(document, false);
  if (!problem.empty()) throw Error(ErrorCode::kInvalidArgument, problem);
  Hasher::Scratch scratch;
  scratch.stop_when(stop);
  DocumentHashes hashes;
  problem = hasher.hash_query(document, scratch, hashes);
  if (!problem.empty()) throw Error(ErrorCode::kBadInput, problem);
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this, stop);
  const std::optional<DocumentNumber> found = find_live(*reader, schema(), document.id);
  if (!found) return false;
  const DocumentHashes stored = reader->get_hashes(*found);
  return std::ranges::equal(stored.fields, hashes.fields,
                            [](const FieldHashes& a, const FieldHashes& b) {
                              return a.field == b.field && a.features == b.features;
                            });
}

void Index::for_each_id(const std::function<void(std::string_view id)>& visit) const {
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this);
  const AttributeFilter live(schema());
  std::string id;
  reader->for_each([&](DocumentNumber document) {
    if (!live.passes(*reader, document)) return true;
    id = reader->id(document);
    reader->throw_if_unreadable();
    visit(id);
    return true;
  });
  reader->throw_if_unreadable();  // the last documents may have been left out
}

std::vector<std::string> Index::ids_after(std::string_view after, std::size_t most,
                                          const std::atomic<bool>* stop) const {
  const std::unique_ptr<StoreReader> reader = WholeIndex::reader(*this, stop);
  const AttributeFilter live(schema());
  std::vector<std::string> out;
  const auto found = reader->ids_after(after, most, [&](DocumentNumber document) {
    throw_if_stopped(stop);
    return live.passes(*reader, document);
  });
  for (const DocumentNumber document : found) out.emplace_back(reader->id(document));
  reader->throw_if_unreadable();
  return out;
}

}  // namespace benzer
