#include "served_indexes.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <exception>
#include <filesystem>
#include <new>
#include <random>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "benzer/error.h"

#include "problem.h"

namespace benzer::server {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 64;
// These names have a dot, which names of indexes cannot have.
constexpr std::string_view kRemoved = ".removed-";
constexpr std::string_view kUnfinished = ".new-";  // followed by the process id of the builder
constexpr const char* kSnapshots = ".snapshots";
constexpr auto kAgain = std::chrono::seconds(1);  // between two attempts to open an index

void check_name(std::string_view name) {
  if (!is_index_name(name))
    throw Problem(
        422, "wrong_name",
        fmt::format("an index has a name of 1 to {} letters, digits, '_' and '-'", kLongestName))
        .at("name");
}

// Removes what a killed server was building in the folder, and not what another process builds.
void remove_unfinished(const fs::path& folder) {
  std::error_code error, ignored;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(kUnfinished)) continue;
    pid_t builder = 0;
    std::from_chars(name.data() + kUnfinished.size(), name.data() + name.size(), builder);
    const bool is_left =
        builder <= 0 || builder == ::getpid() || (::kill(builder, 0) != 0 && errno == ESRCH);
    if (is_left) fs::remove_all(at->path(), ignored);
  }
}

// The name of the index that was in a folder such as ".removed-shop-4711-1".
std::string name_of_removed(std::string_view folder) {
  folder.remove_prefix(kRemoved.size());
  for (int part = 0; part < 2; ++part) folder = folder.substr(0, folder.rfind('-'));
  return std::string(folder);
}

// Syncs a folder, so that the names in it are on the disk.
std::error_code sync_folder(const fs::path& folder) {
  const int opened = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_synced = opened >= 0 && ::fsync(opened) == 0;
  const int why = errno;
  if (opened >= 0) ::close(opened);
  return is_synced ? std::error_code() : std::error_code(why, std::generic_category());
}

// Renames a folder, and syncs its parent, so that the new name is on the disk.
void rename_folder(const fs::path& from, const fs::path& to) {
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorCode::kStorageFailed, Subject::file(from.string()),
                fmt::format("it cannot be renamed: {}", why));
  };
  std::error_code error;
  fs::rename(from, to, error);
  if (!error) error = sync_folder(to.parent_path());
  if (error) fail(error.message());
}

// Draws a seed that clients cannot predict, so that they cannot construct texts whose features
// collide.
std::uint64_t draw_seed() {
  std::random_device chance;
  return std::uint64_t{chance()} << 32 | chance();
}

// Visits the fields without a seed, apart from hashes of images, which have none, and from features
// whose document frequencies were counted with the seed that they have.
template <class Visit>
void for_each_without_seed(Schema& schema, Visit visit) {
  for (FieldSpec& field : schema.fields)
    if (field.features.is_sketched() && field.features.seed == 0 && !field.features.frequencies)
      visit(field);
}

}  // namespace

bool is_index_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '_' || c == '-';
         });
}

void build_folder(const std::string& folder, const std::function<void(const std::string&)>& build) {
  const fs::path to(folder);
  const fs::path part =
      to.parent_path() / fmt::format("{}{}-{}", kUnfinished, ::getpid(), to.filename().string());
  std::error_code ignored;
  fs::remove_all(part, ignored);
  try {
    build(part.string());
    rename_folder(part, to);
  } catch (...) {
    fs::remove_all(part, ignored);
    throw;
  }
}

bool ServedIndexes::State::may_come() const noexcept {
  return !served && (why == ErrorCode::kBusy || why == ErrorCode::kUnavailable ||
                     why == ErrorCode::kStorageFailed || why == ErrorCode::kDenied ||
                     why == ErrorCode::kNoIndex);
}

std::string_view ServedIndexes::State::state() const noexcept {
  if (served) return "ready";
  if (why == ErrorCode::kBusy) return "busy";
  return may_come() ? "unavailable" : "damaged";
}

