#include "engine/decision_book.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <simdjson.h>
#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"
#include "benzer/output.h"

#include "base/file.h"
#include "base/utc_time.h"

namespace benzer {
namespace {

// Of all decisions of an index: each change writes the file anew, and memory holds them twice.
constexpr std::size_t kMostBytes = std::size_t{64} << 20;

// Always with six digits after the point, so that texts sort as moments do.
std::string moment_text(UtcTime at) {
  constexpr UtcTime kSecond = 1'000'000;
  std::string out = utc_text(at / kSecond * kSecond);
  out.pop_back();
  return fmt::format("{}.{:06}Z", out, at % kSecond);
}

// A moment after those of all decisions, also if the clock was set back: the last one counts.
std::string next_moment(const std::vector<Decision>& decisions) {
  UtcTime at = utc_now();
  for (const Decision& one : decisions)
    if (const auto before = read_utc_time(one.at)) at = std::max(at, *before + 1);
  return moment_text(at);
}

std::string json(const Decision& decision) {
  JsonObject out;
  out.add("id", decision.id).add("version", decision.version).add("members", decision.members);
  out.add("keeper", decision.keeper).add("not_duplicates", decision.not_duplicates);
  return out.add("note", decision.note).add("at", decision.at).str() + "\n";
}

std::string lines_of(const std::vector<Decision>& decisions) {
  std::string out;
  for (const Decision& decision : decisions) out += json(decision);
  return out;
}

std::string text(const simdjson::dom::element& object, const char* name) {
  return std::string(std::string_view(object[name]));
}

Decision read(const simdjson::dom::element& line) {
  Decision out;
  out.id = std::uint64_t(line["id"]);
  out.version = std::uint64_t(line["version"]);
  for (const simdjson::dom::element member : simdjson::dom::array(line["members"]))
    out.members.emplace_back(std::string_view(member));
  out.keeper = text(line, "keeper");
  out.not_duplicates = bool(line["not_duplicates"]);
  out.note = text(line, "note");
  out.at = text(line, "at");
  // Earlier versions wrote whole seconds.
  if (const auto at = read_utc_time(out.at); at && *at >= 0) out.at = moment_text(*at);
  return out;
}

std::string checksum(std::string_view lines) {
  return fmt::format("{:016x}", XXH3_64bits(lines.data(), lines.size()));
}

void check_text(std::string_view text, std::string_view what) {
  std::string valid;
  if (append_valid_utf8(valid, text) > 0)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} is not UTF-8, and decisions are kept as JSON", what));
}

void check(const Decision& decision) {
  const std::set<std::string_view> members(decision.members.begin(), decision.members.end());
  if (members.empty() || members.contains("") || members.size() != decision.members.size())
    throw Error(ErrorCode::kInvalidArgument,
                "a decision names documents by their ids, one at least and each once");
  if (!decision.keeper.empty() && !members.contains(decision.keeper))
    throw Error(ErrorCode::kInvalidArgument, "the keeper is not one of the members");
  if (decision.not_duplicates && members.size() < 2)
    throw Error(ErrorCode::kInvalidArgument,
                "one document alone cannot be marked as not a duplicate",
                "name at least two members", ": ");
  if (decision.not_duplicates && !decision.keeper.empty())
    throw Error(ErrorCode::kInvalidArgument, "documents that are not duplicates have no keeper",
                "give one or the other", ": ");
  for (const std::string_view member : members)
    if (member.size() > kLongestId)
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("an id has {} bytes; allowed are {}", member.size(), kLongestId));
  for (const std::string_view member : members) check_text(member, "an id");
  check_text(decision.note, "the note");
}

// Writes the file under a temporary name, syncs it and renames it, so that it has all decisions or
// is as it was before.
void save(const std::string& lines, std::uint64_t last_id, const std::string& file) {
  OutputFile out(file);
  // The last id keeps ids from being used again: a client that has seen a decision which was
  // removed since would take a new one for it.
  JsonObject head;
  head.add("last_id", last_id).add("checksum", checksum(lines));
  out.write(head.str() + "\n");
  out.write(lines);
  out.commit();
}

}  // namespace

DecisionBook::DecisionBook(std::string file) : file_(std::move(file)) {
  errno = 0;
  std::ifstream in(file_);
  if (!in) {
    // If a file that cannot be read counted as empty, the next decision would overwrite it.
    if (errno == ENOENT) return;
    throw Error(ErrorCode::kStorageFailed, Subject::file(file_),
                fmt::format("the decisions cannot be read: {}", system_message(errno)));
  }
  std::size_t number = 0;
  std::optional<std::string> expected;
  std::string lines;
  try {
    simdjson::dom::parser parser;
    for (std::string line; std::getline(in, line);) {
      ++number;
      const simdjson::dom::element parsed = parser.parse(line);
      if (parsed["last_id"].get(last_id_) == simdjson::SUCCESS) {
        // Files of earlier versions have none.
        if (std::string_view kept; parsed["checksum"].get(kept) == simdjson::SUCCESS)
          expected = kept;
        continue;
      }
      decisions_.push_back(read(parsed));
      lines += line;
      if (!in.eof()) lines += '\n';
    }
  } catch (const simdjson::simdjson_error& problem) {
    throw Error(ErrorCode::kCorrupt, Subject::file(file_),
                fmt::format("line {} is not a decision: {}", number, problem.what()),
                "repair it, or move the file away");
  }
  if (in.bad())
    throw Error(ErrorCode::kStorageFailed, Subject::file(file_),
                "the decisions cannot be read to their end");
  if (expected && *expected != checksum(lines))
    throw Error(ErrorCode::kCorrupt, Subject::file(file_),
                "the checksum in its first line is not that of the decisions",
                "restore the file from a backup; if you have edited it, look through it and remove "
                "\"checksum\" from its first line");
  // People may have edited the file.
  std::stable_sort(decisions_.begin(), decisions_.end(),
                   [](const Decision& a, const Decision& b) { return a.id < b.id; });
  if (!decisions_.empty()) last_id_ = std::max(last_id_, decisions_.back().id);
}

