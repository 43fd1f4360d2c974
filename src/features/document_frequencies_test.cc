#include <algorithm>
#include <cstdio>
#include <fstream>
#include <functional>
#include <map>
#include <utility>

#include <gtest/gtest.h>
#include <unistd.h>
#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/features.h"

#include "base/test_random.h"
#include "base/weight.h"
#include "features/frequency_counter.h"
#include "features/inverse_frequency.h"

namespace benzer {
namespace {

using Shared = std::shared_ptr<const DocumentFrequencies>;
using Entries = std::vector<DocumentFrequencies::Entry>;

FeatureSpec words() { return FeatureSpec::parse("text:word1"); }

std::string problem_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

// The bytes with their last 8 replaced by the checksum of the others.
std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  return bytes.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
}

TEST(DocumentFrequencies, SayWhatTheyWereMadeFrom) {
  TestRandom random(1);
  std::map<std::uint64_t, std::uint32_t> model;
  for (int i = 0; i < 5000; ++i) {
    // Some with the same first bits.
    const std::uint64_t feature = i % 3 == 0 ? random.below(1000) : random.next();
    model[feature] = static_cast<std::uint32_t>(2 + random.below(99));
  }
  Entries entries;
  for (const auto& [feature, documents] : model)
    entries.insert(entries.begin(), {feature, documents});
  const Shared made = DocumentFrequencies::make(words(), 100, 1, entries);
  EXPECT_EQ(made->features(), "text:word1");
  EXPECT_EQ(made->documents(), 100U);
  EXPECT_EQ(made->rest(), 1U);
  EXPECT_EQ(made->size(), model.size());
  for (const auto& [feature, documents] : model) {
    EXPECT_EQ(made->frequency(feature), documents);
    EXPECT_EQ(made->weight(feature), internal::inverse_frequency(100, documents));
  }
  for (int i = 0; i < 5000; ++i) {
    const std::uint64_t feature = i % 3 == 0 ? random.below(2000) : random.next();
    const auto known = model.find(feature);
    EXPECT_EQ(made->frequency(feature), known == model.end() ? 1 : known->second);
  }
  EXPECT_EQ(made->frequency(~std::uint64_t{0}), 1U);
  EXPECT_EQ(made->weight(~std::uint64_t{0}), internal::inverse_frequency(100, 1));
}

// Golden bytes: an index keeps them for years.
TEST(DocumentFrequencies, BytesStayTheSame) {
  const Shared made = DocumentFrequencies::make(words(), 10, 1, {{0x1122334455667788, 3}, {5, 10}});
  const std::string bytes = made->bytes();
  std::string expected("BENZFRQ1", 8);
  expected += std::string(
      "\12\0\0\0\0\0\0\0"
      "\1\0\0\0"
      "\2\0\0\0"
      "\12\0\0\0",
      20);
  expected += "text:word1";
  expected += std::string(
      "\5\0\0\0\0\0\0\0"
      "\x88\x77\x66\x55\x44\x33\x22\x11"
      "\12\0\0\0"
      "\3\0\0\0",
      24);
  EXPECT_EQ(bytes.substr(0, bytes.size() - 8), expected);
  EXPECT_EQ(made->mark(), "15b1c24e81234997");
}

TEST(DocumentFrequencies, EqualOnesAreOneObjectThatIsFoundByItsMark) {
  Shared first = DocumentFrequencies::make(words(), 10, 1, {{7, 3}});
  const std::string mark = first->mark(), bytes = first->bytes();
  EXPECT_EQ(DocumentFrequencies::make(words(), 10, 1, {{7, 3}}), first);
  EXPECT_EQ(DocumentFrequencies::parse(bytes, "x"), first);
  EXPECT_EQ(DocumentFrequencies::find(mark), first);
  for (const Shared& other :
       {DocumentFrequencies::make(words(), 11, 1, {{7, 3}}),
        DocumentFrequencies::make(words(), 10, 2, {{7, 3}}),
        DocumentFrequencies::make(words(), 10, 1, {{7, 4}}),
        DocumentFrequencies::make(words(), 10, 1, {{8, 3}}),
        DocumentFrequencies::make(FeatureSpec::parse("text:word2"), 10, 1, {{7, 3}})})
    EXPECT_NE(other->mark(), mark);

  FeatureSpec spec = FeatureSpec::parse("text:word1+tf-idf@" + mark);
  EXPECT_EQ(spec.frequencies, first);
  EXPECT_EQ(spec.str(), "text:word1+tf-idf@" + mark);
  EXPECT_FALSE(spec.needs_frequencies());
  first.reset();
  EXPECT_EQ(FeatureSpec::parse(spec.str()), spec);  // `spec` keeps them alive
  const std::string spelling = spec.str();
  spec.frequencies.reset();
  EXPECT_EQ(DocumentFrequencies::find(mark), nullptr);
  EXPECT_EQ(problem_of([&] { FeatureSpec::parse(spelling); }),
            "the features \"text:word1+tf-idf@" + mark +
                "\" have weights by the document frequencies \"" + mark +
                "\", which are not known here; give their file (frequencies)");
}

TEST(DocumentFrequencies, AreForTheFeaturesThatWereCounted) {
  const Shared made = DocumentFrequencies::make(words(), 10, 1, {{7, 3}});
  for (const char* other : {"text:word2+tf-idf@", "text:word1+html+tf-idf@", "values+tf-idf@"})
    EXPECT_NE(problem_of([&] {
                FeatureSpec::parse(other + made->mark());
              }).find("by document frequencies of other features, text:word1"),
              std::string::npos);
  EXPECT_NE(problem_of([&] {
              FeatureSpec::parse("text:word1+seed:2+tf-idf@" + made->mark());
            }).find("other"),
            std::string::npos);
  EXPECT_TRUE(made->fits(FeatureSpec::parse("text:word1+tf-idf")));
  EXPECT_FALSE(made->fits(words()));
  EXPECT_FALSE(made->fits(FeatureSpec::parse("text:word1+tf-idf+seed:2")));
  EXPECT_EQ(made->weighed(), "text:word1+tf-idf");
  EXPECT_EQ(DocumentFrequencies::make(FeatureSpec::parse("text:word1+seed:2"), 1, 1, {})->weighed(),
            "text:word1+tf-idf+seed:2");

  const Shared of_values = DocumentFrequencies::make(FeatureSpec::parse("values"), 10, 1, {});
  FeatureSpec text = FeatureSpec::parse("text:word1+tf-idf"), values = FeatureSpec::parse("values");
  const std::vector<Shared> all = {made, of_values};
  FeatureSpec* const both[] = {&text, &values};
  EXPECT_EQ(use_frequencies(all, both), 1U);  // `values` has no +tf-idf
  EXPECT_EQ(text.frequencies, made);
  values.tf_idf = true;
  EXPECT_EQ(use_frequencies(all, both), 2U);
  EXPECT_EQ(values.str(), "values+tf-idf@" + of_values->mark());
}

TEST(DocumentFrequencies, RefuseWhatCannotBe) {
  const auto problem = [](const char* spec, std::uint64_t documents, std::uint32_t rest,
                          Entries entries) {
    return problem_of(
        [&] { DocumentFrequencies::make(FeatureSpec::parse(spec), documents, rest, entries); });
  };
  EXPECT_EQ(problem("text:word1", 10, 10, {{7, 10}}), "no error");
  EXPECT_NE(problem("text:word1", 0, 1, {}).find("frequencies of 0 documents"), std::string::npos);
  EXPECT_NE(problem("text:word1", std::uint64_t{1} << 32, 1, {}).find("not possible"),
            std::string::npos);
  const std::string frequency = "a frequency is not from 1 to the number of documents, 10";
  EXPECT_EQ(problem("text:word1", 10, 0, {}), frequency);
  EXPECT_EQ(problem("text:word1", 10, 11, {}), frequency);
  EXPECT_EQ(problem("text:word1", 10, 1, {{7, 0}}), frequency);
  EXPECT_EQ(problem("text:word1", 10, 1, {{7, 11}}), frequency);
  EXPECT_NE(problem("text:word1", 10, 1, {{7, 2}, {8, 3}, {7, 2}}).find("of one feature"),
            std::string::npos);
  EXPECT_NE(problem("text:word1+bag", 10, 1, {}).find("have +tf-idf and +bag"), std::string::npos);
  EXPECT_NE(problem("text:word1+tf-idf", 10, 1, {}).find("given twice"), std::string::npos);
  EXPECT_NE(problem("values+weights", 10, 1, {}).find("not one of"), std::string::npos);
  EXPECT_NE(problem("image:pdq", 10, 1, {}).find("not one of"), std::string::npos);
  Entries many(DocumentFrequencies::kMostFeatures + 1);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = {i, 2};
  EXPECT_NE(problem("text:word1", 10, 1, many).find("of 262145 features are too many"),
            std::string::npos);
  many.pop_back();
  EXPECT_EQ(problem("text:word1", 10, 1, many), "no error");
}

TEST(DocumentFrequencies, EveryDamageIsSeen) {
  const Shared made = DocumentFrequencies::make(words(), 10, 1, {{7, 3}, {9, 4}});
  const std::string bytes = made->bytes();
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_THROW(DocumentFrequencies::parse(bytes.substr(0, size), "x"), Error) << size;
  EXPECT_THROW(DocumentFrequencies::parse(bytes + '\0', "x"), Error);
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_THROW(DocumentFrequencies::parse(other, "x"), Error) << at;
    if (at < bytes.size() - 8) {
      try {
        DocumentFrequencies::parse(sealed(std::move(other)), "x");  // may be other frequencies
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::kBadInput);
      }
    }
  }
}

