// Tests what a store in Redis promises beyond what every store does, with real servers.
#include "store/redis/redis_store.h"

#include <functional>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "base/test_random.h"
#include "store/redis/lease.h"
#include "store/redis/redis_writer.h"
#include "store/redis_test_util.h"
#include "store/store_test_util.h"

namespace benzer {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class RedisStoreTest : public RedisTest {
 protected:
  static RedisServer& server() {
    static RedisServer shared;
    return shared;
  }
  std::string url() const {
    return server().url(testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  static RedisOptions creating() {
    RedisOptions options;
    options.create_schema = "for a test";
    options.expected_documents = 300;
    options.timeout_seconds = 5;
    return options;
  }
  static std::unique_ptr<Store> open(const std::string& url,
                                     const RedisOptions& options = creating()) {
    return RedisPlace(url, options).open(kOddLayout);
  }
  // Lists the keys of the store, apart from its description.
  std::vector<std::string> keys() const {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    std::istringstream lines(server().cli(fmt::format("--scan --pattern 'benzer:{}:*'", name)));
    std::vector<std::string> out;
    for (std::string line; std::getline(lines, line);)
      if (!line.ends_with(":store")) out.push_back(line);
    return out;
  }
};

void expect_error(const std::function<void()>& call, ErrorCode code,
                  const testing::Matcher<const char*>& sentence) {
  const Error error = error_of(call);
  EXPECT_EQ(error.code(), code) << error.what();
  EXPECT_THAT(error.what(), sentence);
}

TEST_F(RedisStoreTest, RemovalLeavesNoKey) {
  const auto store = open(url());
  TestRandom random(1);
  std::vector<std::string> ids;
  for (int i = 0; i < 300; ++i) {
    ids.push_back("d" + std::to_string(i % 200));  // a third is replaced
    store->writer()->add_hashes(some_document(ids.back(), kOddLayout, random));
  }
  EXPECT_FALSE(keys().empty());
  for (const std::string& id : ids) store->writer()->remove(id);
  EXPECT_THAT(keys(), testing::IsEmpty());
}

// The state that a process leaves that dies between its writes to two servers.
TEST_F(RedisStoreTest, StraysAreNoHitsAndAreSwept) {
  const auto store = open(url());
  TestRandom random(2);
  Model model;
  for (int i = 0; i < 50; ++i) {
    const std::string id = "d" + std::to_string(i);
    model[id] = some_document(id, kOddLayout, random);
    store->writer()->add_hashes(model[id]);
  }
  constexpr std::size_t records = 10;
  const std::string script = fmt::format(
      "local n = 0 for _, k in ipairs(redis.call('KEYS', 'benzer:StraysAreNoHitsAndAreSwept:d*')) "
      "do "
      "if n < {} then n = n + redis.call('DEL', k) end end return n",
      records);
  EXPECT_EQ(server().cli(fmt::format("EVAL \"{}\" 0", script)), std::to_string(records));
  const Model left = contents(*store, false);
  EXPECT_EQ(left.size(), model.size() - records);
  for (const auto& [id, document] : left) EXPECT_EQ(document, model[id]);
  expect_error([&] { store->verify(); }, ErrorCode::kCorrupt,
               AllOf(HasSubstr("postings of no document"), HasSubstr("verify repair")));
  const ScrubReport report = RedisPlace(url(), creating()).repair(kOddLayout);
  EXPECT_EQ(report.documents, left.size());
  EXPECT_GT(report.strays, records);
  EXPECT_EQ(report.torn, 0U);
  store->verify();
  EXPECT_EQ(contents(*store), left);
}

// The state after a failover that has lost the last writes of one server.
TEST_F(RedisStoreTest, TornDocumentsAreMended) {
  const auto store = open(url());
  TestRandom random(3);
  for (int i = 0; i < 50; ++i)
    store->writer()->add_hashes(some_document("d" + std::to_string(i), kOddLayout, random));
  const Model model = contents(*store);
  for (const std::string_view table : {"\\\\0\\\\0\\\\0", "\\\\0\\\\0\\\\b"}) {
    const std::string script = fmt::format(
        "local n = 0 for _, k in ipairs(redis.call('KEYS', "
        "'benzer:TornDocumentsAreMended:b{}*')) do n = n + redis.call('DEL', k) end return n",
        table);
    EXPECT_NE(server().cli(fmt::format("EVAL \"{}\" 0", script)), "0") << table;
    expect_error([&] { store->verify(); }, ErrorCode::kCorrupt, HasSubstr("of which"));
    const ScrubReport report = RedisPlace(url(), creating()).repair(kOddLayout);
    EXPECT_EQ(report.documents, model.size());
    EXPECT_GT(report.torn, 0U);
    EXPECT_GE(report.missing, report.torn);
    EXPECT_EQ(report.strays, 0U);
    store->verify();
    EXPECT_EQ(contents(*store), model);
  }
}

TEST_F(RedisStoreTest, RecordsThatFailTheirChecksAreNoDocuments) {
  const auto store = open(url());
  TestRandom random(4);
  for (int i = 0; i < 20; ++i)
    store->writer()->add_hashes(some_document("d" + std::to_string(i), kOddLayout, random));
  const std::string script =
      "for _, k in ipairs(redis.call('KEYS', "
      "'benzer:RecordsThatFailTheirChecksAreNoDocuments:d*')) do redis.call('SETRANGE', k, 20, "
      "'x') "
      "end return 1";
  EXPECT_EQ(server().cli(fmt::format("EVAL \"{}\" 0", script)), "1");
  EXPECT_TRUE(contents(*store, false).empty());
  const ScrubReport report = RedisPlace(url(), creating()).repair(kOddLayout);
  EXPECT_EQ(report.unreadable, 20U);
  EXPECT_GT(report.strays, 20U);
  store->verify();
  EXPECT_THAT(keys(), testing::IsEmpty());
}

// Several writers keep writing the same few ids. In the end every document is whole: it is one of
// those that were written, and is found by each of its keys.
TEST_F(RedisStoreTest, ManyWritersLoseNothing) {
  constexpr int kWriters = 4;
  std::vector<Model> written(kWriters);
  std::vector<std::thread> writers;
  open(url());
  for (int w = 0; w < kWriters; ++w)
    writers.emplace_back([&, w, where = url()] {
      const auto store = open(where);
      TestRandom random(static_cast<std::uint64_t>(10 + w));
      for (int round = 0; round < 60; ++round) {
        const std::string id = "d" + std::to_string(random.below(5));
        if (random.below(4) == 0) {
          store->writer()->remove(id);
          continue;
        }
        DocumentHashes document = some_document(id, kOddLayout, random);
        store->writer()->add_hashes(document);
        written[static_cast<std::size_t>(w)].emplace(id + "/" + std::to_string(round),
                                                     std::move(document));
      }
    });
  for (std::thread& writer : writers) writer.join();
  const auto store = open(url());
  store->verify();
  for (const auto& [id, document] : contents(*store)) {
    bool is_known = false;
    for (const Model& model : written)
      for (const auto& [name, version] : model) is_known |= version == document;
    EXPECT_TRUE(is_known) << id;
  }
}

TEST_F(RedisStoreTest, OneOfManyMakesIt) {
  std::vector<std::thread> makers;
  for (int i = 0; i < 4; ++i) makers.emplace_back([where = url()] { open(where); });
  for (std::thread& maker : makers) maker.join();
  RedisOptions options = creating();
  options.create_schema.reset();
  EXPECT_EQ(RedisPlace(url(), options).schema(), "for a test");
  expect_error([&] { open(server().url("another"), options); }, ErrorCode::kNoIndex,
               HasSubstr("no index with this name"));
}

TEST_F(RedisStoreTest, AnEvictingServerIsRefused) {
  RedisServer evicting("maxmemory 100mb\nmaxmemory-policy allkeys-lru");
  expect_error(
      [&] { open(evicting.url("s")); }, ErrorCode::kInvalidArgument,
      AllOf(HasSubstr(evicting.address()), HasSubstr("allkeys-lru"), HasSubstr("noeviction")));
  EXPECT_EQ(evicting.cli("DBSIZE"), "0");
  // A policy that is set later is noticed when a client connects anew.
  RedisServer server("");
  const auto store = open(server.url("s"));
  TestRandom random(1);
  store->writer()->add_hashes(some_document("a", kOddLayout, random));
  server.cli("CONFIG SET maxmemory-policy allkeys-random");
  server.cli("CLIENT KILL TYPE normal");
  expect_error([&] { store->writer()->add_hashes(some_document("b", kOddLayout, random)); },
               ErrorCode::kInvalidArgument, HasSubstr("allkeys-random"));
  EXPECT_TRUE(open(server.url("s"), {.read_only = true})->reader()->find("a"));
}

TEST_F(RedisStoreTest, TheDiskLevelNeedsServersThatSync) {
  RedisOptions options = creating();
  options.level = Durability::kDisk;
  expect_error([&] { open(url(), options); }, ErrorCode::kInvalidArgument,
               HasSubstr("has appendonly no, and the level 'disk' needs yes"));
  const RedisServer lazy("appendonly yes\nappendfsync everysec");
  expect_error([&] { open(lazy.url("s"), options); }, ErrorCode::kInvalidArgument,
               HasSubstr("has appendfsync everysec, and the level 'disk' needs always"));
  const RedisServer syncing("appendonly yes\nappendfsync always");
  TestRandom random(1);
  const auto store = open(syncing.url("s"), options);
  const auto writer = store->writer();
  writer->add_hashes(some_document("a", kOddLayout, random));
  EXPECT_EQ(writer->commit().str(), "disk");
}

TEST_F(RedisStoreTest, ReplicasAreCounted) {
  const RedisServer replica(fmt::format("replicaof 127.0.0.1 {}", server().port()));
  RedisOptions options = creating();
  options.level = {Durability::kReplicas, 1};
  options.timeout_seconds = 20;
  TestRandom random(1);
  {
    const auto store = open(url(), options);
    const auto writer = store->writer();
    writer->add_hashes(some_document("a", kOddLayout, random));
    EXPECT_EQ(writer->commit().str(), "replicas:1");
  }
  options.level = {Durability::kReplicas, 2};
  options.timeout_seconds = 1;
  const auto store = open(url(), options);
  expect_error([&] { store->writer()->add_hashes(some_document("b", kOddLayout, random)); },
               ErrorCode::kUnavailable, HasSubstr("1 of 2 replicas"));
}

TEST_F(RedisStoreTest, AnEmptiedServerIsNoticed) {
  RedisServer server("");
  const auto store = open(server.url("s"));
  TestRandom random(1);
  store->writer()->add_hashes(some_document("a", kOddLayout, random));
  server.kill();
  server.start();
  expect_error([&] { store->writer()->add_hashes(some_document("b", kOddLayout, random)); },
               ErrorCode::kNoIndex, HasSubstr("no longer there"));
  expect_error([&] { store->reader()->find("a"); }, ErrorCode::kNoIndex, HasSubstr("no longer"));
  open(server.url("s"));  // another store with the same name
  expect_error([&] { store->reader()->find("a"); }, ErrorCode::kNoIndex,
               HasSubstr("another one has its name"));
}

TEST_F(RedisStoreTest, WrongPasswordsAndMissingRightsAreNamed) {
  const std::string name = "redis://benzer:wrong@" + server().address() + "/s";
  expect_error([&] { open(name); }, ErrorCode::kDenied,
               AllOf(HasSubstr(server().address()), HasSubstr("WRONGPASS"),
                     testing::Not(HasSubstr("wrong@"))));
  server().cli("ACL SETUSER reader on '>pw' '~benzer:*' -@all +get +getrange +hkeys +hlen");
  open(url());
  const std::string reader = fmt::format("redis://reader:pw@{}/{}", server().address(),
                                         "WrongPasswordsAndMissingRightsAreNamed");
  RedisOptions options;
  options.read_only = true;
  EXPECT_EQ(open(reader, options)->reader()->size(), 0U);
  expect_error([&] { open(reader); }, ErrorCode::kInvalidArgument, HasSubstr("+info"));
  options.read_only = false;
  options.password = "secret";
  open(fmt::format("redis://benzer@{}/{}", server().address(),
                   "WrongPasswordsAndMissingRightsAreNamed"),
       options);
}

TEST_F(RedisStoreTest, ALockLetsOneInAtATime) {
  const auto one = open(url());
  const auto two = open(url());
  std::atomic<int> inside = 0;
  std::atomic<int> most = 0;
  const auto enter = [&](Store& store) {
    for (int i = 0; i < 30; ++i) {
      const auto writer = store.writer();
      writer->lock_others();
      const int now = ++inside;
      most = std::max(most.load(), now);
      std::this_thread::yield();
      --inside;
      writer->commit();
    }
  };
  std::thread other([&] { enter(*two); });
  enter(*one);
  other.join();
  EXPECT_EQ(most, 1);
}

// The first one took too long, its lock ended, and another process has one.
TEST_F(RedisStoreTest, ALockOfAnotherIsNotRemoved) {
  const auto store = open(url());
  const std::string key = "benzer:ALockOfAnotherIsNotRemoved:lock";
  const auto lock_and_commit = [&](const std::function<void()>& meanwhile) {
    const auto writer = store->writer();
    writer->lock_others();
    EXPECT_EQ(server().cli("EXISTS " + key), "1");
    meanwhile();
    writer->commit();
  };
  lock_and_commit([&] { server().cli(fmt::format("SET {} another PX 60000", key)); });
  EXPECT_EQ(server().cli("GET " + key), "another");
  server().cli("DEL " + key);
  // Over the same connection, which has seen the key change.
  for (int i = 0; i < 2; ++i) {
    lock_and_commit([] {});
    EXPECT_EQ(server().cli("EXISTS " + key), "0");
  }
  // Without the connection nobody can tell whose lock it is, so it ends by itself.
  lock_and_commit([&] { server().cli("CLIENT KILL TYPE normal"); });
  EXPECT_EQ(server().cli("EXISTS " + key), "1");
  server().cli("DEL " + key);
}

// A writer changes what it has read, or nothing.
TEST_F(RedisStoreTest, WhatOthersHaveChangedStays) {
  TestRandom random(5);
  const auto one = open(url());
  const auto two = open(url());
  const auto put = [&](Store& store, const DocumentHashes& document) {
    const auto writer = store.writer();
    writer->add_hashes(document);
    writer->commit();
  };
  const auto features = [&] {
    const auto reader = two->reader();
    const auto found = reader->find("a");
    return found ? reader->get_hashes(*found).fields : std::vector<FieldHashes>();
  };
  const DocumentHashes first = some_document("a", kOddLayout, random);
  const DocumentHashes second = some_document("a", kOddLayout, random);
  const DocumentHashes third = some_document("a", kOddLayout, random);
  put(*one, first);
  {
    const auto writer = one->writer();
    EXPECT_FALSE(writer->replace_seen(third)) << "nothing was read";
    ASSERT_TRUE(writer->find("a"));
    put(*two, second);
    EXPECT_FALSE(writer->replace_seen(third));
    EXPECT_EQ(features(), second.fields);
    ASSERT_TRUE(writer->find("a"));
    put(*two, first);
    EXPECT_FALSE(writer->remove_seen("a"));
    EXPECT_EQ(features(), first.fields);
    ASSERT_TRUE(writer->find("a"));
    EXPECT_TRUE(writer->replace_seen(third));
    EXPECT_EQ(features(), third.fields);
    ASSERT_TRUE(writer->find("a"));
    EXPECT_TRUE(writer->remove_seen("a"));
    EXPECT_FALSE(writer->remove_seen("a"));
    EXPECT_TRUE(features().empty());
    writer->commit();
  }
  one->verify();  // no entries are left behind
}

// If the end of a write is unknown, and it may not be tried again, it is not said that nothing was
// written.
TEST_F(RedisStoreTest, AWriteOfUnknownEndMayBeThere) {
  const auto store = open(url());
  const std::string name = "AWriteOfUnknownEndMayBeThere";
  const auto access = std::make_shared<redis::Access>();
  access->url = redis::Url::parse(url());
  redis::Client client(access);
  const redis::Meta meta = redis::Meta::parse(*redis::read_meta(client, name), name);
  const redis::Settings settings{access, redis::Layout(name, kOddLayout, meta), meta};
  redis::Session session(settings);
  redis::Lease lease(session);
  lease.check(false);
  lease.check(true);
  std::this_thread::sleep_for(std::chrono::milliseconds(5'100));  // half of its length

  TestRandom random(6);
  const DocumentHashes document = some_document("a", kOddLayout, random);
  const DocumentHashes* const one = &document;
  std::vector<bool> calls;
  const auto add = [&](const redis::RedisWriter::Permit& permit) {
    redis::RedisWriter writer(session);
    writer.add({&one, 1}, permit);
  };
  expect_error([&] { add([&](bool was_tried) { lease.check(was_tried); }); }, ErrorCode::kBusy,
               HasSubstr("nothing was added"));
  EXPECT_FALSE(store->reader()->find("a"));
  const auto lose_the_answer = [&](bool was_tried) {
    calls.push_back(was_tried);
    if (was_tried) lease.check(was_tried);
    server().cli("CLIENT KILL TYPE normal");
  };
  expect_error([&] { add(lose_the_answer); }, ErrorCode::kUnavailable,
               AllOf(HasSubstr("it may be in the index"), HasSubstr("try again")));
  EXPECT_EQ(calls, (std::vector<bool>{false, true}));
  const auto reader = store->reader();
  const auto found = reader->find("a");
  ASSERT_TRUE(found);
  EXPECT_EQ(reader->get_hashes(*found), document);
  store->verify();
}

TEST_F(RedisStoreTest, ALockNeedsARightThatIsNamedFirst) {
  server().cli("ACL SETUSER nowatch on '>pw' '~benzer:*' +@all -watch");
  const auto store = open(fmt::format("redis://nowatch:pw@{}/{}", server().address(),
                                      "ALockNeedsARightThatIsNamedFirst"));
  expect_error([&] { store->writer()->lock_others(); }, ErrorCode::kDenied, HasSubstr("watch"));
}

}  // namespace
}  // namespace benzer
