#include "store/redis/redis_reader.h"

#include <algorithm>
#include <tuple>
#include <unordered_set>
#include <utility>

namespace benzer::redis {
namespace {

constexpr std::size_t kMostKnownBytes = std::size_t{64} << 20;
// Features that are fetched ahead, of one document at least.
constexpr std::size_t kMostAheadBytes = std::size_t{32} << 20;
constexpr std::size_t kGroupsAtOnce = 2048;
// Beginnings of records that are loaded together.
constexpr std::size_t kAhead = 2048;
// How many are loaded while postings come.
constexpr std::size_t kAheadOfPostings = 8192;
// How many are loaded again together, of documents that were named one after the other.
constexpr std::size_t kNeighbors = 256;

}  // namespace

// Asks for records, which come while the caller does other things.
class Lookup::Loading {
 public:
  Loading(Lookup& lookup, bool with_features) : lookup_(lookup), with_features_(with_features) {}

  // Leaves out what is known, or asked for. Asks for no more than `most` in all.
  void ask(std::span<const Name> names, std::size_t most = ~std::size_t{0}) {
    for (const Name name : names) {
      if (asked_.size() >= most) break;
      const auto known = lookup_.known_.find(name);
      const bool is_known = known != lookup_.known_.end();
      const bool lacks_features =
          is_known && with_features_ && known->second && !known->second->has_features;
      if ((is_known && !lacks_features) || !asked_.insert(name).second) continue;
      (is_known ? longer_ : waiting_).push_back(name);
      if (waiting_.size() == kSentTogether) send();
    }
    send();
  }

  // Takes what is on its way.
  void take_all() {
    while (!parts_.empty()) take_first();
  }

  void finish() {
    take_all();
    read_long_records(*lookup_.session_, longer_,
                      [&](std::size_t i, const std::string& bytes, bool is_whole) {
                        std::optional<Record> record = decode(bytes, longer_[i], is_whole);
                        if (!is_whole && !is_enough(record)) return false;
                        lookup_.keep(longer_[i], std::move(record));
                        if (!with_features_) lookup_.drop_features(longer_[i]);
                        return true;
                      });
  }

 private:
  struct Part {
    std::vector<Name> names;
    Client::Sent sent;
  };

  void send() {
    if (waiting_.empty()) return;
    if (parts_.size() == kRecordsAtOnce / kSentTogether) take_first();
    static const std::string last = std::to_string(Layout::kHeadBytes - 1);
    Pipeline pipeline;
    for (const Name name : waiting_)
      pipeline.add({"GETRANGE", lookup_.session_->layout().record_key(name), "0", last});
    parts_.push_back({std::exchange(waiting_, {}), lookup_.session_->send(std::move(pipeline))});
  }

  std::optional<Record> decode(const std::string& bytes, Name name, bool is_whole) const {
    const Layout& layout = lookup_.session_->layout();
    return is_whole ? layout.decode_whole(bytes, name) : layout.decode(bytes, name);
  }
  bool is_enough(const std::optional<Record>& beginning) const {
    return beginning && (!with_features_ || beginning->has_features);
  }

  void take_first() {
    Part part = std::move(parts_.front());
    parts_.erase(parts_.begin());
    const std::vector<Reply> replies = lookup_.session_->finish(std::move(part.sent));
    for (std::size_t i = 0; i < replies.size(); ++i) {
      const Name name = part.names[i];
      const std::string& bytes = replies[i].text;
      const bool is_whole = Layout::is_whole(bytes);
      std::optional<Record> record = decode(bytes, name, is_whole);
      if (is_whole || is_enough(record))
        lookup_.keep(name, std::move(record));
      else
        longer_.push_back(name);
    }
  }