Index ServedIndexes::open_index(const std::string& name, const std::string& folder) const {
  OpenOptions options = open_options_;
  options.allow_kept_documents = true;
  if (report_)
    options.on_maintenance_problem = [name, report = report_](const MaintenanceProblem& problem) {
      report(name, problem.error().what());
    };
  return Index::open(folder, options);
}

void ServedIndexes::open(const std::string& folder, State& state) const {
  try {
    state.served =
        std::make_shared<ServedIndex>(state.name, folder, open_index(state.name, folder), false);
    state.problem.clear();
  } catch (const Error& error) {
    state.problem = problem_of(error).sentence();
    state.why = error.code();
  } catch (const std::bad_alloc&) {
    state.problem = "there is not enough memory to open it";
    state.why = ErrorCode::kUnavailable;
  }
}

// Opens in a thread of its own, because a request should not wait for the timeout of a server in
// the network.
void ServedIndexes::open_those_that_come() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::vector<State> coming;
    for (const auto& [name, state] : all_)
      if (state.may_come()) coming.push_back(state);
    if (coming.empty()) return;
    if (ends_changed_.wait_for(lock, kAgain, [&] { return ends_; })) return;
    lock.unlock();
    for (State& state : coming) open(folder_of(state.name), state);
    lock.lock();
    for (State& state : coming) all_[state.name] = state;  // remove() refuses unopened indexes
  }
}

template <class Work>
void ServedIndexes::for_each_again_and_again(Work work) {
  std::unique_lock lock(mutex_);
  while (!ends_changed_.wait_for(lock, std::chrono::seconds(1), [&] { return ends_; })) {
    std::vector<std::shared_ptr<ServedIndex>> served;
    for (const auto& [name, state] : all_)
      if (state.served) served.push_back(state.served);
    lock.unlock();
    for (const std::shared_ptr<ServedIndex>& one : served) work(*one);
    served.clear();  // the last user of an index closes it, which may take a while
    lock.lock();
  }
}

void ServedIndexes::remove_expired(ServedIndex& one) const {
  std::string problem;
  try {
    one.remove_expired(&stops_);
  } catch (const Problem&) {
    // A task has the index, or it was removed meanwhile; tried again later.
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kInterrupted) problem = problem_of(error).sentence();
  } catch (const std::bad_alloc&) {
    problem = "there is not enough memory";
  }
  if (!problem.empty() && report_)
    report_(one.name(), "documents that have expired could not be removed: " + problem);
}

void ServedIndexes::take_sample(ServedIndex& one) const {
  try {
    one.figures().refresh(&stops_);
  } catch (const Error&) {  // the metrics say that the index cannot be read
  } catch (const std::bad_alloc&) {
  }
}

// Threads of their own, because going through a large index takes a while.
void ServedIndexes::start_threads() {
  opening_ = std::thread([this] { open_those_that_come(); });
  expiring_ = std::thread(
      [this] { for_each_again_and_again([this](ServedIndex& one) { remove_expired(one); }); });
  sampling_ = std::thread(
      [this] { for_each_again_and_again([this](ServedIndex& one) { take_sample(one); }); });
}

void ServedIndexes::stop_threads() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  stops_ = true;
  ends_changed_.notify_all();
  for (std::thread* thread : {&opening_, &expiring_, &sampling_})
    if (thread->joinable()) thread->join();
}

ServedIndexes::~ServedIndexes() { stop_threads(); }

std::string ServedIndexes::folder_of(const std::string& name) const {
  return is_index_ ? root_ : (fs::path(root_) / name).string();
}

