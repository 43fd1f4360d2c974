#include <algorithm>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/splitmix.h"
#include "base/test_random.h"
#include "io/io_test_util.h"
#include "store/disk/id_order.h"
#include "store/disk/segment_writer.h"
#include "store/store_test_util.h"

namespace benzer {
namespace {

constexpr HashLayout kSegmentLayout{1, 1, 1};

void write_segment(const std::string& path, const std::vector<DocumentHashes>& documents) {
  SegmentWriter writer(path, kSegmentLayout, 1, 2);
  for (const DocumentHashes& document : documents) writer.add(document);
  EXPECT_EQ(writer.size(), documents.size());
  writer.seal({9, 6, 7, 8, {3, 5}});
}

// Whatever the keys are, all documents with a key are found, and no others.
TEST(Segment, FindsEveryKeyHoweverTheyLie) {
  TestRandom random(1);
  const TestFolder folder;
  const std::function<std::uint32_t(std::uint32_t)> shapes[] = {
      [&](std::uint32_t) { return static_cast<std::uint32_t>(random.next()); },
      [](std::uint32_t i) { return i; },
      [](std::uint32_t i) { return 0xFFFFFFFF - i / 3; },
      [](std::uint32_t i) { return i % 2 == 0 ? 0 : 0xFFFFFFFF; },
      [](std::uint32_t i) { return i * i; },
      [](std::uint32_t) { return 77u; },
  };
  int number = 0;
  for (const auto& shape : shapes) {
    for (const std::uint32_t count : {0u, 1u, 2u, 5u, 64u, 3000u}) {
      std::vector<DocumentHashes> documents;
      std::map<std::uint32_t, std::vector<DocumentNumber>> wanted;
      for (std::uint32_t i = 0; i < count; ++i) {
        const std::uint32_t key = shape(i);
        wanted[key].push_back(i);
        documents.push_back({"d" + std::to_string(i), {{0, {i}, {key}, {1}}}});
      }
      const std::string path = folder / std::to_string(number++);
      write_segment(path, documents);
      const Segment segment(path, kSegmentLayout, 1);
      segment.verify();
      for (int i = 0; i < 200; ++i) wanted[static_cast<std::uint32_t>(random.next())];
      for (const std::uint32_t key : {0u, 1u, 76u, 78u, 0xFFFFFFFFu, 0xFFFFFFFEu}) wanted[key];
      for (const auto& [key, numbers] : wanted) {
        std::vector<DocumentNumber> found;
        segment.for_each(0, 0, key, [&](DocumentNumber document) { found.push_back(document); });
        EXPECT_EQ(found, numbers) << key;
      }
    }
  }
}

TEST(Segment, TheFilterLetsFewStrangersThrough) {
  TestRandom random(2);
  const TestFolder folder;
  std::vector<DocumentHashes> documents;
  for (std::uint32_t i = 0; i < 20'000; ++i)
    documents.push_back(
        {"d" + std::to_string(i), {{0, {1}, {static_cast<std::uint32_t>(random.next())}, {1}}}});
  write_segment(folder / "s", documents);
  const Segment segment(folder / "s", kSegmentLayout, 1);
  int passed = 0;
  constexpr int kTries = 20'000;
  for (int i = 0; i < kTries; ++i)
    passed += segment.may_have(0, 0, static_cast<std::uint32_t>(random.next()));
  // Eight bits a key, of which each sets four: 2.4 % in one large filter, a little more in blocks.
  EXPECT_LT(passed, kTries * 4 / 100);
}

std::vector<DocumentHashes> with_ids(std::uint32_t count) {
  std::vector<DocumentHashes> documents;
  for (std::uint32_t i = 0; i < count; ++i)
    documents.push_back({"d" + std::to_string(i % 900), {{0, {i}, {i}, {1}}}});
  return documents;
}

// The documents that find() visits, with repetitions.
std::multimap<std::string, DocumentNumber> found_in(const Segment& segment) {
  std::multimap<std::string, DocumentNumber> found;
  for (int i = 0; i < 1000; ++i) {
    const std::string id = "d" + std::to_string(i);
    segment.find(id, [&](DocumentNumber document) {
      found.emplace(id, document);
      return false;
    });
  }
  return found;
}

TEST(Segment, IdsAreFoundByASeedOfItsOwn) {
  const TestFolder folder;
  std::map<std::uint64_t, std::unique_ptr<Segment>> segments;
  for (const std::uint64_t seed : {0, 1, 2}) {
    const std::string path = folder / std::to_string(seed);
    SegmentWriter writer(path, kSegmentLayout, 1, seed);
    for (const DocumentHashes& document : with_ids(1000)) writer.add(document);
    writer.seal({});
    segments[seed] = std::make_unique<Segment>(path, kSegmentLayout, 1);
    EXPECT_EQ(segments[seed]->id_seed(), seed);
    EXPECT_EQ(found_in(*segments[seed]).size(), 1000U);
  }
  using Pairs = std::set<std::pair<DocumentNumber, DocumentNumber>>;
  const auto same_ids = [&](std::uint64_t a, std::uint64_t b) {
    Pairs out;
    segments[a]->for_each_same_id(*segments[b], [&](DocumentNumber x, DocumentNumber y) {
      EXPECT_TRUE(out.emplace(x, y).second);
    });
    return out;
  };
  const Pairs same_seed = same_ids(1, 1);
  EXPECT_EQ(same_seed.size(), 800U + 100 * 4);
  EXPECT_EQ(same_ids(1, 2), same_seed);
  EXPECT_EQ(same_ids(0, 1), same_seed);
}

// Rewrites a segment as former versions: without a seed, and without copies.
TEST(Segment, OfFormerVersionsIsRead) {
  const TestFolder folder;
  {
    SegmentWriter writer(folder / "now", kSegmentLayout, 1, 0);
    for (const DocumentHashes& document : with_ids(1000)) writer.add(document);
    writer.seal({9, 6, 7, 8, {3, 5}});
    const SealedFile now(folder / "now");
    for (const std::uint64_t version : {1, 2, 4}) {
      constexpr std::size_t kEnd = 13 * sizeof(std::uint64_t);
      constexpr std::size_t kCopies = 3 * sizeof(std::uint64_t), kSeed = sizeof(std::uint64_t);
      const std::size_t contents = now.size() - kEnd - kSeed - kCopies;
      SealedFileWriter old(folder / std::to_string(version));
      old.append(now.bytes(0, contents).data(), contents);
      if (version > 2) old.append(now.bytes(contents, kCopies).data(), kCopies);
      if (version > 1) old.append(now.bytes(contents + kCopies, kSeed).data(), kSeed);
      old.append(&version, sizeof version);
      old.append(now.bytes(now.size() - kEnd + 8, kEnd - 8).data(), kEnd - 8);
      old.seal();
    }
  }
  const Segment now(folder / "now", kSegmentLayout, 1);
  for (const char* version : {"1", "2"}) {
    const Segment old(folder / version, kSegmentLayout, 1);
    old.verify();
    EXPECT_EQ(old.id_seed(), 0U);
    EXPECT_EQ(old.origin().merged, now.origin().merged);
    EXPECT_EQ(old.origin().number, 0U);  // it was merged, and does not say its number
    EXPECT_FALSE(old.has_copies());
    EXPECT_EQ(found_in(old), found_in(now));
    for (DocumentNumber document = 0; document < now.size(); ++document)
      EXPECT_EQ(old.get_hashes(document), now.get_hashes(document));
  }
  try {
    const Segment later(folder / "4", kSegmentLayout, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument);
  }
}

// Equal documents, of which some have the same features and other keys.
TEST(Segment, CopiesAreFoundByTheirOriginals) {
  constexpr HashLayout kFields{2, 3, 4};
  TestRandom random(6);
  std::vector<DocumentHashes> contents;
  for (int i = 0; i < 40; ++i) contents.push_back(some_document("", kFields, random));
  contents.push_back(contents[5]);
  for (FieldHashes& field : contents.back().fields) field.keys[1] ^= 1;
  const TestFolder folder;
  std::vector<DocumentHashes> documents;
  SegmentWriter writer(folder / "s", kFields, 1, 2);
  for (int i = 0; i < 1000; ++i) {
    documents.push_back(contents[random.below(contents.size())]);
    // Ids of any order and length, and some that occur more than once.
    documents.back().id = std::to_string(random.next() % 977) + std::string(random.below(5), 'x');
    EXPECT_EQ(writer.add(documents.back()), DocumentNumber(i));
  }
  writer.seal({});
  const Segment segment(folder / "s", kFields, 1);
  segment.verify();
  std::set<DocumentNumber> copies;
  for (DocumentNumber i = 0; i < documents.size(); ++i) {
    EXPECT_EQ(segment.get_hashes(i), documents[i]);
    EXPECT_EQ(segment.id(i), documents[i].id);
    const auto first = static_cast<DocumentNumber>(
        std::find_if(documents.begin(), documents.end(),
                     [&](const auto& one) { return one.fields == documents[i].fields; }) -
        documents.begin());
    EXPECT_EQ(segment.original(i), documents[i].fields.empty() ? i : first);
    std::string before;
    segment.for_each_copy(i, [&](DocumentNumber copy) {
      EXPECT_EQ(segment.original(copy), i);
      EXPECT_TRUE(copies.insert(copy).second);
      EXPECT_LE(before, documents[copy].id);
      before = documents[copy].id;
      return true;
    });
    for (const FieldHashes& field : documents[i].fields) {
      std::set<DocumentNumber> met;
      segment.for_each(field.field, 0, field.keys[0], [&](DocumentNumber document) {
        EXPECT_EQ(segment.original(document), document);
        EXPECT_TRUE(met.insert(document).second);
      });
      EXPECT_TRUE(met.contains(first));
    }
  }
  EXPECT_GT(copies.size(), 500U);
}

// So a removed original costs a look at no more than that many copies.
TEST(Segment, AnOriginalHasSoManyCopiesAtMost) {
  const TestFolder folder;
  constexpr std::uint32_t kMost = SegmentWriter::kMostCopies;
  std::vector<DocumentHashes> documents;
  for (std::uint32_t i = 0; i < 2 * kMost + 100; ++i)
    documents.push_back({"d" + std::to_string(i), {{0, {1, 2, 3}, {7}, {1}}}});
  write_segment(folder / "s", documents);
  const Segment segment(folder / "s", kSegmentLayout, 1);
  segment.verify();
  std::vector<DocumentNumber> found;
  segment.for_each(0, 0, 7, [&](DocumentNumber document) { found.push_back(document); });
  EXPECT_EQ(found, (std::vector<DocumentNumber>{0, kMost + 1, 2 * kMost + 2}));
  for (const DocumentNumber original : found) {
    std::uint32_t copies = 0;
    segment.for_each_copy(original, [&](DocumentNumber copy) {
      EXPECT_GT(copy, original);
      ++copies;
      return true;
    });
    EXPECT_EQ(copies, original == found.back() ? 97 : kMost);
  }
}

// The table of hashes is full all the time, but what comes often is found nevertheless.
TEST(EqualDocuments, ForgetWhatHasFewCopies) {
  TestRandom random(7);
  EqualDocuments small(4096);
  std::map<std::uint64_t, std::uint32_t> originals;  // how often common hashes became originals
  std::vector<std::uint64_t> common;
  for (int i = 0; i < 8; ++i) common.push_back(random.next());
  for (DocumentNumber i = 0; i < 50'000; ++i) {
    const std::uint64_t hash = i % 10 == 0 ? common[random.below(8)] : random.next();
    if (EqualDocuments::Entry* known = small.find(hash)) {
      EXPECT_EQ(known->hash, hash);
      ++known->copies;
    } else {
      small.add(hash, i);
      ++originals[hash];
      ASSERT_NE(small.find(hash), nullptr);
    }
  }
  // 5,000 documents: each hash is lost a few times at most, before it has its first copy.
  for (const std::uint64_t hash : common) EXPECT_LE(originals[hash], 20U);
  // With room for all hashes, few are forgotten.
  EqualDocuments all;
  for (DocumentNumber i = 0; i < 100'000; ++i) all.add(splitmix64(i), i);
  int forgotten = 0;
  for (DocumentNumber i = 0; i < 100'000; ++i) {
    const EqualDocuments::Entry* known = all.find(splitmix64(i));
    forgotten += known == nullptr;
    EXPECT_TRUE(known == nullptr || known->document == i);
  }
  EXPECT_LT(forgotten, 10'000);
}

// The keys, and a table of them, do not fit into the memory that the writer has for them. The
// blocks of a table's filter are more than are made at a time.
TEST(Segment, KeysMayLieInAFileMeanwhile) {
  constexpr HashLayout kFields{2, 3, 4};
  constexpr HashLayout kOneTable{2, 16, 4, true};
  constexpr HashLayout kSampled{2, 0, 0, true, false, false, KeySampling{500, 6}};
  for (const HashLayout& layout : {kFields, kOneTable, kSampled}) {
    TestRandom random(4);
    const TestFolder folder;
    std::vector<DocumentHashes> documents;
    SegmentWriter writer(folder / "s", layout, 1, 2, 1 << 16);
    SegmentWriter with_memory(folder / "m", layout, 1, 2);
    for (int i = 0; i < 8000; ++i) {
      documents.push_back(some_document("d" + std::to_string(i), layout, random));
      if (layout.one_table && !layout.sampling)
        for (FieldHashes& field : documents.back().fields)
          for (std::uint32_t& key : field.keys)
            if (key != kNoStoreKey) key += static_cast<std::uint32_t>(random.below(100'000));
      EXPECT_EQ(writer.add(documents.back()), DocumentNumber(i));
      with_memory.add(documents.back());
    }
    writer.seal({});
    with_memory.seal({});
    EXPECT_EQ(read_file(folder / "s"), read_file(folder / "m"));
    const Segment segment(folder / "s", layout, 1);
    segment.verify();
    for (DocumentNumber i = 0; i < 8000; ++i) EXPECT_EQ(segment.get_hashes(i), documents[i]);
  }
}

TEST(Segment, RefusesOtherFiles) {
  const TestFolder folder;
  const std::vector<DocumentHashes> documents = {{"a", {{0, {1, 2}, {3}, {4}}}}};
  write_segment(folder / "s", documents);
  const Segment segment(folder / "s", kSegmentLayout, 1);
  EXPECT_EQ(segment.size(), 1U);
  EXPECT_EQ(segment.origin().newest, 6U);
  EXPECT_EQ(segment.origin().log, 7U);
  EXPECT_EQ(segment.origin().first_record, 8U);
  EXPECT_EQ(segment.origin().merged, (std::vector<std::uint64_t>{3, 5}));
  EXPECT_THROW(Segment(folder / "s", kSegmentLayout, 2), Error);
  EXPECT_THROW(Segment(folder / "s", HashLayout{1, 2, 1}, 1), Error);
  EXPECT_THROW(Segment(folder / "none", kSegmentLayout, 1), Error);
  SealedFileWriter other(folder / "other");
  other.append("BENZREM1", 8);
  other.seal();
  EXPECT_THROW(Segment(folder / "other", kSegmentLayout, 1), Error);
  EXPECT_THROW(write_segment(folder / "s", documents), Error);  // it is there already
}

TEST(SealedFile, HoldsWhatWasWritten) {
  TestRandom random(3);
  const TestFolder folder;
  for (const std::size_t size : {0u, 1u, 4095u, 4096u, 4097u, 100'000u}) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random.next());
    const std::string path = folder / std::to_string(size);
    SealedFileWriter writer(path);
    for (std::size_t at = 0; at < size;) {
      const std::size_t part = std::min<std::size_t>(1 + random.below(5000), size - at);
      writer.append(bytes.data() + at, part);
      at += part;
    }
    writer.seal();
    const SealedFile file(path);
    ASSERT_EQ(file.size(), size);
    EXPECT_NO_THROW(file.check_pages());
    for (int i = 0; i < 50; ++i) {
      const std::uint64_t at = random.below(size + 1);
      const std::uint64_t length = random.below(size - at + 1);
      const std::span<const std::byte> found = file.bytes(at, length);
      EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(found.data()), found.size()),
                std::string_view(bytes).substr(at, length));
    }
    EXPECT_THROW(file.bytes(size, 1), Error);
    EXPECT_THROW(file.bytes(1, ~std::uint64_t{0}), Error);
    EXPECT_THROW(file.bytes(~std::uint64_t{0}, 2), Error);
  }
}

TEST(SealedFile, WhatIsNotSealedGoes) {
  const TestFolder folder;
  {
    SealedFileWriter writer(folder / "a");
  }
  EXPECT_THROW(SealedFile(folder / "a"), Error);
  {
    SealedFileWriter again(folder / "a");
  }
}

TEST(OrderById, IsThatOfStrings) {
  TestRandom random(7);
  for (int round = 0; round < 200; ++round) {
    // Some rounds have a long common beginning, and ids that begin with other ids.
    const std::string beginning(random.below(20), 'b');
    std::vector<std::string> ids(random.below(60));
    for (std::string& id : ids) {
      id = beginning;
      for (std::uint64_t i = random.below(14); i > 0; --i)
        id += static_cast<char>(random.below(2) == 0 ? 250 + random.below(6) : random.below(3));
    }
    std::vector<std::string> expected = ids, got;
    std::sort(expected.begin(), expected.end());
    for (const DocumentNumber document :
         order_by_id(static_cast<DocumentNumber>(ids.size()),
                     [&](DocumentNumber one) { return std::string_view(ids[one]); }))
      got.push_back(ids[document]);
    ASSERT_EQ(got, expected);
  }
}

}  // namespace
}  // namespace benzer
