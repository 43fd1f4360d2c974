#include "served_index.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <simdjson.h>

#include "benzer/error.h"

#include "../shared/maintenance_json.h"
#include "problem.h"

namespace benzer::server {
namespace {

constexpr int kTries = 500;
constexpr auto kPause = std::chrono::milliseconds(10);

std::string kept_file(const std::string& folder) {
  return fmt::format("{}/{}", folder, Index::kKeptDocuments);
}

Document read_document(std::string_view json, DocumentParser& parser) {
  if (!simdjson::validate_utf8(json.data(), json.size()))
    throw Problem(422, "bad_input", "the document is not UTF-8");
  Document out = parser.parse(json);
  for (const Field& field : out.fields)
    if (!field.file.empty())
      throw Problem(422, "image_by_path",
                    fmt::format("the image of the field '{}' is named by a path", field.name))
          .at(fmt::format("/{}", field.name))
          .hint("Send the file itself, as \"data:image/jpeg;base64,...\".");
  return out;
}

}  // namespace

std::string time_now() {
  return apps::time_text(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
}

ServedIndex::ServedIndex(std::string name, std::string folder, Index index, bool keeps)
    : name_(std::move(name)),
      folder_(std::move(folder)),
      index_(std::move(index)),
      fields_(input_fields(schema())) {
  const std::string file = kept_file(folder_);
  if (keeps || KeptDocuments::is_there(file)) kept_.emplace(file);
}

ServedIndex::~ServedIndex() {
  if (removed_.empty()) return;
  try {
    index_.close();
  } catch (const Error&) {  // the files are removed anyway
  }
  std::error_code ignored;
  std::filesystem::remove_all(removed_, ignored);
}

// An index in Redis has its address in place of a folder: "rediss+cluster://host/name".
bool ServedIndex::is_in_redis() const noexcept {
  const std::string_view place = folder_;
  const std::size_t end = place.find("://");
  return place.starts_with("redis") && end != place.npos && place.find('/') > end;
}

// A writer changes the index first, and what is kept of the document a moment later.
ServedIndex::Kept ServedIndex::kept_document(const std::string& id,
                                             const std::atomic<bool>* stop) const {
  constexpr int kMostWriters = 3;
  for (int i = 0;; ++i) {
    const std::optional<std::string> json = kept_json(id);
    if (!json) return {};
    try {
      Document out = document(*json);
      out.id = id;
      if (index_.has_features_of(out, stop)) return {.document = std::move(out)};
    } catch (const Error& error) {
      // As below: what is in the index was not read from this text.
      if (error.code() != ErrorCode::kBadInput && error.code() != ErrorCode::kInvalidArgument)
        throw;
    } catch (const Problem&) {
      // Likewise.
    }
    if (i == kMostWriters) return {.is_another = true};
    const auto in_order = take_turns();  // waits for the writer that has begun
  }
}

Document ServedIndex::document(std::string_view json) const {
  DocumentParser one(query_fields(schema()));
  return read_document(json, one);
}

ServedIndex::Sent ServedIndex::sent(std::string_view json) const {
  DocumentParser one = parser();
  return sent(json, one);
}

ServedIndex::Sent ServedIndex::sent(std::string_view json, DocumentParser& parser) {
  Sent out{read_document(json, parser), json};
  if (parser.was_odd()) out.strict = strict_json(json);
  return out;
}

std::shared_lock<std::shared_mutex> ServedIndex::write() const {
  std::shared_lock lock(writing_, std::try_to_lock);
  if (!lock.owns_lock())
    throw Problem(503, "busy", "the index cannot be written to until a task has ended")
        .retry_after(2)
        .hint("GET /v1/tasks says how far it is.");
  check_there();
  return lock;
}

std::unique_lock<std::mutex> ServedIndex::take_turns() const {
  return kept_ ? std::unique_lock(in_order_) : std::unique_lock<std::mutex>();
}

// Documents are hashed before any lock is taken, because that may take long.
std::vector<IndexResult> ServedIndex::put(std::vector<Sent> sent, const std::atomic<bool>* stop,
                                          CoreShares* cores, const std::string& client) {
  write();  // refuses before the work
  std::vector<Document> documents;
  for (Sent& one : sent) documents.push_back(std::move(one.document));
  HashedDocuments hashed = [&] {
    if (!cores || documents.empty()) return index_.hash_documents(documents, 1, stop);
    const CoreShares::Share share(*cores, client, documents.size(), stop);
    return index_.hash_documents(documents, static_cast<int>(share.cores()), stop);
  }();
  const auto writing = write();
  const auto in_order = take_turns();
  std::vector<IndexResult> results = index_.index_documents(std::move(hashed));
  if (!kept_) return results;
  std::vector<KeptDocuments::Row> rows;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (results[i].outcome != IndexResult::Outcome::kRefused)
      rows.push_back({documents[i].id, sent[i].kept()});
  if (!rows.empty()) kept_->put(rows);
  return results;
}

CheckResult ServedIndex::check_and_add(const Sent& sent, const SimilarOptions& options) {
  write();
  HashedDocuments hashed = index_.hash_documents({sent.document}, 1, options.stop);
  const auto writing = write();
  const auto in_order = take_turns();
  CheckResult result = index_.check_and_add(sent.document, std::move(hashed), options);
  const KeptDocuments::Row row{sent.document.id, sent.kept()};
  if (result.added && kept_) kept_->put({&row, 1});
  return result;
}

std::vector<bool> ServedIndex::remove(const std::vector<std::string>& ids, WriteLevel& reached) {
  const auto writing = write();
  const auto in_order = take_turns();
  std::vector<bool> out = index_.remove(ids, &reached);
  if (kept_) kept_->remove(ids);
  return out;
}

IndexResult ServedIndex::change_attributes(const AttributeChange& change) {
  const auto writing = write();
  return index_.change_attributes({change}).front();
}

// A document that is put in now may expire before the next one that is known, so an hour is the
// longest pause. Others may write while the index is searched. A problem is told each time, so the
// next try is a minute later.
void ServedIndex::remove_expired(const std::atomic<bool>* stop) {
  constexpr std::int64_t kLongestPause = 3600, kPauseAfterProblem = 60;  // seconds
  constexpr std::int64_t kMicroseconds = 1'000'000;
  if (uptime_seconds() < look_for_expired_at_) return;
  write();  // refuses before the work, and the next call tries again
  look_for_expired_at_ = uptime_seconds() + kPauseAfterProblem;
  const ExpiredDocuments expired = index_.expired(stop);
  if (!expired.ids.empty()) {
    const auto writing = write();
    const auto in_order = take_turns();
    const std::vector<bool> were_removed = index_.remove_expired(expired.ids);
    std::vector<std::string> removed;
    for (std::size_t i = 0; i < were_removed.size(); ++i)
      if (were_removed[i]) removed.push_back(expired.ids[i]);
    if (kept_) kept_->remove(removed);
  }
  look_for_expired_at_ = uptime_seconds() + kLongestPause;
  if (!expired.next) return;
  const auto now = std::chrono::duration_cast<std::chrono::microseconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  const std::int64_t left = (*expired.next - now) / kMicroseconds + 1;
  look_for_expired_at_ = uptime_seconds() + std::clamp<std::int64_t>(left, 0, kLongestPause);
}

std::optional<Decision> ServedIndex::put_decision(Decision decision) {
  const auto writing = write();
  return index_.put_decision(std::move(decision));
}

bool ServedIndex::remove_decision(std::uint64_t id, std::uint64_t version) {
  const auto writing = write();
  return index_.remove_decision(id, version);
}

void ServedIndex::check_there() const {
  if (has_left_) throw Problem(404, "index_not_found", "the index was removed meanwhile");
}

std::unique_ptr<ServedIndex::Standstill> ServedIndex::stand_still() {
  std::unique_lock lock(writing_, std::defer_lock);
  for (int i = 0; i < kTries && !lock.try_lock(); ++i) std::this_thread::sleep_for(kPause);
  if (!lock.owns_lock())
    throw Problem(503, "busy", "the index is too busy with other writes")
        .retry_after(5)
        .hint("Try again, or write less for a while.");
  check_there();
  return std::make_unique<Standstill>(std::move(lock));
}

void ServedIndex::leave(std::string folder, const Standstill&) {
  removed_ = std::move(folder);
  has_left_ = true;
}

std::vector<bool> ServedIndex::remove(const std::vector<std::string>& ids, const Standstill&,
                                      const std::function<void()>& have_left) {
  std::vector<bool> out = index_.remove(ids);
  have_left();
  if (kept_) kept_->remove(ids);
  return out;
}

void ServedIndex::verify() {
  Verified verified{time_now(), {}};
  const auto note = [&] {
    const std::lock_guard lock(facts_);
    verified_ = verified;
  };
  try {
    index_.verify();
    if (kept_) kept_->verify();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;  // not known whether it is damaged
    verified.problem = problem_of(error).sentence();
    note();
    throw;
  }
  note();
}

std::optional<ServedIndex::Verified> ServedIndex::last_verified() const {
  const std::lock_guard lock(facts_);
  return verified_;
}

SnapshotResult ServedIndex::snapshot(const std::string& folder, const SnapshotOptions& options) {
  SnapshotResult result;
  const auto still = stand_still();  // so that index and kept documents are of the same moment
  build_folder(folder, [&](const std::string& part) {
    result = index_.snapshot(part, options);
    if (kept_) kept_->copy_to(kept_file(part));
  });
  return result;
}

}  // namespace benzer::server
