#include "kept_documents.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "io/io_test_util.h"

namespace benzer::server {
namespace {

using Row = KeptDocuments::Row;

void put_all(KeptDocuments& kept, const std::vector<Row>& rows) { kept.put(rows); }

TEST(KeptDocuments, AreGivenBackAsTheyWerePutIn) {
  const TestFolder folder;
  const std::string file = folder / "kept";
  EXPECT_FALSE(KeptDocuments::is_there(file));
  const std::string zero("a\0b", 3);
  {
    KeptDocuments kept(file);
    EXPECT_TRUE(KeptDocuments::is_there(file));
    EXPECT_EQ(kept.size().documents, 0u);
    put_all(kept, {{"1", "{\"text\":\"one\"}"}, {zero, "{}"}, {"\xFF", "{\"a\":\"\xC3\xA4\"}"}});
    put_all(kept, {{"1", "{\"text\":\"two\"}"}});  // replaces the first
    EXPECT_EQ(kept.size().documents, 3u);
  }
  const KeptDocuments again(file);
  EXPECT_EQ(again.get("1"), "{\"text\":\"two\"}");
  EXPECT_EQ(again.get(zero), "{}");
  EXPECT_EQ(again.get("\xFF"), "{\"a\":\"\xC3\xA4\"}");
  for (const std::string_view id : {"", "2", "a", "A"})
    EXPECT_EQ(again.get(id), std::nullopt) << id;
  EXPECT_EQ(again.size().documents, 3u);
  EXPECT_GE(again.size().bytes, 3u * 4096);  // pages of the table, its index and the schema
}

TEST(KeptDocuments, AreRemoved) {
  const TestFolder folder;
  KeptDocuments kept(folder / "kept");
  put_all(kept, {{"a", "{}"}, {"b", "{}"}, {"c", "{}"}});
  kept.remove(std::vector<std::string>{"a", "nothing", "c"});
  EXPECT_EQ(kept.get("a"), std::nullopt);
  EXPECT_EQ(kept.get("b"), "{}");
  EXPECT_EQ(kept.get("c"), std::nullopt);
  EXPECT_EQ(kept.size().documents, 1u);
}

TEST(KeptDocuments, AllAreStoredOrNone) {
  const TestFolder folder;
  KeptDocuments kept(folder / "kept");
  put_all(kept, {{"a", "{}"}});
  // SQLite takes a view with a null pointer for NULL, which the table refuses.
  EXPECT_EQ(error_of([&] {
              put_all(kept, {{"a", "{\"new\":1}"}, {"b", "{}"}, {"c", std::string_view()}});
            }).code(),
            ErrorCode::kStorageFailed);
  EXPECT_EQ(kept.get("a"), "{}");
  EXPECT_EQ(kept.get("b"), std::nullopt);
  put_all(kept, {{"b", "{}"}});  // later writes succeed
  EXPECT_EQ(kept.size().documents, 2u);
}

TEST(KeptDocuments, AreCopied) {
  const TestFolder folder;
  KeptDocuments kept(folder / "kept");
  put_all(kept, {{"a", "{}"}, {"b", "{}"}});
  kept.copy_to(folder / "copy");
  put_all(kept, {{"c", "{}"}});
  KeptDocuments copy(folder / "copy");
  copy.verify();
  EXPECT_EQ(copy.size().documents, 2u);
  EXPECT_EQ(copy.get("a"), "{}");
  EXPECT_EQ(copy.get("c"), std::nullopt);
  EXPECT_EQ(error_of([&] { kept.copy_to(folder / "copy"); }).code(), ErrorCode::kStorageFailed)
      << "a file that is there stays as it is";
}

TEST(KeptDocuments, AFileThatIsNoDatabaseIsDamaged) {
  const TestFolder folder;
  const std::string file = folder.write("kept", std::string(8192, 'x'));
  const KeptDocuments kept(file);  // opens it when it is used
  EXPECT_EQ(error_of([&] { kept.get("a"); }).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(error_of([&] { kept.verify(); }).code(), ErrorCode::kCorrupt);
  EXPECT_EQ(error_of([&] { KeptDocuments other(folder / "no/folder/kept"); }).code(),
            ErrorCode::kStorageFailed);
}

TEST(KeptDocuments, DamageIsFoundByVerifying) {
  const TestFolder folder;
  const std::string file = folder / "kept";
  {
    KeptDocuments kept(file);
    const std::string json = "{\"text\":\"" + std::string(1000, 'x') + "\"}";
    for (int i = 0; i < 100; ++i) {
      const std::string id = std::to_string(i);
      put_all(kept, {{id, json}});
    }
    kept.verify();
  }
  // Page 2 is the root of the table; 0xFF is not a type of page.
  std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(4096).write("\xFF", 1);
  const KeptDocuments kept(file);
  EXPECT_EQ(error_of([&] { kept.verify(); }).code(), ErrorCode::kCorrupt);
}

TEST(KeptDocuments, AreReadWhileOthersWrite) {
  const TestFolder folder;
  KeptDocuments kept(folder / "kept");
  put_all(kept, {{"a", "{\"n\":0}"}, {"b", "{\"n\":0}"}});
  std::thread writer([&] {
    for (int i = 1; i <= 50; ++i) {
      const std::string json = "{\"n\":" + std::to_string(i) + "}";
      put_all(kept, {{"a", json}, {"b", json}});
    }
  });
  std::size_t seen = 0;
  for (int i = 0; i < 200; ++i)
    if (const auto json = kept.get("a")) seen += json->starts_with("{\"n\":");
  writer.join();
  EXPECT_EQ(seen, 200u);
  EXPECT_EQ(kept.get("a"), "{\"n\":50}");
  EXPECT_EQ(kept.get("b"), "{\"n\":50}");
}

}  // namespace
}  // namespace benzer::server