  Lookup& lookup_;
  const bool with_features_;
  std::unordered_set<Name> asked_;
  std::vector<Name> waiting_;
  std::vector<Part> parts_;   // on their way
  std::vector<Name> longer_;  // records of which more than the beginnings is needed
};

Lookup::Lookup(const Settings& settings, Pool<Session>& sessions,
               std::shared_ptr<Numbering> numbering)
    : sessions_(sessions),
      session_(sessions.take([&] { return std::make_unique<Session>(settings); })),
      numbering_(std::move(numbering)) {}

Lookup::~Lookup() {
  session_->client().stop_when(nullptr);
  sessions_.give(std::move(session_));
}

std::vector<Lookup::Met> Lookup::meet_postings(std::span<const FieldHashes* const> queries) {
  const Layout& layout = session_->layout();
  const HashLayout& hashes = layout.hashes();
  struct Asked {
    std::size_t query;
    std::uint32_t table, key;
  };
  std::vector<Asked> asked;
  for (std::size_t query = 0; query < queries.size(); ++query)
    for (std::uint32_t band = 0; band < queries[query]->keys.size(); ++band)
      if (const std::uint32_t key = queries[query]->keys[band]; hashes.is_key(key))
        asked.push_back({query, queries[query]->field * hashes.tables() + hashes.table(band), key});
  std::vector<Met> all;
  Loading records(*this, false);
  std::vector<Name> names;  // that came with the replies of a part
  run_in_pieces(
      *session_, asked.size(), kGroupsAtOnce,
      [&](std::size_t i, Pipeline& pipeline) {
        pipeline.add({"HKEYS", layout.group_key(asked[i].table, layout.group_of(asked[i].key))});
      },
      [&](std::size_t i, const Reply& reply) {
        for (const Reply& item : reply.items) {
          const auto posting = layout.read_field(item.text, layout.group_of(asked[i].key));
          if (!posting || posting->key != asked[i].key) continue;
          all.push_back({asked[i].query, posting->entry, 1});
          names.push_back(posting->entry.name);
        }
        if ((i + 1) % kSentTogether != 0) return;
        records.ask(names, kAheadOfPostings);
        names.clear();
      });
  records.ask(names, kAheadOfPostings);
  records.take_all();
  const auto place = [](const Met& met) {
    return std::tuple(met.query, met.entry.name, met.entry.version);
  };
  std::sort(all.begin(), all.end(),
            [&](const Met& x, const Met& y) { return place(x) < place(y); });
  std::vector<Met> out;
  for (const Met& met : all) {
    if (!out.empty() && place(out.back()) == place(met))
      ++out.back().keys;
    else
      out.push_back(met);
  }
  return out;
}

// The record decides: a posting may be of an unfinished write, or of a document that was replaced.
// Keys that follow from features are not at the beginning of a record, so their postings are
// believed. Those of another write than the record's may be all that is left of a document that was
// replaced since it was read, and the comparison decides what it has.
std::uint32_t Lookup::common_keys(const Met& met, const FieldHashes& query,
                                  const Record& record) const {
  const HashLayout& hashes = session_->layout().hashes();
  if (hashes.sampling) return met.keys;
  std::uint32_t out = 0;
  for (const FieldHashes& field : record.document.fields) {
    if (field.field != query.field) continue;
    for (std::uint32_t band = 0; band < hashes.bands; ++band) {
      if (!hashes.is_key(query.keys[band])) continue;
      out += hashes.one_table ? std::find(field.keys.begin(), field.keys.end(), query.keys[band]) !=
                                    field.keys.end()
                              : field.keys[band] == query.keys[band];
    }
  }
  return out;
}

void Lookup::meet(std::span<const FieldHashes* const> queries,
                  const std::function<void(std::size_t, const KeyHits&)>& take) {
  make_room(kAheadOfPostings * Layout::kHeadBytes);
  const std::vector<Met> met = meet_postings(queries);
  std::vector<std::pair<std::size_t, KeyHits>> found;
  for (std::size_t begin = 0; begin < met.size(); begin += kAhead) {
    const auto piece = std::span(met).subspan(begin, std::min(kAhead, met.size() - begin));
    std::vector<Name> names;
    for (const Met& one : piece) names.push_back(one.entry.name);
    make_room();
    load(names, false);
    for (const Met& one : piece) {
      const std::optional<Record>& record = known_[one.entry.name];
      if (!record) continue;
      const std::uint32_t keys = common_keys(one, *queries[one.query], *record);
      if (keys == 0) continue;
      if (const auto number = numbering_->add(one.entry.name, record->document.id))
        found.push_back({one.query, {*number, keys}});
    }
  }
  // Those of an earlier and of the present write of one document are beside each other, and the one
  // with more keys comes first.
  std::sort(found.begin(), found.end(), [](const auto& x, const auto& y) {
    return std::tuple(x.first, x.second.document, y.second.keys) <
           std::tuple(y.first, y.second.document, x.second.keys);
  });
  const auto is_same = [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.document == y.second.document;
  };
  found.erase(std::unique(found.begin(), found.end(), is_same), found.end());
  for (const auto& [query, hits] : found) take(query, hits);
}

void Lookup::get_ids(std::span<const FieldHashes* const> queries,
                     std::vector<std::vector<DocumentNumber>>& out) {
  for (std::size_t query = 0; query < queries.size(); ++query) out[query].clear();
  meet(queries,
       [&](std::size_t query, const KeyHits& hits) { out[query].push_back(hits.document); });
}

void Lookup::get_hits(std::span<const FieldHashes* const> queries,
                      std::vector<std::vector<KeyHits>>& out) {
  for (std::size_t query = 0; query < queries.size(); ++query) out[query].clear();
  meet(queries, [&](std::size_t query, const KeyHits& hits) { out[query].push_back(hits); });
}

std::optional<DocumentNumber> Lookup::find(std::string_view id) {
  const Name name = session_->layout().name_of(id);
  if (!known_.contains(name)) make_room();
  load({&name, 1}, false);
  const std::optional<Record>& record = known_[name];
  if (!record || record->document.id != id) return std::nullopt;
  return numbering_->add(name, id);
}

void Lookup::prefetch_ids(std::span<const std::string_view> ids) {
  std::vector<Name> names;
  for (const std::string_view id : ids) names.push_back(session_->layout().name_of(id));
  make_room();
  // Any number of documents, but only what find() and attributes() need of them.
  for (std::size_t begin = 0; begin < names.size(); begin += kAhead) {
    const auto piece = std::span(names).subspan(begin, std::min(kAhead, names.size() - begin));
    load(piece, false);
    for (const Name name : piece) drop_features(name);
  }
}

void Lookup::prefetch(std::span<const DocumentNumber> documents) {
  ahead_.clear();
  fetched_ = 0;
  for (const DocumentNumber document : documents) ahead_.push_back(numbering_->name(document));
  fetch_ahead();
}

// The beginnings say how long the records are.
void Lookup::fetch_ahead() {
  make_room();
  const auto next =
      std::span<const Name>(ahead_).subspan(fetched_, std::min(kAhead, ahead_.size() - fetched_));
  load(next, false);
  std::size_t count = 0, bytes = 0;
  for (; count < next.size(); ++count) {
    const std::size_t more = missing_bytes(next[count]);
    if (count > 0 && bytes + more > kMostAheadBytes) break;
    bytes += more;
  }
  make_room(bytes);
  load(next.first(count), true);
  fetched_ += count;
}

std::size_t Lookup::missing_bytes(Name name) const {
  const auto known = known_.find(name);
  if (known == known_.end() || !known->second || known->second->has_features) return 0;
  std::size_t features = 0;
  for (const std::uint32_t count : known->second->counts) features += count;
  return features * sizeof(std::uint64_t);
}

void Lookup::load(std::span<const Name> names, bool with_features) {
  Loading records(*this, with_features);
  records.ask(names);
  records.finish();
}

void Lookup::keep(Name name, std::optional<Record> record) {
  if (const auto known = known_.find(name); !record && known != known_.end() && known->second) {
    // The document was removed since its beginning was read. It is known, and similar to nothing.
    known->second->has_features = true;
    return;
  }
  if (record) known_bytes_ += sizeof *record + bytes_of(record->document);
  known_.insert_or_assign(name, std::move(record));
}

void Lookup::drop_features(Name name) {
  const auto known = known_.find(name);
  if (known == known_.end() || !known->second) return;
  Record& record = *known->second;
  known_bytes_ -= bytes_of(record.document);
  redis::drop_features(record.document);
  record.has_features = false;
  known_bytes_ += bytes_of(record.document);
}

std::optional<Version> Lookup::version(Name name) const {
  const auto known = known_.find(name);
  if (known == known_.end() || !known->second) return std::nullopt;
  return known->second->version;
}

void Lookup::forget(Name name) { known_.erase(name); }

void Lookup::make_room(std::size_t wanted) {
  if (known_bytes_ + wanted < kMostKnownBytes && known_.size() < kMostKnownBytes / sizeof(Record))
    return;
  known_.clear();
  known_bytes_ = 0;
}

const Record* Lookup::record(DocumentNumber document, bool with_features) {
  const Name name = numbering_->name(document);
  const auto is_missing = [&] {
    const auto there = known_.find(name);
    return there == known_.end() ||
           (with_features && there->second && !there->second->has_features);
  };
  if (with_features && fetched_ < ahead_.size() && is_missing()) fetch_ahead();
  if (!known_.contains(name)) {
    // There was no room for it. What is read next was named together with it, most likely.
    make_room();
    load(numbering_->names(document, kNeighbors), false);
  }
  if (is_missing()) {
    make_room();
    load({&name, 1}, with_features);
  }
  const std::optional<Record>& known = known_[name];
  return known ? &*known : nullptr;
}

const FieldHashes* Lookup::field(DocumentNumber document, std::uint32_t field, bool with_features) {
  const Record* found = record(document, with_features);
  if (!found) return nullptr;
  for (const FieldHashes& hashes : found->document.fields)
    if (hashes.field == field) return &hashes;
  return nullptr;
}

std::string_view Lookup::attributes(DocumentNumber document) {
  if (!session_->layout().hashes().attributes) return {};
  const Record* found = record(document, false);
  return found ? std::string_view(found->document.attributes) : std::string_view();
}

const std::uint8_t* Lookup::cut(DocumentNumber document, std::uint32_t number) {
  const FieldHashes* found = field(document, number, false);
  if (!found) return nullptr;
  static constexpr std::uint8_t kNone = 0;  // of a field without slots
  return found->cut.empty() ? &kNone : found->cut.data();
}

std::span<const std::uint64_t> Lookup::features(DocumentNumber document, std::uint32_t number) {
  const FieldHashes* found = field(document, number, true);
  if (!found) return {};
  return found->features;
}

DocumentHashes Lookup::get_hashes(DocumentNumber document) {
  if (const Record* found = record(document, true)) return found->document;
  return {std::string(id(document)), {}};
}

void Lookup::for_each(const std::function<bool(DocumentNumber)>& visit) {
  const Layout& layout = session_->layout();
  constexpr std::uint32_t kAtOnce = 256;  // groups, each of some 16 documents
  for (std::uint32_t begin = 0; begin < layout.groups(); begin += kAtOnce) {
    const std::uint32_t count = std::min(kAtOnce, layout.groups() - begin);
    std::vector<Name> names;
    for_each_entry(*session_, layout.directory(), begin, count,
                   [&](std::uint32_t, const Layout::Posting& posting) {
                     names.push_back(posting.entry.name);
                   });
    keep_once(names);
    for (std::size_t i = 0; i < names.size(); ++i) {
      const Name name = names[i];
      // Also if what visit() reads has taken the room of those that were loaded.
      if (!known_.contains(name)) {
        make_room();
        load(std::span(names).subspan(i, std::min(kAhead, names.size() - i)), false);
      }
      const std::optional<Record>& record = known_[name];
      if (!record) continue;
      const auto number = numbering_->add(name, record->document.id);
      if (number && !visit(*number)) return;
    }
  }
}

std::uint64_t Lookup::size() {
  const Layout& layout = session_->layout();
  std::uint64_t out = 0;
  run_in_pieces(
      *session_, layout.groups(), kGroupsAtOnce,
      [&](std::size_t i, Pipeline& pipeline) {
        pipeline.add({"HLEN", layout.group_key(layout.directory(), static_cast<std::uint32_t>(i))});
      },
      [&](std::size_t, const Reply& reply) { out += static_cast<std::uint64_t>(reply.integer); });
  return out;
}

}  // namespace benzer::redis