ServedIndexes::ServedIndexes(const std::string& root, std::optional<std::uint64_t> seed,
                             Report report, OpenOptions open)
    : root_(root),
      seed_(seed),
      report_(std::move(report)),
      open_options_(std::move(open)),
      is_index_(Index::is_at(root)) {
  const auto add = [this](const std::string& name) {
    State& state = all_[name];
    state.name = name;
    this->open(folder_of(name), state);
  };
  if (is_index_) {
    const fs::path path = fs::path(root).lexically_normal();
    const std::string name = (path.has_filename() ? path : path.parent_path()).filename().string();
    add(is_index_name(name) ? name : "index");
    start_threads();
    return;
  }
  remove_unfinished(root);
  remove_unfinished(fs::path(root) / kSnapshots);
  std::error_code error;
  for (fs::directory_iterator at(root, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (is_index_name(name) && Index::is_at(at->path().string())) add(name);
  }
  if (error)
    throw Error(ErrorCode::kNotFound, Subject::file(root),
                fmt::format("the folder cannot be read: {}", error.message()),
                error == std::errc::no_such_file_or_directory
                    ? "give a folder of indexes, or an index (mkdir -p '" + FileName{root} +
                          "' makes an empty one)"
                    : "give a folder of indexes, or an index");
  start_threads();
}

std::shared_ptr<ServedIndex> ServedIndexes::find(std::string_view name) {
  const std::lock_guard lock(mutex_);
  const auto at = all_.find(name);
  if (at == all_.end())
    throw Problem(404, "index_not_found", fmt::format("there is no index '{}'", name.substr(0, 80)))
        .hint("GET /v1/indexes lists all indexes.");
  const State& state = at->second;
  if (state.state() == "busy")
    throw Problem(503, "busy", state.problem)
        .retry_after(5)
        .hint("Wait until the other has ended.");
  if (state.may_come())
    throw Problem(503, "unavailable", state.problem)
        .retry_after(5)
        .hint("It is tried again each second.");
  if (!state.served)
    throw Problem(500, "damaged", state.problem)
        .hint("Run 'benzer verify INDEX --repair' on the server, and start it again.");
  return state.served;
}

std::vector<ServedIndexes::State> ServedIndexes::list() const {
  const std::lock_guard lock(mutex_);
  std::vector<State> out;
  for (const auto& [name, state] : all_) out.push_back(state);
  return out;
}

std::vector<std::pair<std::string, std::string>> ServedIndexes::list_unserved() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::pair<std::string, std::string>> out;
  for (const auto& [name, state] : all_)
    if (!state.served) out.emplace_back(name, state.state());
  return out;
}

bool ServedIndexes::is_there(const std::string& name, Schema schema, bool keeps, bool draws_seeds) {
  const std::lock_guard lock(mutex_);
  if (const auto at = all_.find(name); at != all_.end()) {
    if (!at->second.served)
      throw Problem(409, "name_taken",
                    fmt::format("the index '{}' is {}", name, at->second.state()));
    const ServedIndex& there = *at->second.served;
    if (draws_seeds)
      for_each_without_seed(schema, [&](FieldSpec& field) {
        if (const auto same = there.schema().find(field.name))
          field.features.seed = there.schema().fields[*same].features.seed;
      });
    if (there.schema().str() == schema.completed().str()) {
      if ((there.kept() != nullptr) == keeps) return true;
      throw Problem(409, "index_differs",
                    fmt::format("the index '{}' exists already, and {} documents", name,
                                keeps ? "does not keep" : "keeps"))
          .at("/keep_documents");
    }
    throw Problem(409, "index_differs",
                  fmt::format("the index '{}' exists already, with another schema: {}", name,
                              at->second.served->schema().str()))
        .hint("Give another name, or remove it first.");
  }
  if (const auto old = leaving_.find(name); old != leaving_.end()) {
    if (!old->second.expired())
      throw Problem(503, "busy", "an index of this name is being removed").retry_after(1);
    leaving_.erase(old);
  }
  return false;
}

