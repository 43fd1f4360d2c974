#include "store/redis/redis_writer.h"

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/random_seed.h"
#include "features/config_text.h"

namespace benzer::redis {
namespace {

using std::chrono::milliseconds;

// How long a server holds back its answer to a WAIT, at most.
constexpr milliseconds kWait{1'000};
// Documents for each round trip, and their bytes, if they are more than one. So a write is short
// also where the network is slow.
constexpr std::size_t kAtOnce = 512;
constexpr std::size_t kBytesAtOnce = std::size_t{8} << 20;

}  // namespace

void add_postings(const Layout& layout, const DocumentHashes& document, const Entry& entry,
                  Pipeline& out) {
  layout.for_each_posting(document, entry.name, [&](std::uint32_t table, std::uint32_t key) {
    out.add(
        {"HSET", layout.group_key(table, layout.group_of(key)), layout.field_of(key, entry), ""});
  });
}

void remove_postings(const Layout& layout, const DocumentHashes& document, const Entry& entry,
                     Pipeline& out) {
  layout.for_each_posting(document, entry.name, [&](std::uint32_t table, std::uint32_t key) {
    out.add({"HDEL", layout.group_key(table, layout.group_of(key)), layout.field_of(key, entry)});
  });
}

RedisWriter::RedisWriter(Session& session) : session_(session), chance_(random_seed()) {}

void RedisWriter::write_postings(std::span<const Write> writes) {
  pipeline_.clear();
  for (const Write& write : writes)
    add_postings(session_.layout(), *write.document, {write.name, write.versions.back()},
                 pipeline_);
  session_.run(pipeline_);
}

std::string RedisWriter::write_records(std::span<Write> writes, Replaced& replaced) {
  const Layout& layout = session_.layout();
  pipeline_.clear();
  for (const Write& write : writes)
    pipeline_.add({"SET", layout.record_key(write.name), write.record, "NX", "GET"});
  std::vector<Reply> replies = session_.run(pipeline_);

  std::vector<Write*> replacing;
  std::string problem;
  const auto note = [&](const Write& write, std::optional<Record> old) {
    if (!old || old->version == write.versions.back()) return;
    drop_features(old->document);
    replaced.emplace_back(write.name, std::move(*old));
  };
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (replies[i].is_nil()) continue;
    std::optional<Record> old = layout.decode(replies[i].text, writes[i].name);
    if (old && old->version == writes[i].versions.back()) continue;  // this write, sent twice
    if (old && old->document.id != writes[i].document->id) {
      // Two ids of 1.8e19 possible names: with ten million documents once in 400,000 stores.
      replaced.emplace_back(writes[i].name,
                            Record{writes[i].versions.back(), *writes[i].document, {}, true});
      problem = fmt::format(
          "the id {} has the same 64-bit name as {}, which is in the index: "
          "give the document another id",
          internal::in_quotes(writes[i].document->id), internal::in_quotes(old->document.id));
      continue;
    }
    const std::vector<Version>& own = writes[i].versions;
    if (!old || std::find(own.begin(), own.end(), old->version) == own.end())
      writes[i].is_replacement = true;
    note(writes[i], std::move(old));
    replacing.push_back(&writes[i]);
  }
  if (!replacing.empty()) {
    pipeline_.clear();
    for (const Write* write : replacing)
      pipeline_.add({"SET", layout.record_key(write->name), write->record, "GET"});
    replies = session_.run(pipeline_);
    for (std::size_t i = 0; i < replacing.size(); ++i)
      note(*replacing[i], layout.decode(replies[i].text, replacing[i]->name));
  }
  return problem;
}

void RedisWriter::remove_postings_of(const Replaced& replaced) {
  pipeline_.clear();
  for (const auto& [name, record] : replaced)
    remove_postings(session_.layout(), record.document, {name, record.version}, pipeline_);
  session_.run(pipeline_);
}

bool RedisWriter::confirm(Clock::time_point begun) {
  const WriteLevel& level = session_.settings().level;
  if (level.durability != Durability::kReplicas) return true;
  const milliseconds timeout = session_.settings().access->timeout;
  for (;;) {
    // Shorter than the time for which a connection may be silent.
    const std::optional<int> replicas =
        session_.client().confirm(level.replicas, std::min(kWait, timeout / 2));
    if (replicas && *replicas >= level.replicas) return true;
    if (Clock::now() - begun > timeout)
      throw Error(ErrorCode::kUnavailable, Subject::index(session_.settings().access->url.str()),
                  fmt::format("what was written is in memory, but {} of {} replicas have confirmed "
                              "it within {:.1f} s, so it is not acknowledged",
                              replicas.value_or(0), level.replicas, seconds(timeout)),
                  "see whether they run, then write it again");
    if (!replicas) return false;
  }
}

// A document that was sent twice may have been replaced, and its postings removed, in between; a
// scrub may have taken the postings of a late record for strays. Nobody has touched those of a new
// version.
void RedisWriter::begin_versions(std::span<Write> writes, const Permit& permit) {
  const bool was_tried = !writes.front().versions.empty();
  for (Write& write : writes) {
    write.versions.push_back(static_cast<Version>(chance_()));
    write.record = session_.layout().encode(write.versions.back(), *write.document);
  }
  const Clock::time_point begun = Clock::now();
  try {
    do {
      session_.client().begin_write();
      write_postings(writes);
    } while (!confirm(begun));
    permit(was_tried);
  } catch (...) {
    withdraw(writes);
    throw;
  }
}

// When the record is there, no scrub takes its postings for strays any more. But another writer may
// have replaced it, and removed its postings, before they are written again: then they must go,
// too.
void RedisWriter::write_postings_again(std::span<const Write> writes, Replaced& replaced) {
  static const std::string begin = std::to_string(Layout::kVersionBegin);
  static const std::string last = std::to_string(Layout::kVersionEnd - 1);
  const Clock::time_point begun = Clock::now();
  do {
    session_.client().begin_write();
    write_postings(writes);
  } while (!confirm(begun));
  pipeline_.clear();
  for (const Write& write : writes)
    pipeline_.add({"GETRANGE", session_.layout().record_key(write.name), begin, last});
  const std::vector<Reply> replies = session_.run(pipeline_);
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const Version version = writes[i].versions.back();
    if (Layout::is_version(replies[i].text, version)) continue;
    Record gone{version, *writes[i].document, {}, true};
    drop_features(gone.document);
    replaced.emplace_back(writes[i].name, std::move(gone));
  }
}

