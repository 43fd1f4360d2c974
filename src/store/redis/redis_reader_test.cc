// Tests that a reader holds few bytes, however many documents it meets and however long they are.
#include "store/redis/redis_reader.h"

#include <iterator>
#include <numeric>

#include <gtest/gtest.h>

#include "store/redis/session_test_util.h"
#include "store/redis_place.h"

namespace benzer {
namespace {

class RedisReaderTest : public RedisSessionTest {
 protected:
  static std::unique_ptr<Store> open() {
    RedisOptions options;
    options.create_schema = "for a test";
    options.expected_documents = 300;
    return RedisPlace(server().url(name()), options).open(kOddLayout);
  }
  // A lookup in the store that open() has made.
  struct Looking {
    std::shared_ptr<redis::Access> access = std::make_shared<redis::Access>();
    redis::Settings settings;
    Pool<redis::Session> sessions;
    redis::Lookup lookup;

    Looking()
        : settings(settings_of(access)),
          lookup(settings, sessions, std::make_shared<redis::Numbering>()) {}
  };
};

// All have the same keys. The features tell them apart.
DocumentHashes copy_of_many(std::uint32_t number, std::size_t features) {
  DocumentHashes out{"d" + std::to_string(number), {}};
  FieldHashes& field = out.fields.emplace_back();
  field.features.resize(features);
  std::iota(field.features.begin(), field.features.end(), std::uint64_t{number});
  for (std::uint32_t band = 0; band < kOddLayout.bands; ++band) field.keys.push_back(band);
  field.cut.resize(kOddLayout.cut_bytes());
  field.cut[0] = static_cast<std::uint8_t>(number % 16);
  return out;
}

std::uint32_t number_of(std::string_view id) {
  return static_cast<std::uint32_t>(std::stoul(std::string(id.substr(1))));
}

TEST_F(RedisReaderTest, ManyCandidatesAreNotHeldTogether) {
  constexpr std::uint32_t kCount = 24'000;
  constexpr std::size_t kFeatures = 480;  // the beginning of a record has all of them
  constexpr std::size_t kMost = std::size_t{80} << 20;
  ASSERT_GT(kCount * kFeatures * sizeof(std::uint64_t), kMost);
  {
    const auto store = open();
    const auto writer = store->writer();
    for (std::uint32_t begin = 0; begin < kCount; begin += 500) {
      std::vector<DocumentHashes> documents;
      for (std::uint32_t i = begin; i < begin + 500; ++i)
        documents.push_back(copy_of_many(i, kFeatures));
      std::vector<const DocumentHashes*> all;
      for (const DocumentHashes& document : documents) all.push_back(&document);
      writer->add_all(all);
    }
    writer->commit();
  }
  const DocumentHashes query = copy_of_many(0, 1);
  const FieldHashes* const asked = query.fields.data();
  Looking looking;
  redis::Lookup& lookup = looking.lookup;
  std::vector<std::vector<DocumentNumber>> found(1);
  lookup.get_ids({&asked, 1}, found);
  EXPECT_EQ(found[0].size(), kCount);
  EXPECT_LT(lookup.known_bytes(), kMost);
  std::size_t wrong = 0;
  for (const DocumentNumber document : found[0]) {
    const std::uint8_t* const cut = lookup.cut(document, 0);
    wrong += cut == nullptr || cut[0] != number_of(lookup.id(document)) % 16;
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_LT(lookup.known_bytes(), kMost);
  lookup.prefetch(found[0]);
  for (const DocumentNumber document : found[0]) {
    const auto features = lookup.features(document, 0);
    wrong += features.size() != kFeatures || features[0] != number_of(lookup.id(document));
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_LT(lookup.known_bytes(), kMost);

  std::vector<std::string> ids;
  lookup.for_each([&](DocumentNumber document) {
    ids.emplace_back(lookup.id(document));
    return true;
  });
  EXPECT_EQ(ids.size(), kCount);
  EXPECT_LT(lookup.known_bytes(), kMost);

  Looking finding;
  finding.lookup.prefetch_ids(std::vector<std::string_view>(ids.begin(), ids.end()));
  EXPECT_LT(finding.lookup.known_bytes(), kMost / 2);
  const std::optional<DocumentNumber> last = finding.lookup.find(ids.back());
  ASSERT_TRUE(last);
  EXPECT_EQ(finding.lookup.get_hashes(*last), copy_of_many(number_of(ids.back()), kFeatures));
}

TEST_F(RedisReaderTest, LongRecordsAreFetchedAFewAtATime) {
  constexpr std::size_t kFeatures[] = {1'500'000, 1'500'000, 1'500'000, 1'500'000, 40'000, 10};
  constexpr std::size_t kMost = std::size_t{40} << 20;
  ASSERT_GT(4 * kFeatures[0] * sizeof(std::uint64_t), kMost);
  const auto store = open();
  for (std::uint32_t i = 0; i < std::size(kFeatures); ++i)
    store->writer()->add_hashes(copy_of_many(i, kFeatures[i]));
  const DocumentHashes query = copy_of_many(0, 1);
  const FieldHashes* const asked = query.fields.data();
  Looking looking;
  redis::Lookup& lookup = looking.lookup;
  std::vector<std::vector<DocumentNumber>> found(1);
  lookup.get_ids({&asked, 1}, found);
  ASSERT_EQ(found[0].size(), std::size(kFeatures));
  lookup.prefetch(found[0]);
  EXPECT_LT(lookup.known_bytes(), kMost);
  for (int time = 0; time < 2; ++time)
    for (const DocumentNumber document : found[0]) {
      const std::uint32_t number = number_of(lookup.id(document));
      const auto features = lookup.features(document, 0);
      ASSERT_EQ(features.size(), kFeatures[number]);
      EXPECT_EQ(features[0], number);
      EXPECT_EQ(features.back(), number + features.size() - 1);
    }
  EXPECT_LT(lookup.known_bytes(), 2 * kMost);
}

// The beginning of a record is mostly its attributes, and says nothing about its features.
TEST_F(RedisReaderTest, RecordsWithLongAttributesAreRead) {
  const auto store = open();
  Model model;
  for (std::uint32_t i = 0; i < 3; ++i) {
    DocumentHashes document = copy_of_many(i, i == 0 ? 5 : i == 1 ? 5'000 : 50'000);
    document.attributes.assign(20'000, static_cast<char>('a' + i));
    store->writer()->add_hashes(document);
    model[document.id] = document;
  }
  EXPECT_EQ(contents(*store), model);
  store->verify();
  for (const auto& [id, document] : model) EXPECT_TRUE(store->writer()->remove(id));
  EXPECT_EQ(store->reader()->size(), 0U);
  store->verify();
}

}  // namespace
}  // namespace benzer
