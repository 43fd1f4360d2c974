#include "store/redis/redis_store.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "store/redis/lease.h"
#include "store/redis/redis_reader.h"
#include "store/redis/redis_writer.h"

namespace benzer::redis {
namespace {

// What Reader and Writer share. Base: StoreReader or StoreWriter.
template <class Base>
class Shared : public Base {
 public:
  Shared(const Settings& settings, Pool<Session>& sessions, std::shared_ptr<Numbering> numbering)
      : settings_(settings), lookup_(settings, sessions, std::move(numbering)) {}

  void get_ids(std::span<const FieldHashes* const> queries,
               std::vector<std::vector<DocumentNumber>>& out) override {
    lookup_.get_ids(queries, out);
  }
  void get_hits(std::span<const FieldHashes* const> queries,
                std::vector<std::vector<KeyHits>>& out) override {
    lookup_.get_hits(queries, out);
  }
  std::optional<DocumentNumber> find(std::string_view id) override { return lookup_.find(id); }
  void prefetch_ids(std::span<const std::string_view> ids) override { lookup_.prefetch_ids(ids); }
  void prefetch(std::span<const DocumentNumber> documents) override { lookup_.prefetch(documents); }
  std::string_view id(DocumentNumber document) override { return lookup_.id(document); }
  std::string_view attributes(DocumentNumber document) override {
    return lookup_.attributes(document);
  }
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) override {
    return lookup_.cut(document, field);
  }
  std::span<const std::uint64_t> features(DocumentNumber document, std::uint32_t field) override {
    return lookup_.features(document, field);
  }
  DocumentHashes get_hashes(DocumentNumber document) override {
    return lookup_.get_hashes(document);
  }
  void for_each(const std::function<bool(DocumentNumber)>& visit) override {
    lookup_.for_each(visit);
  }
  std::uint64_t size() override { return lookup_.size(); }
  std::unique_ptr<StoreReader> another() const override {
    auto out =
        std::make_unique<Shared<StoreReader>>(settings_, lookup_.sessions(), lookup_.numbering());
    out->stop_when(lookup_.session().client().stop());
    return out;
  }
  void stop_when(const std::atomic<bool>* stop) override {
    lookup_.session().client().stop_when(stop);
  }

 protected:
  const Settings& settings_;
  mutable Lookup lookup_;
};

}  // namespace

class RedisStore::Reader : public Shared<StoreReader> {
 public:
  using Shared::Shared;
  void for_each(const std::function<bool(DocumentNumber)>& visit) override {
    bool is_complete = true;
    lookup_.for_each([&](DocumentNumber document) { return is_complete = visit(document); });
    if (is_complete) lookup_.numbering()->close();
  }
};

class RedisStore::Writer : public Shared<StoreWriter> {
 public:
  Writer(const Settings& settings, Pool<Session>& sessions, std::unique_lock<std::mutex> lock)
      : Shared(settings, sessions, std::make_shared<Numbering>()),
        lock_(std::move(lock)),
        writer_(lookup_.session()) {}

  bool add_hashes(const DocumentHashes& document) override {
    const DocumentHashes* one = &document;
    return add_all({&one, 1})[0];
  }
  bool remove(std::string_view id) override {
    const std::string one(id);
    return remove_all({&one, 1})[0];
  }
  std::vector<bool> add_all(std::span<const DocumentHashes* const> documents) override {
    for (const DocumentHashes* document : documents) forget(document->id);
    return writer_.add(documents, [this](bool was_tried) {
      if (lease_) lease_->check(was_tried);
    });
  }
  std::vector<bool> remove_all(std::span<const std::string> ids) override {
    for (const std::string& id : ids) forget(id);
    return writer_.remove(ids);
  }
  bool replace_seen(const DocumentHashes& document) override {
    return change_seen(document.id,
                       [&](Version seen) { return writer_.replace_seen(document, seen); });
  }
  bool remove_seen(std::string_view id) override {
    return change_seen(id, [&](Version seen) { return writer_.remove_seen(id, seen); });
  }
  void lock_others() override { lease_.emplace(lookup_.session()); }
  std::function<WriteLevel()> release() override {
    lease_.reset();
    lock_.unlock();
    return [level = settings_.level] { return level; };
  }

 private:
  template <class Change>
  bool change_seen(std::string_view id, Change change) {
    const std::optional<Version> seen = lookup_.version(settings_.layout.name_of(id));
    forget(id);
    return seen && change(*seen);
  }
  void forget(std::string_view id) { lookup_.forget(settings_.layout.name_of(id)); }
  std::unique_lock<std::mutex> lock_;
  RedisWriter writer_;
  std::optional<Lease> lease_;
};

std::unique_ptr<StoreReader> RedisStore::reader() const {
  return std::make_unique<Reader>(settings_, sessions_, std::make_shared<Numbering>());
}

std::unique_ptr<StoreWriter> RedisStore::writer() {
  if (settings_.read_only)
    throw Error(ErrorCode::kInvalidArgument, "the index was opened for reading only");
  return std::make_unique<Writer>(settings_, sessions_, std::unique_lock(writing_));
}

StoreStats RedisStore::stats() const {
  StoreStats out;
  auto session = sessions_.take([&] { return std::make_unique<Session>(settings_); });
  for (const Client::Answer& answer : session->client().ask_all({"INFO"})) {
    if (answer.reply.is_error())
      throw Error(ErrorCode::kDenied, fmt::format("{} does not tell its state: {}",
                                                  answer.address.str(), answer.reply.text));
    ++out.servers;
    out.server_bytes += used_memory(answer.reply.text);
  }
  sessions_.give(std::move(session));
  return out;
}

void RedisStore::verify() const {
  const ScrubReport report = scrub(false);
  if (report.is_sound()) return;
  throw Error(ErrorCode::kCorrupt, Subject::index(settings_.access->url.str()), report.str(),
              "'verify " + Parameter{"repair"} + "' brings it into order");
}

SnapshotResult RedisStore::snapshot(const std::string&, const SnapshotOptions&,
                                    const WriteBeside&) const {
  throw Error(
      ErrorCode::kInvalidArgument,
      "an index in Redis has no files for a snapshot: back up the server (docs/operating.md)");
}

}  // namespace benzer::redis
