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

// Postings without a record after this time are strays. A writer that took longer than this writes
// everything once more.
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

  // Called before a piece is written, and before it is written once more (was_tried), which happens
  // if nobody knows whether it was written. If it throws, the piece is not written, or not again.
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
  void withdraw(std::span<const Write> writes) noexcept;  // removes postings that have no record
  std::vector<bool> remove_piece(std::span<const std::string> ids);
  void write_postings(std::span<const Write> writes);
  // Writes what leads to the documents, under a new version of each, and then calls permit().
  void begin_versions(std::span<Write> writes, const Permit& permit);
  using Replaced = std::vector<std::pair<Name, Record>>;
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