std::vector<Decision> DecisionBook::all() const {
  const std::lock_guard lock(mutex_);
  return decisions_;
}

std::optional<Decision> DecisionBook::from(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto at =
      std::lower_bound(decisions_.begin(), decisions_.end(), id,
                       [](const Decision& one, std::uint64_t of) { return one.id < of; });
  if (at == decisions_.end()) return std::nullopt;
  return *at;
}

bool DecisionBook::write(const std::string& file) const {
  const DecisionBook now(file_);
  if (now.last_id_ > 0) save(lines_of(now.decisions_), now.last_id_, file);
  return now.last_id_ > 0;
}

void DecisionBook::verify() const {
  if (file_.empty()) return;
  const std::lock_guard lock(mutex_);  // nobody replaces the file between its end and the check
  const DecisionBook now(file_);
  if (now.last_id_ < last_id_)
    throw Error(ErrorCode::kCorrupt, Subject::file(file_),
                now.last_id_ == 0 ? "the file with the decisions is missing"
                                  : "it lacks decisions that were made since it was read",
                "restore the file from a backup");
}

void DecisionBook::change(std::vector<Decision> decisions, const std::string& lines,
                          std::uint64_t last_id) {
  if (!file_.empty()) save(lines, last_id, file_);
  decisions_ = std::move(decisions);
  last_id_ = last_id;
}

std::optional<Decision> DecisionBook::put(Decision decision) {
  check(decision);
  const std::lock_guard lock(mutex_);
  decision.at = next_moment(decisions_);
  std::vector<Decision> next = decisions_;
  std::uint64_t last_id = last_id_;
  if (decision.id == 0) {
    decision.id = ++last_id;
    decision.version = 1;
    next.push_back(decision);
  } else {
    const auto at = std::find_if(next.begin(), next.end(), [&](const Decision& one) {
      return one.id == decision.id && one.version == decision.version;
    });
    if (at == next.end()) return std::nullopt;
    ++decision.version;
    *at = decision;
  }
  const std::string lines = lines_of(next);
  if (lines.size() > kMostBytes)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the decisions of this index would have {} bytes; allowed are {}",
                            lines.size(), kMostBytes),
                "remove some that no longer matter");
  change(std::move(next), lines, last_id);
  return decision;
}

bool DecisionBook::remove(std::uint64_t id, std::uint64_t version) {
  const std::lock_guard lock(mutex_);
  std::vector<Decision> next = decisions_;
  const auto is_it = [&](const Decision& one) { return one.id == id && one.version == version; };
  if (std::erase_if(next, is_it) == 0) return false;
  const std::string lines = lines_of(next);
  change(std::move(next), lines, last_id_);
  return true;
}

DecidedDocuments::DecidedDocuments(const std::vector<Decision>& decisions, StoreReader& reader) {
  std::vector<const Decision*> by_time;
  for (const Decision& decision : decisions) by_time.push_back(&decision);
  std::stable_sort(by_time.begin(), by_time.end(),
                   [](const Decision* a, const Decision* b) { return a->at < b->at; });
  for (std::size_t i = 0; i < by_time.size(); ++i) {
    for (const std::string& member : by_time[i]->members) {
      const bool is_keeper = member == by_time[i]->keeper;
      if (!is_keeper && !by_time[i]->not_duplicates) continue;
      const std::optional<DocumentNumber> number = reader.find(member);
      if (!number) continue;  // it was removed
      if (is_keeper) keepers_[*number] = i;
      if (by_time[i]->not_duplicates) apart_[*number].push_back(i);
    }
  }
}

bool DecidedDocuments::are_apart(DocumentNumber a, DocumentNumber b) const {
  if (apart_.empty()) return false;
  const auto of_a = apart_.find(a);
  const auto of_b = apart_.find(b);
  if (of_a == apart_.end() || of_b == apart_.end()) return false;
  return std::find_first_of(of_a->second.begin(), of_a->second.end(), of_b->second.begin(),
                            of_b->second.end()) != of_a->second.end();
}

void DecidedDocuments::put_keepers_first(std::vector<DocumentNumber>& cluster) const {
  if (keepers_.empty()) return;
  const auto chosen = [&](DocumentNumber document) {
    const auto found = keepers_.find(document);
    return found == keepers_.end() ? 0 : found->second + 1;
  };
  std::stable_sort(cluster.begin(), cluster.end(),
                   [&](DocumentNumber a, DocumentNumber b) { return chosen(a) > chosen(b); });
}

}  // namespace benzer
