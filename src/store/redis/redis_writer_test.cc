// Tests writes that take long, and writers and scrubs that meet others in the worst moment.
#include "store/redis/redis_writer.h"

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "base/test_random.h"
#include "store/redis/redis_store.h"
#include "store/redis/relay_test_util.h"
#include "store/redis/session_test_util.h"

namespace benzer {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using Words = RelayServer::Words;

class RedisWriterTest : public RedisSessionTest {
 protected:
  static RedisPlace place(const std::string& url, double timeout_seconds = 5) {
    RedisOptions options;
    options.create_schema = "for a test";
    options.expected_documents = 300;
    options.timeout_seconds = timeout_seconds;
    return RedisPlace(url, options);
  }
  static std::unique_ptr<Store> open() { return place(server().url(name())).open(kOddLayout); }
  // A writer of the store that open() has made, whose permits a test gives.
  struct Writing {
    std::shared_ptr<redis::Access> access = std::make_shared<redis::Access>();
    redis::Settings settings;
    redis::Session session;
    redis::RedisWriter writer;

    Writing() : settings(settings_of(access)), session(settings), writer(session) {}
    std::vector<bool> add(const std::vector<DocumentHashes>& documents,
                          const redis::RedisWriter::Permit& permit) {
      std::vector<const DocumentHashes*> all;
      for (const DocumentHashes& document : documents) all.push_back(&document);
      return writer.add(all, permit);
    }
  };
};

// Has a field, and so postings.
DocumentHashes document_with_keys(const std::string& id, TestRandom& random) {
  DocumentHashes out{id, {}};
  out.fields.push_back(some_field(0, kOddLayout, random));
  return out;
}

// Waits before the postings, before the record and before it is changed, each time for less than
// what ends a connection, but longer than a write should take in all. The first few times: a writer
// that never ends would hang the test.
class SlowRelay {
 public:
  void operator()(const Words& words) {
    const std::string& command = words.front();
    const bool is_step =
        command == "SET" || command == "WATCH" || (command == "HSET" && last_ != "HSET");
    last_ = command;
    if (is_step && ++steps_ <= 12) std::this_thread::sleep_for(milliseconds(1'200));
  }

 private:
  std::string last_;
  int steps_ = 0;
};

TEST_F(RedisWriterTest, ASlowWriteEnds) {
  const auto store = open();
  TestRandom random(1);
  const DocumentHashes document = document_with_keys("a", random);
  std::vector<bool> calls;
  Writing writing;
  const auto permit = [&](bool was_tried) {
    calls.push_back(was_tried);
    if (calls.size() > 3) throw std::runtime_error("it is written again and again");
    std::this_thread::sleep_for(redis::kLongestWrite + milliseconds(100));
  };
  EXPECT_EQ(writing.add({document}, permit), std::vector<bool>{false});
  EXPECT_EQ(calls, (std::vector<bool>{false, true}));
  EXPECT_EQ(contents(*store), (Model{{"a", document}}));
  store->verify();
}

TEST_F(RedisWriterTest, AScrubTakesThePostingsOfASlowWrite) {
  const auto store = open();
  TestRandom random(2);
  const DocumentHashes document = document_with_keys("a", random);
  Writing writing;
  const auto permit = [&](bool was_tried) {
    if (was_tried) return;
    EXPECT_GT(place(server().url(name())).repair(kOddLayout).strays, 0U);
  };
  writing.add({document}, permit);
  EXPECT_EQ(contents(*store), (Model{{"a", document}}));
  store->verify();
}

TEST_F(RedisWriterTest, ASlowWriteThatIsReplacedLeavesNoPostings) {
  const auto store = open();
  TestRandom random(3);
  const DocumentHashes first = document_with_keys("a", random);
  const DocumentHashes second = document_with_keys("a", random);
  bool has_record = false, is_replaced = false;
  SlowRelay slow;
  const auto replace = [&](const Words& words) {
    slow(words);
    has_record |= words.front() == "SET";
    if (!has_record || words.front() != "HSET" || is_replaced) return;
    is_replaced = true;
    store->writer()->add_hashes(second);
  };
  const RelayServer relay(server(), {.before = replace});
  place(relay.url(name())).open(kOddLayout)->writer()->add_hashes(first);
  EXPECT_TRUE(is_replaced) << "the postings were not written again";
  EXPECT_EQ(relay.count("SET"), 1) << "the record was";
  EXPECT_EQ(contents(*store), (Model{{"a", second}}));
  store->verify();
}

TEST_F(RedisWriterTest, ASlowChangeEnds) {
  const auto store = open();
  TestRandom random(4);
  store->writer()->add_hashes(document_with_keys("a", random));
  const DocumentHashes second = document_with_keys("a", random);
  {
    const RelayServer relay(server(), {.before = SlowRelay()});
    const auto through_relay = place(relay.url(name())).open(kOddLayout);
    const auto writer = through_relay->writer();
    ASSERT_TRUE(writer->find("a"));
    EXPECT_TRUE(writer->replace_seen(second));
    EXPECT_EQ(relay.count("EXEC"), 1);
  }
  EXPECT_EQ(contents(*store), (Model{{"a", second}}));
  store->verify();
}

TEST_F(RedisWriterTest, AWriteGivesUpWhenConnectionsKeepBreaking) {
  open();
  TestRandom random(5);
  const auto begun = std::chrono::steady_clock::now();
  bool breaks = false;
  // Every other time, so that the record is written at the second try.
  const auto breaks_after = [&](const Words& words) {
    if (words.front() != "SET" || std::chrono::steady_clock::now() - begun > milliseconds(6'000))
      return false;
    return breaks = !breaks;
  };
  const RelayServer relay(server(), {.breaks_after = breaks_after});
  const auto store = place(relay.url(name()), 1).open(kOddLayout);
  breaks = false;
  const Error error =
      error_of([&] { store->writer()->add_hashes(document_with_keys("a", random)); });
  EXPECT_EQ(error.code(), ErrorCode::kUnavailable) << error.what();
  EXPECT_THAT(error.what(), AllOf(HasSubstr("connections break"), HasSubstr("127.0.0.1:"),
                                  HasSubstr("write it again")));
}

TEST_F(RedisWriterTest, PiecesAreDividedByBytes) {
  const auto store = open();
  TestRandom random(6);
  std::vector<DocumentHashes> documents;
  for (const std::string id : {"a", "b", "c"}) {
    documents.push_back(document_with_keys(id, random));
    std::vector<std::uint64_t>& features = documents.back().fields[0].features;
    features.resize(700'000);  // 5.6 MB
    std::iota(features.begin(), features.end(), 1);
  }
  for (int i = 0; i < 20; ++i)
    documents.push_back(document_with_keys("d" + std::to_string(i), random));
  int pieces = 0;
  Writing writing;
  const std::vector<bool> replaced =
      writing.add(documents, [&](bool was_tried) { pieces += !was_tried; });
  EXPECT_EQ(replaced, std::vector<bool>(documents.size()));
  EXPECT_EQ(pieces, 3) << "the short ones go with the last long one";
  std::vector<std::string> ids;
  for (const DocumentHashes& document : documents) ids.push_back(document.id);
  EXPECT_EQ(store->reader()->size(), documents.size());
  EXPECT_EQ(store->writer()->remove_all(ids), std::vector<bool>(ids.size(), true));
  EXPECT_EQ(store->reader()->size(), 0U);
  store->verify();
}

// Another client writes a document anew whose damaged record a scrub is about to remove, and the
// connection of the scrub breaks.
TEST_F(RedisWriterTest, AScrubRemovesNoRecordThatWasWrittenMeanwhile) {
  const auto store = open();
  TestRandom random(7);
  const DocumentHashes first = document_with_keys("a", random);
  const DocumentHashes second = document_with_keys("a", random);
  store->writer()->add_hashes(first);
  const std::string script = fmt::format(
      "for _, k in ipairs(redis.call('KEYS', 'benzer:{}:d*')) do redis.call('SETRANGE', k, 14, "
      "'x') end return 1",
      name());
  ASSERT_EQ(server().cli(fmt::format("EVAL \"{}\" 0", script)), "1");
  const auto is_removal = [](const Words& words) {
    return words.front() == "GETDEL" || words.front() == "MULTI";
  };
  bool is_written = false, has_broken = false;
  const auto write = [&](const Words& words) {
    if (!is_removal(words) || is_written) return;
    is_written = true;
    store->writer()->add_hashes(second);
  };
  const auto breaks_after = [&](const Words& words) {
    const bool breaks = is_removal(words) && !has_broken;
    has_broken |= breaks;
    return breaks;
  };
  const RelayServer relay(server(), {.before = write, .breaks_after = breaks_after});
  const ScrubReport report = place(relay.url(name())).repair(kOddLayout);
  EXPECT_TRUE(is_written);
  EXPECT_EQ(report.unreadable, 0U);
  EXPECT_EQ(contents(*store, false), (Model{{"a", second}}));
}

}  // namespace
}  // namespace benzer
