// Writes to a store in Redis: first postings, then the record; then it removes the postings of the
// record that was replaced. Each step begins when the one before has reached the store's level:
// otherwise the loss of a master could leave a record whose postings are lost, or bring one back
// whose postings were removed.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/redis/session.h"

namespace benzer::redis {

// Postings without a record after this time are strays, and a scrub may remove them. A writer that
// took longer than this writes them once more when the record is there.
inline constexpr std::chrono::milliseconds kLongestWrite{2'000};

// Appends the commands for all postings of a document.
void add_postings(const Layout& layout, const DocumentHashes& document, const Entry& entry,
                  Pipeline& out);
void remove_postings(const Layout& layout, const DocumentHashes& document, const Entry& entry,
                     Pipeline& out);

// Threads: one. Errors: what was not acknowledged may or may not be there, but never half of a
// document; it can be written again. A stop flag that is true before anything is written ends a
// call with Error(kInterrupted).
class RedisWriter {
 public:
  explicit RedisWriter(Session& session);

  // Called before a piece is written. Called again (was_tried) before it is written once more,
  // which happens if nobody knows whether it was written, and after it was written if that took
  // longer than kLongestWrite. If it throws, the call ends so, and the first time nothing was
  // written.
  using Permit = std::function<void(bool was_tried)>;
  // Returns for each document whether there was one with the same id. All have reached the store's
  // level when it returns. Throws Error(kInvalidArgument) for an id whose name is another
  // document's.
  std::vector<bool> add(std::span<const DocumentHashes* const> documents, const Permit& permit);
  std::vector<bool> remove(std::span<const std::string> ids);

  // The same for a document of which this version was seen. Return false, and change nothing, if it
  // has another one by now, or was removed.
  bool replace_seen(const DocumentHashes& document, Version seen);
  bool remove_seen(std::string_view id, Version seen);

 private:
  struct Write {
    const DocumentHashes* document;
    Name name;
    std::vector<Version> versions;  // of each attempt
    std::string record;             // of the last
    bool is_replacement = false;
  };
  void add_distinct(std::span<Write> writes, const Permit& permit);
  // Writes the documents, and removes the postings of those that were replaced, which write() adds
  // to `replaced`. Does it again, under new versions, until it is certain that all is there; but
  // gives up when the time-out is over. write() writes the records, and returns false if they
  // cannot be written; then this does so, too.
  using Replaced = std::vector<std::pair<Name, Record>>;
  bool write_until_certain(std::span<Write> writes, const Permit& permit, Replaced& replaced,
                           const std::function<bool()>& write);
  // Writes the postings of records that are there once more.
  void write_postings_again(std::span<const Write> writes, Replaced& replaced);
  void withdraw(std::span<const Write> writes) noexcept;  // removes postings that have no record
  std::vector<bool> remove_piece(std::span<const std::string> ids);
  void write_postings(std::span<const Write> writes);
  // Writes what leads to the documents, under a new version of each, and then calls permit().
  void begin_versions(std::span<Write> writes, const Permit& permit);
  // Changes a record if it has one of the versions, the last of which is that of `value`, and adds
  // it to `replaced`. Tries again until it knows whether the record was changed.
  bool change_record(Name name, std::span<const Version> versions,
                     std::optional<std::string_view> value, Replaced& replaced);
  // Adds to `replaced` the records whose postings are to be removed. Returns why a document cannot
  // be written; empty if all can.
  std::string write_records(std::span<Write> writes, Replaced& replaced);
  void remove_postings_of(const Replaced& replaced);
  bool confirm(Clock::time_point begun);

  Session& session_;
  std::mt19937_64 chance_;
  Pipeline pipeline_;
};

}  // namespace benzer::redis
