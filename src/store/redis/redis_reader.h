// Looks up documents of a store in Redis. All that a call needs is asked for in one pipeline for
// each server, first the postings, then the records that they name.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/pool.h"
#include "store/redis/numbering.h"
#include "store/redis/session.h"

namespace benzer::redis {

// What readers and writers share. Threads: one.
class Lookup {
 public:
  Lookup(const Settings& settings, Pool<Session>& sessions, std::shared_ptr<Numbering> numbering);
  ~Lookup();
  Lookup(const Lookup&) = delete;
  Lookup& operator=(const Lookup&) = delete;

  // See StoreReader. Documents that were removed since they were named have no fields. With
  // HashLayout::sampling, get_ids() and get_hits() may also name documents that are being replaced.
  void get_ids(std::span<const FieldHashes* const> queries,
               std::vector<std::vector<DocumentNumber>>& out);
  void get_hits(std::span<const FieldHashes* const> queries,
                std::vector<std::vector<KeyHits>>& out);
  std::optional<DocumentNumber> find(std::string_view id);
  void prefetch_ids(std::span<const std::string_view> ids);
  void prefetch(std::span<const DocumentNumber> documents);
  std::string_view id(DocumentNumber document) { return numbering_->id(document); }
  std::string_view attributes(DocumentNumber document);
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field);
  std::span<const std::uint64_t> features(DocumentNumber document, std::uint32_t field);
  DocumentHashes get_hashes(DocumentNumber document);
  void for_each(const std::function<bool(DocumentNumber)>& visit);
  std::uint64_t size();

  // About how many bytes of records it holds.
  std::size_t known_bytes() const noexcept { return known_bytes_; }
  // The version of the document that is known; nothing if none is.
  std::optional<Version> version(Name name) const;
  // Forgets what is known of a document, since it was written or removed.
  void forget(Name name);

  Session& session() { return *session_; }
  const std::shared_ptr<Numbering>& numbering() const { return numbering_; }
  Pool<Session>& sessions() { return sessions_; }

 private:
  // A document that has postings of a query's keys, or had them, and how many.
  struct Met {
    std::size_t query;
    Entry entry;
    std::uint32_t keys;
  };
  // The beginnings of some records are loaded while postings come.
  std::vector<Met> meet_postings(std::span<const FieldHashes* const> queries);
  // Returns how many keys of the query a document has.
  std::uint32_t common_keys(const Met& met, const FieldHashes& query, const Record& record) const;
  // Calls take(query, document, common keys) for the documents that share keys with a query, those
  // of one query ascending by number.
  void meet(std::span<const FieldHashes* const> queries,
            const std::function<void(std::size_t, const KeyHits&)>& take);
  // Reads the records that are not known yet: their beginnings, or all of them.
  class Loading;
  void load(std::span<const Name> names, bool with_features);
  void fetch_ahead();
  // How many bytes of features a known document has that were not loaded.
  std::size_t missing_bytes(Name name) const;
  void keep(Name name, std::optional<Record> record);
  // Of a record that is known.
  void drop_features(Name name);
  const Record* record(DocumentNumber document, bool with_features);
  const FieldHashes* field(DocumentNumber document, std::uint32_t field, bool with_features);
  // Forgets all records if there is no room for that many bytes. Beginnings are loaded in pieces of
  // a limited number, and features in pieces of a limited size, so the records that a question
  // needs take a limited amount of memory. What is read again is loaded again.
  void make_room(std::size_t wanted = 0);

  Pool<Session>& sessions_;
  std::unique_ptr<Session> session_;
  const std::shared_ptr<Numbering> numbering_;
  std::unordered_map<Name, std::optional<Record>> known_;  // empty: there is no document
  // The documents that are to be fetched ahead, and how many of them were.
  std::vector<Name> ahead_;
  std::size_t fetched_ = 0;
  std::size_t known_bytes_ = 0;
};

}  // namespace benzer::redis
