#include "keys.h"

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"

namespace benzer::server {
namespace {

// SHA-256 of "abc", as FIPS 180-2 has it.
constexpr std::string_view kHashOfAbc =
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

Scope scope_of(const Keys& keys, std::string_view authorization) {
  const auto key = keys.find(authorization, 0);
  return key ? key->scope : Scope::kNone;
}

// Writes a file that only its owner may use.
std::string write_secret(const TestFolder& folder, std::string_view text) {
  const std::string file = folder.write("keys", std::string(text));
  std::filesystem::permissions(file, std::filesystem::perms(0600));
  return file;
}

TEST(Keys, AreReadFromAFileOfHashes) {
  const TestFolder folder;
  const Keys keys = Keys::read(
      write_secret(folder, "# who may read\n\nwrite " + std::string(kHashOfAbc) + " # a note\n"));
  EXPECT_FALSE(keys.empty());
  EXPECT_EQ(scope_of(keys, "Bearer abc"), Scope::kWrite);
  EXPECT_EQ(scope_of(keys, "Bearer abd"), Scope::kNone);
  // The hashes in the file are not valid as keys.
  EXPECT_EQ(scope_of(keys, "Bearer " + std::string(kHashOfAbc)), Scope::kNone);
}

TEST(Keys, AFileThatIsNotUnderstoodIsRefusedWithItsLine) {
  const TestFolder folder;
  const std::string hash(kHashOfAbc), good = "read " + hash + "\n";
  std::string capitals = hash;
  capitals[0] = 'B';
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", ": it contains no keys"},
      {"# none\n\n", ": it contains no keys"},
      {"none " + hash + "\n", ":1: "},
      {"Read " + hash + "\n", ":1: "},
      {"owner " + hash + "\n", ":1: "},
      {hash + "\n", ":1: "},
      {" " + hash + "\n", ":1: "},
      {"read\n", ":1: "},
      {"read " + hash.substr(1) + "\n", ":1: "},
      {"read  " + hash + "\n", ":1: "},
      {"read " + capitals + "\n", ":1: "},
      {"read g" + hash.substr(1) + "\n", ":1: "},
      {good + "# more\n" + "read abc\n", ":3: "},
      {"read " + hash + " a note\n", ":1: "},
      {"read " + hash + "name=a\n", ":1: "},
      {"read " + hash + " name=\n", ":1: "},
      {"read " + hash + " nmae=a\n", ":1: "},
      {"read " + hash + " indexes=a,,b\n", ":1: "},
      {"read " + hash + " indexes=a/b\n", ":1: "},
      {"read " + hash + " indexes=a\r\n", ":1: "},
      {"read " + hash + " name=a indexes=b#c expires=2027-01-31\n", ":1: "},
      {"read " + hash + " expires=2027-01-31 expires=2028-01-31\n", ":1: "},
      {"read " + hash + " expire=2027-01-31\n", ":1: "},
      {"read " + hash + " expires=2027-02-29\n", ":1: "},
      {"read " + hash + " expires=2027-1-31\n", ":1: "},
      {"read " + hash + " expires=31.01.2027\n", ":1: "},
      {"read " + hash + " expires=2027--1-31\n", ":1: "},
  };
  for (const auto& [text, where] : rows) {
    SCOPED_TRACE(text);
    const std::string file = write_secret(folder, text);
    try {
      Keys::read(file);
      ADD_FAILURE() << "it was taken";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      EXPECT_TRUE(std::string_view(error.what()).starts_with(file + where)) << error.what();
    }
  }
  try {
    Keys::read(folder / "nothing");
    ADD_FAILURE() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
  }
}

TEST(Keys, HaveNamesIndexesAndAnEnd) {
  const TestFolder folder;
  const Keys keys = Keys::read(write_secret(
      folder,
      "read " + std::string(kHashOfAbc) +
          " name=crawler#1  indexes=news,mail expires=2027-01-31 #of Anna = expires=never\n"));
  constexpr std::int64_t kEnd = 1'801'353'600;  // date -u -d 2027-01-31 +%s
  const auto key = keys.find("Bearer abc", kEnd - 1);
  ASSERT_NE(key, nullptr);
  EXPECT_EQ(key->name, "crawler#1");
  EXPECT_EQ(key->expires, "2027-01-31");
  EXPECT_EQ(key->indexes, (std::vector<std::string>{"news", "mail"}));
  EXPECT_TRUE(key->is_for("mail"));
  EXPECT_FALSE(key->is_for("mai"));
  EXPECT_TRUE(Key().is_for("mai"));
  EXPECT_EQ(keys.find("Bearer abc", kEnd), nullptr);
}

TEST(Keys, AFileThatOthersMayUseIsRefused) {
  const TestFolder folder;
  const std::string file = write_secret(folder, "read " + std::string(kHashOfAbc) + "\n");
  for (const unsigned mode : {0640U, 0604U, 0620U, 0602U, 0666U}) {
    std::filesystem::permissions(file, std::filesystem::perms(mode));
    try {
      Keys::read(file);
      ADD_FAILURE() << std::oct << mode << " was taken";
    } catch (const Error& error) {
      EXPECT_NE(std::string_view(error.what()).find("chmod 600"), std::string_view::npos);
    }
  }
  std::filesystem::permissions(file, std::filesystem::perms(0400));
  EXPECT_FALSE(Keys::read(file).empty());
}

TEST(Keys, AreAskedForByABearer) {
  Keys keys;
  EXPECT_TRUE(keys.empty());
  keys.add(Scope::kRead, "k");
  EXPECT_FALSE(keys.empty());
  const std::vector<std::pair<std::string, Scope>> rows = {
      {"Bearer k", Scope::kRead},  {"bearer k", Scope::kRead},  {"BEARER   k", Scope::kRead},
      {"", Scope::kNone},          {"k", Scope::kNone},         {"Bearer", Scope::kNone},
      {"Bearer ", Scope::kNone},   {"Bearerk", Scope::kNone},   {"Basic k", Scope::kNone},
      {"Bearer K", Scope::kNone},  {"Bearer k ", Scope::kNone}, {"Bearer kk", Scope::kNone},
      {" Bearer k", Scope::kNone},
  };
  for (const auto& [header, scope] : rows) EXPECT_EQ(scope_of(keys, header), scope) << header;
}

TEST(Keys, OneThatIsThereTwiceMayDoWhatEitherMay) {
  Keys keys;
  for (const Scope scope : {Scope::kRead, Scope::kAdmin, Scope::kWrite}) keys.add(scope, "k");
  keys.add(Scope::kRead, "r");
  EXPECT_EQ(scope_of(keys, "Bearer k"), Scope::kAdmin);
  EXPECT_EQ(scope_of(keys, "Bearer r"), Scope::kRead);
}

TEST(Keys, WhatIsMadeIsReadAgain) {
  const TestFolder folder;
  std::set<std::string> made;
  for (const Scope scope : {Scope::kRead, Scope::kWrite, Scope::kAdmin}) {
    const NewKey key = new_key(scope);
    EXPECT_TRUE(made.insert(key.key).second);
    EXPECT_EQ(key.key.size(), 3 + 48u) << "192 random bits";
    EXPECT_EQ(key.line.find(key.key), key.line.npos);
    const Keys keys = Keys::read(write_secret(folder, key.line));
    EXPECT_EQ(scope_of(keys, "Bearer " + key.key), scope) << name_of(scope);
  }
}

}  // namespace
}  // namespace benzer::server
