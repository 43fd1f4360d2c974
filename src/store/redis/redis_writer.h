// Writing to a store in Redis: postings first, then the record, then the postings of what it has
// replaced are removed. Each begins when what was before has reached the store's level: else the
// loss of a master could leave a record whose postings are lost, or bring one back whose postings
// were removed.
#pragma once

#include <chrono>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "store/redis/session.h"

namespace benzer::redis {

// Postings whose record has not come after so long are strays. A writer that took longer than this
// writes all of it once more.
inline constexpr std::chrono::milliseconds kLongestWrite{2'000};

// Commands for all postings of a document.
void add_postings(const Layout& layout, const DocumentHashes& document, const Entry& entry,
                  Pipeline& out);
void remove_postings(const Layout& layout, const DocumentHashes& document, const Entry& entry,
                     Pipeline& out);

// Threads: one. Errors: what was not acknowledged may or may not be there, but never half of a
// document; it can be written again.
class RedisWriter {
 public:
  explicit RedisWriter(Session& session);

  // For each: was there one of the same id? All have reached the store's level when it returns.
  // permit() is called before any of them can be seen; if it throws, none of that piece is there.
  // Throws Error(kInvalidArgument) for an id whose name is another document's.
  std::vector<bool> add(std::span<const DocumentHashes* const> documents,
                        const std::function<void()>& permit);
  std::vector<bool> remove(std::span<const std::string> ids);

 private:
  struct Write {
    const DocumentHashes* document;
    Name name;
    std::vector<Version> versions;  // of each attempt
    std::string record;             // of the last
    bool is_replacement = false;
  };
  void add_distinct(std::span<Write> writes, const std::function<void()>& permit);
  void withdraw(std::span<const Write> writes) noexcept;  // postings without records
  std::vector<bool> remove_piece(std::span<const std::string> ids);
  void write_postings(std::span<const Write> writes);
  using Replaced = std::vector<std::pair<Name, Record>>;
  // Adds what has lost its record. Returns why a document cannot be there; empty: all can.
  std::string write_records(std::span<Write> writes, Replaced& replaced);
  void remove_postings_of(const Replaced& replaced);
  bool confirm(Clock::time_point begun);

  Session& session_;
  std::mt19937_64 chance_;
  Pipeline pipeline_;
};

}  // namespace benzer::redis
