// Makes up documents for tests of stores, and reads all documents of a store.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_random.h"
#include "store/sampled_keys.h"
#include "store/store.h"

namespace benzer {

// The layouts and the fingerprint of stores in tests.
inline constexpr HashLayout kLayout{2, 4, 6};
inline constexpr HashLayout kNarrowLayout{2, 3, 6, false, false, true};
// The last half byte of a cut signature is unused.
inline constexpr HashLayout kOddLayout{2, 4, 5, false, false, true};
inline constexpr std::uint64_t kFingerprint = 42;

using Model = std::map<std::string, DocumentHashes>;

// Chooses from few keys, so that many documents share some.
inline FieldHashes some_field(std::uint32_t field, const HashLayout& layout, TestRandom& random) {
  if (layout.sampling) {
    FieldHashes out{field, {}, {}, {}};
    for (std::uint64_t feature = 0; feature < 40; ++feature)
      if (random.below(4) == 0 || feature == 39) out.features.push_back(feature);
    restore_keys(layout, out);
    return out;
  }
  FieldHashes out{field, random.numbers(1 + random.below(20)), {}, {}};
  for (std::uint32_t band = 0; band < layout.bands; ++band)
    out.keys.push_back(static_cast<std::uint32_t>(random.below(10)) * 0x19999999);
  if (layout.gaps)
    for (std::uint32_t& key : out.keys)
      if (random.below(2) == 0) key = kNoStoreKey;
  if (layout.one_table) {
    std::sort(out.keys.begin(), out.keys.end());
    std::fill(std::unique(out.keys.begin(), out.keys.end()), out.keys.end(), kNoStoreKey);
  }
  for (std::size_t i = 0; i < layout.cut_bytes(); ++i)
    out.cut.push_back(static_cast<std::uint8_t>(random.next()));
  return out;
}

// Attributes, which a store takes as any bytes; a third of the documents has none.
inline std::string some_attributes(TestRandom& random) {
  std::string out;
  for (std::uint64_t left = random.below(3) * random.below(40); left > 0; --left)
    out += static_cast<char>(random.below(256));
  return out;
}

// Makes a document with two fields, one of them, or none.
inline DocumentHashes some_document(std::string id, const HashLayout& layout, TestRandom& random) {
  DocumentHashes out{std::move(id), {}};
  const std::uint64_t chosen = random.below(8);
  if (chosen > 1) out.fields.push_back(some_field(0, layout, random));
  if (chosen != 2 && chosen != 0) out.fields.push_back(some_field(1, layout, random));
  if (layout.attributes) out.attributes = some_attributes(random);
  return out;
}

// Reads all documents of a store, and expects that each is found by its id and by its keys.
// with_size: also expects that the store counts right; one in Redis also counts what unfinished
// writes have left.
inline Model contents(const Store& store, bool with_size = true) {
  Model out;
  const std::unique_ptr<StoreReader> reader = store.reader();
  reader->for_each([&](DocumentNumber document) {
    DocumentHashes hashes = reader->get_hashes(document);
    const std::string id = hashes.id;
    EXPECT_EQ(reader->find(id), document);
    EXPECT_EQ(reader->attributes(document), hashes.attributes);
    // A query for the document finds it or its original, in whatever table or segment it is.
    const DocumentNumber original = reader->original(document);
    EXPECT_EQ(reader->original(original), original);
    bool is_copy = false;
    reader->for_each_copy(original, [&](DocumentNumber copy) {
      is_copy |= copy == document;
      return true;
    });
    EXPECT_EQ(is_copy, original != document);
    for (const FieldHashes& field : hashes.fields) {
      if (field.keys.empty()) continue;  // a rate of sampling may leave none
      const FieldHashes* asked = &field;
      std::vector<std::vector<DocumentNumber>> found(1);
      reader->get_ids({&asked, 1}, found);
      EXPECT_TRUE(std::binary_search(found[0].begin(), found[0].end(), original));
    }
    EXPECT_TRUE(out.emplace(id, std::move(hashes)).second) << id;
    return true;
  });
  if (with_size) {
    EXPECT_EQ(reader->size(), out.size());
  }
  return out;
}

}  // namespace benzer