bool RedisWriter::write_until_certain(std::span<Write> writes, const Permit& permit,
                                      Replaced& replaced, const std::function<bool()>& write) {
  Client& client = session_.client();
  const milliseconds timeout = session_.settings().access->timeout;
  const Clock::time_point first = Clock::now();
  bool was_slow = false;
  for (int round = 1;; ++round) {
    const Clock::time_point begun = Clock::now();
    begin_versions(writes, permit);
    const Clock::time_point confirmed = Clock::now();
    const std::uint64_t connections = client.connections();
    client.begin_write();
    if (!write()) return false;
    const bool is_certain = confirm(confirmed) && client.connections() == connections;
    was_slow = Clock::now() - begun >= kLongestWrite;
    if (is_certain) break;
    // One connection that breaks is no reason to give up, however long it took to find that out.
    if (round > 1 && Clock::now() - first > timeout)
      throw Error(ErrorCode::kUnavailable, Subject::index(session_.settings().access->url.str()),
                  fmt::format("its connections break again and again, so it is not known after "
                              "{:.1f} s whether what was sent was written",
                              seconds(timeout)),
                  "see whether the network and the servers are well, then write it again");
  }
  if (was_slow) write_postings_again(writes, replaced);
  remove_postings_of(replaced);
  if (was_slow) permit(true);
  return true;
}

void RedisWriter::add_distinct(std::span<Write> writes, const Permit& permit) {
  Replaced replaced;
  std::string problem;
  write_until_certain(writes, permit, replaced, [&] {
    problem = write_records(writes, replaced);
    return true;
  });
  if (!problem.empty()) throw Error(ErrorCode::kInvalidArgument, problem);
}

void RedisWriter::withdraw(std::span<const Write> writes) noexcept try {
  pipeline_.clear();
  for (const Write& write : writes)
    remove_postings(session_.layout(), *write.document, {write.name, write.versions.back()},
                    pipeline_);
  session_.client().run_once(pipeline_);
} catch (...) {
  // A scrub finds them.
}

std::vector<bool> RedisWriter::add(std::span<const DocumentHashes* const> documents,
                                   const Permit& permit) {
  const Layout& layout = session_.layout();
  std::vector<bool> out;
  std::vector<Write> writes;
  std::unordered_set<Name> names;
  std::size_t bytes = 0;
  const auto flush = [&] {
    session_.client().throw_if_stopped();
    add_distinct(writes, permit);
    for (const Write& write : writes) out.push_back(write.is_replacement);
    writes.clear();
    names.clear();
    bytes = 0;
  };
  for (const DocumentHashes* document : documents) {
    const Name name = layout.name_of(document->id);
    const std::size_t more = bytes_of(*document);
    if (writes.size() == kAtOnce || names.contains(name) ||
        (!writes.empty() && bytes + more > kBytesAtOnce))
      flush();
    bytes += more;
    names.insert(name);
    writes.push_back({document, name, {}, {}});
  }
  if (!writes.empty()) flush();
  return out;
}