TEST(DocumentFrequencies, FilesAreNamedInErrors) {
  const std::string path = testing::TempDir() + std::to_string(::getpid()) + "-a.freq";
  try {
    DocumentFrequencies::load(path);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::kNotFound);
    EXPECT_NE(std::string(error.what()).find("a.freq"), std::string::npos);
  }
  const Shared made = DocumentFrequencies::make(words(), 10, 1, {{7, 3}});
  std::ofstream(path) << made->bytes();
  EXPECT_EQ(DocumentFrequencies::load(path), made);
  std::ofstream(path) << "text";
  EXPECT_NE(problem_of([&] {
              DocumentFrequencies::load(path);
            }).find("a.freq: it does not hold document frequencies of this version"),
            std::string::npos);
  for (std::string damaged : {made->bytes(), made->bytes().substr(0, 20)}) {
    damaged[9] = static_cast<char>(damaged[9] ^ 1);
    std::ofstream(path) << damaged;
    try {
      DocumentFrequencies::load(path);
      ADD_FAILURE() << damaged.size();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
      EXPECT_NE(std::string(error.what()).find("a.freq: the document frequencies"),
                std::string::npos);
    }
  }
  std::remove(path.c_str());
}

TEST(DocumentFrequencies, WeighFeatures) {
  const FeatureExtractor plain(words());
  FeatureBuffer buffer;
  plain.extract("menu storm", buffer);
  const std::uint64_t menu = buffer.features()[0], storm = buffer.features()[1];
  FeatureSpec spec = FeatureSpec::parse("text:word1+tf-idf");
  spec.frequencies = DocumentFrequencies::make(words(), 10, 2, {{menu, 10}});
  const FeatureExtractor extractor(spec);
  EXPECT_EQ(extractor.frequencies(), nullptr);
  EXPECT_EQ(extractor.occurrence_weight(menu), 1'000'000U);
  EXPECT_EQ(extractor.occurrence_weight(storm), internal::inverse_frequency(10, 2));
  const auto expected = [&](std::uint64_t menus, std::uint64_t storms) {
    std::vector<std::uint64_t> out = {
        with_weight(menu, menus * 1'000'000),
        with_weight(storm, storms * internal::inverse_frequency(10, 2))};
    std::sort(out.begin(), out.end());
    return out;
  };
  extractor.extract("storm, menu storm", buffer);
  EXPECT_EQ(std::vector(buffer.features().begin(), buffer.features().end()), expected(1, 2));
  EXPECT_EQ(buffer.occurrences().size(), 3U);
  std::vector<std::uint64_t> visited;  // a visitor gets them with their weights, too
  extractor.extract("storm, menu menu", buffer, [&](std::span<const std::uint64_t> some) {
    visited.insert(visited.end(), some.begin(), some.end());
  });
  EXPECT_EQ(visited, expected(2, 1));
  EXPECT_EQ(extractor.trace("storm menu").shingles[1].feature, menu);
  EXPECT_THROW(FeatureExtractor(spec, std::make_shared<internal::FrequencyCounter>()), Error);
}

}  // namespace
}  // namespace benzer
