#include "store/redis/redis_writer.h"

#include <algorithm>
#include <thread>
#include <unordered_set>

#include <fmt/format.h>

#include "benzer/error.h"

#include "features/config_text.h"

namespace benzer::redis {
namespace {

using std::chrono::milliseconds;

// How long a server holds back its answer to a WAIT, at most.
constexpr milliseconds kWait{1'000};
// Documents to a round trip.
constexpr std::size_t kAtOnce = 512;

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

RedisWriter::RedisWriter(Session& session)
    : session_(session), chance_(std::random_device{}()), reached_(session.settings().level) {
  chance_.discard(std::random_device{}() % 1024);
}

void RedisWriter::write_postings(std::span<const Write> writes) {
  pipeline_.clear();
  for (const Write& write : writes)
    add_postings(session_.layout(), *write.document, {write.name, write.version}, pipeline_);
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
  const auto note = [&](const Write& write, const Reply& reply) {
    if (reply.is_nil()) return;
    std::optional<Record> old = layout.decode(reply.text, write.name);
    if (old && old->version != write.version) replaced.emplace_back(write.name, std::move(*old));
  };
  for (std::size_t i = 0; i < writes.size(); ++i) {
    if (replies[i].is_nil()) continue;
    const std::optional<Record> old = layout.decode(replies[i].text, writes[i].name);
    if (old && old->version == writes[i].version) continue;  // this write, sent twice
    if (old && old->document.id != writes[i].document->id) {
      // Two ids of 1.8e19 possible names: with ten million documents once in 400,000 stores.
      replaced.emplace_back(writes[i].name,
                            Record{writes[i].version, *writes[i].document, {}, true});
      problem = fmt::format(
          "the id {} has the same 64-bit name as {}, which is in the store: "
          "give the document another id",
          internal::quoted(writes[i].document->id), internal::quoted(old->document.id));
      continue;
    }
    note(writes[i], replies[i]);
    writes[i].is_replacement = true;
    replacing.push_back(&writes[i]);
  }
  if (!replacing.empty()) {
    pipeline_.clear();
    for (const Write* write : replacing)
      pipeline_.add({"SET", layout.record_key(write->name), write->record, "GET"});
    replies = session_.run(pipeline_);
    for (std::size_t i = 0; i < replacing.size(); ++i) note(*replacing[i], replies[i]);
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
    // Less than a connection may be silent.
    const std::optional<int> replicas =
        session_.client().confirm(level.replicas, std::min(kWait, timeout / 2));
    if (replicas && *replicas >= level.replicas) {
      reached_.replicas = *replicas;
      return true;
    }
    if (Clock::now() - begun > timeout)
      throw Error(
          ErrorCode::kUnavailable,
          fmt::format("{}: what was written is in memory, but {} of {} replicas have "
                      "confirmed it within {:.1f} s, so it is not acknowledged; see whether "
                      "they run, then write it again",
                      session_.settings().access->url.str(), replicas.value_or(0), level.replicas,
                      seconds(timeout)));
    if (!replicas) return false;
  }
}

void RedisWriter::add_distinct(std::span<Write> writes) {
  const Clock::time_point begun = Clock::now();
  do {
    session_.client().begin_write();
    write_postings(writes);
  } while (!confirm(begun));
  const Clock::time_point confirmed = Clock::now();
  Replaced replaced;
  std::string problem;
  do {
    session_.client().begin_write();
    problem = write_records(writes, replaced);
    // A scrub may have taken them for strays.
    if (Clock::now() - begun > kLongestWrite) write_postings(writes);
  } while (!confirm(confirmed));
  remove_postings_of(replaced);
  if (!problem.empty()) throw Error(ErrorCode::kInvalidArgument, problem);
}

std::vector<bool> RedisWriter::add(std::span<const DocumentHashes* const> documents) {
  const Layout& layout = session_.layout();
  std::vector<bool> out;
  std::vector<Write> writes;
  std::unordered_set<Name> names;
  const auto flush = [&] {
    add_distinct(writes);
    for (const Write& write : writes) out.push_back(write.is_replacement);
    writes.clear();
    names.clear();
  };
  for (const DocumentHashes* document : documents) {
    const Name name = layout.name_of(document->id);
    if (writes.size() == kAtOnce || names.contains(name)) flush();
    const auto version = static_cast<Version>(chance_());
    names.insert(name);
    writes.push_back({document, name, version, layout.encode(version, *document)});
  }
  if (!writes.empty()) flush();
  return out;
}

std::vector<bool> RedisWriter::remove(std::span<const std::string> ids) {
  const Layout& layout = session_.layout();
  const Clock::time_point begun = Clock::now();
  std::vector<Name> names;
  std::vector<bool> is_again;  // asked for a second time
  std::unordered_set<Name> seen;
  for (const std::string& id : ids) {
    names.push_back(layout.name_of(id));
    is_again.push_back(!seen.insert(names.back()).second);
  }
  std::vector<bool> out(ids.size());
  Replaced removed;
  const auto take = [&](std::size_t i, const Reply& reply) {
    if (reply.is_nil() || is_again[i]) return;
    std::optional<Record> record = layout.decode(reply.text, names[i]);
    if (!record || record->document.id != ids[i]) return;
    out[i] = true;
    removed.emplace_back(names[i], std::move(*record));
  };
  do {
    session_.client().begin_write();
    // Before it goes, so that a lost answer to GETDEL does not leave its postings behind.
    run_in_pieces(
        session_, ids.size(), kAtOnce,
        [&](std::size_t i, Pipeline& pipeline) {
          pipeline.add({"GET", layout.record_key(names[i])});
        },
        take);
    run_in_pieces(
        session_, ids.size(), kAtOnce,
        [&](std::size_t i, Pipeline& pipeline) {
          if (out[i])
            pipeline.add({"GETDEL", layout.record_key(names[i])});
          else
            pipeline.add({"GETRANGE", layout.record_key(names[i]), "0", "0"});
        },
        [&](std::size_t i, const Reply& reply) {
          if (out[i]) take(i, reply);
        });
  } while (!confirm(begun));
  remove_postings_of(removed);
  return out;
}

}  // namespace benzer::redis