std::vector<bool> RedisWriter::remove(std::span<const std::string> ids) {
  std::vector<bool> out;
  for (std::size_t begin = 0; begin < ids.size(); begin += kAtOnce) {
    const std::vector<bool> piece =
        remove_piece(ids.subspan(begin, std::min(kAtOnce, ids.size() - begin)));
    out.insert(out.end(), piece.begin(), piece.end());
  }
  return out;
}

std::vector<bool> RedisWriter::remove_piece(std::span<const std::string> ids) {
  session_.client().throw_if_stopped();
  const Layout& layout = session_.layout();
  std::vector<Name> names;
  std::vector<bool> is_again;  // asked for a second time
  std::unordered_set<Name> seen;
  for (const std::string& id : ids) {
    names.push_back(layout.name_of(id));
    is_again.push_back(!seen.insert(names.back()).second);
  }
  std::vector<bool> out(ids.size());
  std::vector<std::uint64_t> features(ids.size());
  Replaced removed;
  const bool needs_features = layout.hashes().sampling.has_value();  // for the postings
  // Returns whether the bytes are enough.
  const auto take = [&](std::size_t i, std::string_view bytes, bool is_whole) {
    std::optional<Record> record = layout.decode(bytes, names[i]);
    const bool is_enough = record && (!needs_features || record->has_features);
    if (!is_enough && !is_whole) return false;
    if (!record || is_again[i] || record->document.id != ids[i]) return true;
    out[i] = true;
    features[i] = 0;
    for (const std::uint32_t count : record->counts) features[i] += count;
    drop_features(record->document);
    removed.emplace_back(names[i], std::move(*record));
    return true;
  };
  const Clock::time_point begun = Clock::now();
  do {
    session_.client().begin_write();
    // The record is read before it is removed, so that a lost answer to GETDEL does not leave its
    // postings behind.
    read_records(session_, names, take);
    for (std::size_t i = 0; i < ids.size();) {
      pipeline_.clear();
      std::vector<std::size_t> gone;
      for (std::uint64_t bytes = 0; i < ids.size(); ++i) {
        if (!out[i]) continue;
        bytes += features[i] * sizeof(std::uint64_t);
        if (!gone.empty() && bytes > kBytesAtOnce) break;
        gone.push_back(i);
        pipeline_.add({"GETDEL", layout.record_key(names[i])});
      }
      const std::vector<Reply> replies = session_.run(pipeline_);
      for (std::size_t k = 0; k < gone.size(); ++k) take(gone[k], replies[k].text, true);
    }
  } while (!confirm(begun));
  remove_postings_of(removed);
  return out;
}

bool RedisWriter::change_record(Name name, std::span<const Version> versions,
                                std::optional<std::string_view> value, Replaced& replaced) {
  const Layout& layout = session_.layout();
  const std::string key = layout.record_key(name);
  bool is_gone = false;
  const auto accepts = [&](const Reply& now) {
    is_gone = now.is_nil();
    std::optional<Record> old = is_gone ? std::nullopt : layout.decode(now.text, name);
    if (!old || std::find(versions.begin(), versions.end(), old->version) == versions.end())
      return false;
    // What is written now may be there already, from a try whose answer was lost.
    if (!value || old->version != versions.back()) {
      drop_features(old->document);
      replaced.emplace_back(name, *std::move(old));
    }
    return true;
  };
  switch (session_.change_if(key, accepts, value)) {
    case Client::Changed::kYes:
      return true;
    case Client::Changed::kNo:
      return false;
    case Client::Changed::kUnknown:
      // What is gone after a try of unknown end was removed by it, or by another process in the
      // same moment.
      return !value && is_gone;
  }
  return false;
}

bool RedisWriter::replace_seen(const DocumentHashes& document, Version seen) {
  session_.client().throw_if_stopped();
  Write write{&document, session_.layout().name_of(document.id), {}, {}};
  const std::span<Write> one(&write, 1);
  std::vector<Version> versions{seen};
  Replaced replaced;
  const auto change = [&] {
    versions.push_back(write.versions.back());
    return change_record(write.name, versions, write.record, replaced);
  };
  if (write_until_certain(one, [](bool) {}, replaced, change)) return true;
  withdraw(one);
  remove_postings_of(replaced);
  return false;
}

bool RedisWriter::remove_seen(std::string_view id, Version seen) {
  session_.client().throw_if_stopped();
  const Name name = session_.layout().name_of(id);
  Replaced removed;
  const Clock::time_point begun = Clock::now();
  bool was_removed = false;
  do {
    session_.client().begin_write();
    was_removed |= change_record(name, {&seen, 1}, std::nullopt, removed);
  } while (was_removed && !confirm(begun));
  if (was_removed) remove_postings_of(removed);
  return was_removed;
}

}  // namespace benzer::redis
