// Runs writers and readers of a store in Redis while something fails, and checks that their answers
// are right at any time.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "redis_ledger_test_util.h"

namespace benzer {

// Longer than any step takes on the slowest machine.
inline constexpr std::chrono::seconds kPatience{120};

// Returns true as soon as is_so() does, and false if it does not within kPatience.
inline bool wait_until(const std::function<bool()>& is_so) {
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// Errors that a fault may cause, each with the advice that its message must contain.
using Excuses = std::map<ErrorCode, std::string>;

struct TrafficPlan {
  std::string url;
  WriteLevel level{Durability::kMemory};
  std::uint64_t seed = 0;
  double timeout_seconds = 60;  // so long that a passing fault causes no error
  Excuses excuses = {};
  std::string bands = "8x4";
  int run = 0;  // number of the run in for_each_run()
};

class Traffic {
 public:
  static OpenOptions options(const TrafficPlan& plan) {
    OpenOptions out;
    out.create_with = Schema::parse(
        fmt::format("text=text:word1 | fss:64 | bands:{} | min:0.8 | recall:0.9", plan.bands));
    out.durability = plan.level;
    out.server.timeout_seconds = plan.timeout_seconds;
    out.server.expected_documents = 4'000;  // few groups of postings, so that documents share them
    return out;
  }

  explicit Traffic(const TrafficPlan& plan) : plan_(plan), texts_(plan.seed) {
    for (unsigned i = 0; i < kWriters + kReaders; ++i)
      workers_.push_back(std::make_unique<Worker>(Index::open(plan.url, options(plan))));
    for (unsigned i = 0; i < workers_.size(); ++i)
      workers_[i]->thread = std::thread([this, i] { i < kWriters ? write(i) : read(i); });
    await_progress("before the fault");
  }
  ~Traffic() { stop(); }
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

  // From now on writers change none of the documents that exist, so that later writes do not hide a
  // loss.
  void turn_the_page() { ++page_; }

  // Waits until every worker has succeeded several times since the call.
  void await_progress(const std::string& when, bool of_readers_only = false) {
    constexpr int kSuccesses = 4;  // the first call may have begun earlier
    for (unsigned i = of_readers_only ? kWriters : 0; i < workers_.size(); ++i) {
      const int before = workers_[i]->successes;
      if (!wait_until([&] { return workers_[i]->successes >= before + kSuccesses; }))
        note(fmt::format("worker {} makes no progress {}", i, when));
    }
  }
  // Waits until every worker has met the fault.
  void await_errors(bool of_writers_only = false) {
    for (unsigned i = 0; i < (of_writers_only ? kWriters : workers_.size()); ++i)
      if (!wait_until([&] { return workers_[i]->errors > 0; }))
        note(fmt::format("worker {} has met no error", i));
  }

  const Texts& texts() const noexcept { return texts_; }
  Ledger& ledger() noexcept { return ledger_; }
  void note(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    if (++problem_count_ <= 10) problems_ += problem + "\n";
  }

  // Ends the traffic, checks all documents, repairs the store and checks again. Returns all
  // problems since the beginning; empty if there were none.
  std::string finish() {
    stop();
    look("before the repair");
    std::string repaired = "nothing";
    attempt([&] {
      ServerOptions server;
      server.timeout_seconds = plan_.timeout_seconds;
      const RepairReport report = repair_index(plan_.url, {}, server);
      for (const RepairReport::File& file : report.files) {
        repaired = file.problem;
        if (file.lost > 0 || file.saved > 0) note("repaired: " + file.problem);
      }
      workers_[0]->index.verify();
    });
    look("after the repair");
    attempt([&] {
      std::set<std::string> ids;
      workers_[0]->index.for_each_id([&](std::string_view id) { ids.emplace(id); });
      if (workers_[0]->index.size() != ids.size())
        note(fmt::format("{} documents, and {} in the directory", ids.size(),
                         workers_[0]->index.size()));
      for (const std::uint64_t number : ledger_.numbers()) {
        const std::vector<int> possible = ledger_.possible_now(number);
        const bool is_there = ids.erase(Texts::id(number)) == 1;
        if (is_there ? possible == std::vector{Ledger::kGone} : !contains(possible, Ledger::kGone))
          note(fmt::format("{} is {}there", Texts::id(number), is_there ? "" : "not "));
      }
      for (const std::string& id : ids) note(id + " was never written");
    });
    int successes = 0, errors = 0;
    for (const auto& worker : workers_) {
      successes += worker->successes;
      errors += worker->errors;
    }
    std::cout << fmt::format("{} documents, {} calls, {} errors; repaired: {}\n",
                             ledger_.numbers().size(), successes, errors, repaired);
    if (problem_count_ > 10) problems_ += fmt::format("... {} in all\n", problem_count_);
    return problems_;
  }

 private:
  static constexpr unsigned kWriters = 2, kReaders = 2;
  static constexpr std::uint64_t kDocuments = 400;  // of each writer, until turn_the_page()

  struct Worker {
    explicit Worker(Index opened) : index(std::move(opened)) {}
    Index index;
    std::atomic<int> successes = 0, errors = 0;
    std::thread thread;
  };

  static bool contains(const std::vector<int>& versions, int version) {
    return std::find(versions.begin(), versions.end(), version) != versions.end();
  }

  void stop() {
    is_over_ = true;
    for (const auto& worker : workers_)
      if (worker->thread.joinable()) worker->thread.join();
  }

  // Notes every exception: after the fault is over, no call may fail.
  void attempt(const std::function<void()>& call) {
    try {
      call();
    } catch (const std::exception& error) {
      note(fmt::format("after the fault: {}", error.what()));
    }
  }

  // Returns whether the call succeeded. Notes an error that the fault does not excuse.
  bool call(Worker& worker, const std::function<void()>& action) {
    try {
      action();
      ++worker.successes;
      return true;
    } catch (const Error& error) {
      ++worker.errors;
      const std::string sentence = error.what();
      const auto excuse = plan_.excuses.find(error.code());
      if (excuse == plan_.excuses.end())
        note(
            fmt::format("an error that does not fit ({}): {}", error_name(error.code()), sentence));
      else if (sentence.find("127.0.0.1:") == std::string::npos ||
               sentence.find(excuse->second) == std::string::npos)
        note("it does not say where, or what to do: " + sentence);
    } catch (const std::exception& error) {
      note(error.what());
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return false;
  }

  // Adds, replaces and removes documents; tries a call that failed again, or gives up on it.
  void write(unsigned which) {
    Worker& worker = *workers_[which];
    TestRandom random(plan_.seed + which);
    std::uint64_t first = which * 100'000;
    std::vector<int> versions;  // of the documents `first` and those that follow it
    for (int page = page_; !is_over_;) {
      if (page != page_) {
        page = page_;
        first += versions.size();
        versions.clear();
      }
      const bool removes = !versions.empty() && random.below(4) == 0;
      const std::uint64_t size = random.below(8) == 0 ? 600 : 1 + random.below(40);
      std::set<std::uint64_t> picked;
      for (std::uint64_t i = 0; i < (removes ? 1 + size / 8 : size); ++i) {
        const bool is_new =
            !removes && versions.size() < kDocuments && (versions.empty() || random.below(3) > 0);
        if (is_new) versions.push_back(-1);
        picked.insert(is_new ? versions.size() - 1 : random.below(versions.size()));
      }
      std::vector<std::uint64_t> numbers;
      std::vector<std::string> ids;
      std::vector<Document> documents;
      std::vector<std::vector<int>> before;
      for (const std::uint64_t local : picked) {
        const std::uint64_t number = first + local;
        numbers.push_back(number);
        ids.push_back(Texts::id(number));
        before.push_back(ledger_.possible_now(number));
        if (!removes) documents.push_back(texts_.document(number, ++versions[local]));
        ledger_.issue(number, removes ? Ledger::kGone : versions[local]);
      }
      bool is_first = true;
      const auto expect = [&](std::size_t i, bool was_there) {
        if (is_first && before[i].size() == 1 && was_there != (before[i][0] != Ledger::kGone))
          note(fmt::format("{} {} there when it was {}", ids[i], was_there ? "was" : "was not",
                           removes ? "removed" : "written"));
      };
      for (; !is_over_; is_first = false) {
        const bool is_done = call(worker, [&] {
          if (removes) {
            const std::vector<bool> removed = worker.index.remove(ids);
            for (std::size_t i = 0; i < ids.size(); ++i) expect(i, removed[i]);
          } else {
            const std::vector<IndexResult> results = worker.index.index_documents(documents);
            for (std::size_t i = 0; i < ids.size(); ++i) {
              expect(i, results[i].outcome == IndexResult::Outcome::kReplaced);
              if (results[i].outcome == IndexResult::Outcome::kRefused ||
                  results[i].reached.durability != plan_.level.durability ||
                  results[i].reached.replicas < plan_.level.replicas)
                note(fmt::format("{} has reached {} only", ids[i], results[i].reached.str()));
            }
          }
          ledger_.acknowledge(numbers);
        });
        if (is_done || random.below(2) == 0) break;
      }
    }
  }

  // Queries with texts that were written, unchanged or slightly changed.
  void read(unsigned which) {
    Worker& worker = *workers_[which];
    TestRandom random(plan_.seed + which);
    while (!is_over_) {
      const auto number = ledger_.some_number(random);
      const std::vector<int> versions =
          number ? ledger_.possible_now(*number) : std::vector{Ledger::kGone};
      const int version = versions[random.below(versions.size())];
      // A removed document is asked for, too: it must not come back.
      const Words written = texts_.words(number.value_or(0), std::max(version, 0));
      const Words asked = Texts::changed(written, random.below(2) * random.below(6), random);
      call(worker, [&] {
        const Ledger::Time begin = ledger_.now();
        const std::vector<Match> matches =
            worker.index.find_similar_documents(question(asked), kAll);
        const Ledger::Time end = ledger_.now();
        check_scores(asked, matches, begin, end);
        if (asked == written && version != Ledger::kGone &&
            ledger_.possible(*number, begin, end) == std::vector{version} &&
            !finds(matches, *number))
          note(Texts::id(*number) + " is not found by what it says, while others write");
      });
    }
  }

  static Document question(const Words& words) {
    return {"", {Field::of_text("text", text_of(words))}};
  }
  static bool finds(const std::vector<Match>& matches, std::uint64_t number) {
    return std::any_of(matches.begin(), matches.end(), [&](const Match& match) {
      return match.id == Texts::id(number) && match.score == 1;
    });
  }

  // Checks that each match has the score of a text that its document may have had at the time.
  void check_scores(const Words& asked, const std::vector<Match>& matches, Ledger::Time begin,
                    Ledger::Time end) {
    for (const Match& match : matches) {
      const std::uint64_t number = Texts::number(match.id);
      const std::vector<int> possible = ledger_.possible(number, begin, end);
      if (std::none_of(possible.begin(), possible.end(), [&](int version) {
            return version != Ledger::kGone &&
                   std::abs(similarity(asked, texts_.words(number, version)) - match.score) < 1e-9;
          }))
        note(fmt::format("a wrong hit: {} with score {}; its version is one of {}", match.id,
                         match.score, fmt::join(possible, ", ")));
    }
  }

  // Checks that every document that must exist is found by its text, and that all matches are
  // right.
  void look(const std::string& when) {
    attempt([&] {
      struct Asked {
        std::uint64_t number;
        Words words;
      };
      std::vector<Asked> asked;
      std::vector<Document> questions;
      std::map<std::uint64_t, bool> is_found;
      for (const std::uint64_t number : ledger_.numbers()) {
        const std::vector<int> possible = ledger_.possible_now(number);
        if (!contains(possible, Ledger::kGone)) is_found[number] = false;
        for (const int version : possible) {
          if (version == Ledger::kGone) continue;
          asked.push_back({number, texts_.words(number, version)});
          questions.push_back(question(asked.back().words));
        }
      }
      const Ledger::Time time = ledger_.now();
      const auto answers = workers_[0]->index.find_similar_documents(questions, kAll);
      for (std::size_t i = 0; i < asked.size(); ++i) {
        check_scores(asked[i].words, answers[i], time, time);
        if (finds(answers[i], asked[i].number)) is_found[asked[i].number] = true;
      }
      for (const auto& [number, found] : is_found)
        if (!found)
          note(fmt::format("{} was acknowledged, and is not found {} ({} there)", Texts::id(number),
                           when,
                           workers_[0]->index.contains(Texts::id(number)) ? "it is" : "it is not"));
    });
  }

  const SimilarOptions kAll{.limit = 1'000};
  const TrafficPlan plan_;
  const Texts texts_;
  Ledger ledger_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> page_ = 0;
  std::mutex mutex_;
  std::string problems_;
  int problem_count_ = 0;
};

// Calls `body` BENZER_REDIS_FAULT_RUNS times, each time with another seed and an index of its own;
// BENZER_TEST_SEED is the seed of the first one, from which the others follow.
template <class Server>
void for_each_run(const std::string& name, const Server& server, WriteLevel level,
                  const std::function<void(TrafficPlan plan, TestRandom& random)>& body) {
  const auto count = static_cast<int>(test_amount("BENZER_REDIS_FAULT_RUNS", 2));
  const std::uint64_t first = test_seed(std::random_device{}());
  for (int run = 0; run < count; ++run) {
    const std::uint64_t seed = first + static_cast<std::uint64_t>(run);
    std::cout << fmt::format("{}, run {} of {}, seed {}: ", name, run + 1, count, seed)
              << std::flush;
    TestRandom random(seed);
    TrafficPlan plan{server.url(fmt::format("{}-{}", name, run)), level, seed};
    plan.run = run;
    body(plan, random);
  }
}

}  // namespace benzer