bool ServedIndexes::create(const std::string& name, Schema schema, bool keeps, bool draws_seeds) {
  check_name(name);
  if (is_index_)
    throw Problem(409, "single_index", "the server serves one index, and makes no others")
        .hint("Start it with a folder to have several indexes.");
  // mutex_ is not held while the disk works, so that find() does not wait.
  const std::lock_guard one_at_a_time(creating_);
  if (is_there(name, schema, keeps, draws_seeds)) return false;
  if (draws_seeds) {
    const std::uint64_t seed = seed_ ? *seed_ : draw_seed();
    for_each_without_seed(schema, [&](FieldSpec& field) { field.features.seed = seed; });
  }
  const std::string folder = folder_of(name);
  std::error_code error;
  if (fs::exists(folder, error))
    throw Problem(409, "name_taken", fmt::format("the name '{}' is taken by something else", name));
  build_folder(folder, [&](const std::string& part) {
    OpenOptions options;
    options.create_with = schema;
    options.allow_kept_documents = true;
    ServedIndex made(name, part, Index::open(part, options), keeps);
    made.index().close();
  });
  try {
    State state{name, std::make_shared<ServedIndex>(name, folder, open_index(name, folder), false)};
    const std::lock_guard lock(mutex_);
    all_.emplace(name, std::move(state));
  } catch (...) {  // a folder that is left would block the name
    fs::remove_all(folder, error);
    throw;
  }
  return true;
}

void ServedIndexes::remove(const std::string& name, const std::function<void()>& forget) {
  if (is_index_)
    throw Problem(409, "single_index", "the server serves one index, and does not remove it");
  const std::shared_ptr<ServedIndex> served = find(name);
  const auto still = served->stand_still();
  // As in create(): mutex_ is not held while the disk works.
  const std::lock_guard one_at_a_time(creating_);
  {
    const std::lock_guard lock(mutex_);
    if (all_.erase(name) == 0)
      throw Problem(404, "index_not_found", fmt::format("there is no index '{}'", name));
  }
  static std::atomic<unsigned> removed{0};
  const fs::path bin =
      fs::path(root_) / fmt::format("{}{}-{}-{}", kRemoved, name, ::getpid(), ++removed);
  std::error_code error;
  fs::rename(folder_of(name), bin, error);
  const std::error_code unsynced = error ? std::error_code() : sync_folder(root_);
  {
    const std::lock_guard lock(mutex_);
    if (error) {
      all_.emplace(name, State{name, served});
      throw Problem(507, "storage_failed",
                    fmt::format("the index cannot be removed: {}", error.message()));
    }
    served->leave(bin.string(), *still);
    leaving_[name] = served->presence();
  }
  // `served` still keeps the folder, so that finish_removals() finds it if the process ends here.
  forget();
  if (unsynced)
    throw Problem(507, "storage_failed",
                  fmt::format("the index was removed, but the disk did not confirm it: {}",
                              unsynced.message()))
        .hint("If the machine loses power, the index may be there again: then remove it again.");
}

void ServedIndexes::finish_removals(const std::function<void(std::string_view name)>& forget) {
  if (is_index_) return;
  std::error_code error, ignored;
  for (fs::directory_iterator at(root_, error), end; !error && at != end; at.increment(error)) {
    const std::string folder = at->path().filename().string();
    if (!folder.starts_with(kRemoved)) continue;
    const std::string name = name_of_removed(folder);
    bool is_there_again;
    {
      const std::lock_guard lock(mutex_);
      is_there_again = all_.contains(name);
    }
    if (!is_there_again) forget(name);
    fs::remove_all(at->path(), ignored);
  }
}

std::string ServedIndexes::new_snapshot(const std::string& name) const {
  if (is_index_)
    throw Problem(409, "single_index",
                  "the server serves one index, and has no place for snapshots")
        .hint("Run 'benzer snapshot', or start the server with a folder.");
  const fs::path folder = fs::path(root_) / kSnapshots;
  std::error_code error;
  fs::create_directory(folder, error);
  std::string time = time_now();
  std::erase(time, ':');
  const fs::path out = folder / fmt::format("{}-{}", name, time);
  if (error || fs::exists(out, error))
    throw Problem(409, "name_taken", "there is a snapshot of this second already")
        .hint("Try again in a second.");
  return out.string();
}

void ServedIndexes::close() {
  stop_threads();
  const std::lock_guard lock(mutex_);
  std::exception_ptr first;
  for (auto& [name, state] : all_) try {
      if (state.served) state.served->index().close();
    } catch (const Error&) {  // close the others, too
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

}  // namespace benzer::server
