#include "benzer/research/classics/course.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <memory>
#include <random>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/runtime.h"

#include "base/error_test_util.h"
#include "base/test_random.h"
#include "research/classics/jaccard.h"
#include "research/classics/pairs.h"

namespace benzer::classics::course {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Runs `call`, which must throw, and returns the message.
template <class Call>
std::string sentence_of(Call&& call) {
  return error_of(call).what();
}

std::string made_up_word(std::uint64_t number) {
  std::string word = "w";
  for (; number > 0; number /= 26) word += static_cast<char>('a' + number % 26);
  return word + "xx";
}

// Documents of about 60 words out of few, so that pairs have words in common.
std::vector<NamedText> made_up(std::size_t count, std::uint64_t seed) {
  TestRandom random(seed);
  std::vector<NamedText> texts;
  for (std::size_t i = 0; i < count; ++i) {
    NamedText text{"doc" + std::to_string(i), ""};
    for (std::uint64_t words = 20 + random.below(80); words > 0; --words)
      text.text += made_up_word(random.below(10 + random.below(300))) + (words % 9 ? " " : ".\n");
    texts.push_back(std::move(text));
  }
  return texts;
}

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("benzer-course-" + tag())) {
    std::filesystem::create_directory(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string str() const { return path_.string(); }

 private:
  static std::string tag() { return std::to_string(std::random_device()()); }
  std::filesystem::path path_;
};

TEST(Course, WordsAreThoseOfTheReport) {
  EXPECT_THAT(words_processor("The DOG's: end; of it, don't THE. e.g. the-end"),
              ElementsAre("dogs", "end", "dont", "the-end"));
  EXPECT_THAT(words_processor("t.h.e \xc3\x89t\xc3\xa9 a\tbcd\vefg\r\nhij"),
              ElementsAre("\xc3\x89t\xc3\xa9", "bcd", "efg", "hij"));  // only A to Z are lowered
  EXPECT_THAT(words_processor(std::string("a\0b c\1d", 7)),
              ElementsAre(std::string("a\0b", 3), "c\1d"));
  EXPECT_THAT(words_processor(""), IsEmpty());
}

// For any bytes, the words are those of truth:w1, which other tests check against an implementation
// of its own.
TEST(Course, WordsAreThoseOfTheTruthFiles) {
  TestRandom random(12);
  const FeatureExtractor extractor(FeatureSpec::parse("truth:w1"));
  FeatureBuffer buffer;
  constexpr std::string_view kOften = " \n\t.,:;'theTHEab\xc3\xa9";
  for (int round = 0; round < 300; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i)
      text += random.below(10) == 0 ? static_cast<char>(random.next())
                                    : kOften[random.below(kOften.size())];
    extractor.extract(text, buffer);
    EXPECT_EQ(words_processor(text).size(), buffer.features().size());
    const TermSets sets(std::vector<NamedText>{{"a", text}, {"b", ""}});
    EXPECT_EQ(sets.terms(0).size(), FeatureSet(buffer.features()).size());
  }
}

TEST(Course, PrimesAreTheClosest) {
  for (const auto& [n, prime] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{
           {0, 2}, {2, 2}, {3, 3}, {4, 5}, {1001, 1009}, {23920, 23929}, {46341, 46349}})
    EXPECT_EQ(prime_at_least(n), prime);
}

TEST(Course, FunctionsAreDistinctPermutations) {
  const PermutationsFunctions functions(500, 1000, 3);
  EXPECT_EQ(functions.p(), 1009u);
  EXPECT_EQ(std::set<std::uint32_t>(functions.a().begin(), functions.a().end()).size(), 500u);
  EXPECT_EQ(std::set<std::uint32_t>(functions.b().begin(), functions.b().end()).size(), 500u);
  for (std::uint32_t i = 0; i < 500; ++i) {
    if (functions.a()[i] == 0) continue;
    std::set<std::uint32_t> values;
    for (std::uint32_t x = 0; x < 1009; ++x) values.insert(functions(i, x));
    EXPECT_EQ(values.size(), 1009u);
    EXPECT_EQ(*values.rbegin(), 1008u);
  }
  EXPECT_EQ(PermutationsFunctions(1009, 1000, 1).size(), 1009u);  // as many as exist
  EXPECT_THAT(sentence_of([] { PermutationsFunctions(1010, 1000, 1); }),
              HasSubstr("ask for 1009 or fewer"));
  EXPECT_THROW(PermutationsFunctions(0, 10, 1), Error);
  EXPECT_THROW(PermutationsFunctions(1, 0, 1), Error);
}

TEST(Course, SumsWrapAsInJava) {
  // 2,000,003 is prime; a x + b passes 2^31 many times.
  const PermutationsFunctions functions(50, 2000003, 3);
  for (std::uint32_t i = 0; i < 50; ++i) {
    for (const std::uint32_t x : {0U, 1U, 1999U, 2000002U}) {
      const std::uint64_t sum = std::uint64_t{functions.a()[i]} * x + functions.b()[i];
      EXPECT_EQ(functions(i, x), sum % (std::uint64_t{1} << 31) % 2000003);
    }
  }
}

void expect_minima(const std::shared_ptr<const TermSets>& sets, std::uint32_t k) {
  const MinHash min_hash(sets, k, 9);
  for (std::size_t doc = 0; doc < sets->size(); ++doc) {
    for (std::uint32_t i = 0; i < k; ++i) {
      std::uint32_t least = kNoTerm;
      for (const std::uint32_t term : sets->terms(doc))
        least = std::min(least, min_hash.min_hash_term(term, i));
      ASSERT_EQ(min_hash.min_hash_matrix().signature(doc)[i], least) << doc << " of k = " << k;
    }
  }
}

TEST(Course, SignaturesAreMinimaOnEveryCpuLevel) {
  const auto few = std::make_shared<const TermSets>(made_up(40, 5));
  // More terms than 16 bits can number, and sums that wrap.
  std::vector<NamedText> texts(5);
  for (std::size_t doc = 0; doc < texts.size(); ++doc) texts[doc].name = std::to_string(doc);
  for (std::uint64_t i = 0; i < 70000; ++i) texts[i % 7 % 4].text += made_up_word(i) + " ";
  const auto many = std::make_shared<const TermSets>(texts);
  ASSERT_EQ(many->num_terms(), 70000u);
  const CpuLevel before = active_cpu_level();
  for (const CpuLevel level : available_cpu_levels()) {
    force_cpu_level(level);
    SCOPED_TRACE(cpu_level_name(level));
    for (const std::uint32_t k : {1U, 15U, 16U, 17U, 32U, 33U, 100U}) expect_minima(few, k);
    for (const std::uint32_t k : {1U, 16U, 21U}) expect_minima(many, k);
  }
  force_cpu_level(before);
}

TEST(Course, SimilaritiesExactAndApproximate) {
  const std::vector<NamedText> texts = {{"a", "one two three four one"},
                                        {"b", "two three four five six"},
                                        {"c", "ONE, two three: four"},
                                        {"none", "of it"}};
  const MinHash min_hash(texts, 7, 1);
  EXPECT_THAT(min_hash.all_docs(), ElementsAre("a", "b", "c", "none"));
  EXPECT_EQ(min_hash.num_terms(), 6u);
  EXPECT_EQ(min_hash.num_permutations(), 7u);
  EXPECT_DOUBLE_EQ(min_hash.exact_jaccard("a", "b"), 0.5);
  EXPECT_EQ(min_hash.exact_jaccard("a", "c"), 1);
  EXPECT_EQ(min_hash.approximate_jaccard("a", "c"), 1);
  EXPECT_EQ(min_hash.exact_jaccard("none", "none"), 0);
  EXPECT_EQ(min_hash.approximate_jaccard("none", "none"), 0);
  EXPECT_EQ(min_hash.min_hash_sig("none")[0], kNoTerm);
  EXPECT_THAT(sentence_of([&] { min_hash.min_hash_sig("d"); }), HasSubstr("no document d among"));
}

TEST(Course, AccuracyCountsPairsOnEveryCpuLevel) {
  const MinHash min_hash(made_up(150, 6), 64, 9);  // more than two blocks of documents
  const std::vector<double> errors = {0.0, 0.02, 0.1};
  std::vector<std::uint64_t> expected(3);
  const auto& names = min_hash.all_docs();
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = i + 1; j < names.size(); ++j)
      for (std::size_t e = 0; e < 3; ++e)
        expected[e] +=
            std::round(1e9 * std::abs(min_hash.exact_jaccard(names[i], names[j]) -
                                      min_hash.approximate_jaccard(names[i], names[j]))) >
            1e9 * errors[e];
  EXPECT_GT(expected[0], expected[1]);
  const CpuLevel before = active_cpu_level();
  for (const CpuLevel level : available_cpu_levels()) {
    force_cpu_level(level);
    EXPECT_EQ(MinHashAccuracy::accuracy(min_hash, errors), expected);
  }
  force_cpu_level(before);
}

TEST(Course, SharesThatAreEpsApartAreNotOffByMore) {
  EXPECT_GT(0.14 - 0.1, 0.04);  // the double of 0.14 - 0.1 is not that of 0.04
  EXPECT_FALSE(differ_by_more(share(7, 50), share(5, 50), 0.04));
  EXPECT_FALSE(differ_by_more(share(1, 50), share(3, 50), 0.04));
  EXPECT_TRUE(differ_by_more(share(140001, 1000000), share(5, 50), 0.04));
}

TEST(Course, PairsCanBeStopped) {
  const auto terms = std::make_shared<const TermSets>(made_up(20, 6));
  const std::atomic<bool> stop = true;
  const MinHash min_hash(terms, 10, 1);
  const std::vector<double> eps = {0.1};
  EXPECT_EQ(error_of([&] { MinHashTime::timer(terms, 10, 1, &stop); }).code(),
            ErrorCode::kInterrupted);
  EXPECT_EQ(error_of([&] { MinHashAccuracy::accuracy(min_hash, eps, &stop); }).code(),
            ErrorCode::kInterrupted);
}

TEST(Course, BandsMeetWhereTheirSumsDo) {
  const MinHash min_hash(made_up(60, 7), 50, 9);
  const std::uint32_t bands = 12;
  const LSH lsh(min_hash.min_hash_matrix(), min_hash.all_docs(), bands, 11);
  EXPECT_EQ(lsh.rows_per_band(), 4u);
  EXPECT_EQ(lsh.rows_left_over(), 2u);
  EXPECT_EQ(lsh.table_size(), 61u);
  EXPECT_NEAR(lsh.threshold(), std::pow(1.0 / 12, 1.0 / 4), 1e-12);
  const PermutationsFunctions functions(4, 61, 11);
  const auto bucket = [&](std::size_t doc, std::size_t band) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < 4; ++i)
      sum += functions(i, min_hash.min_hash_matrix().signature(doc)[band * 4 + i]);
    return sum % 61;
  };
  for (std::size_t doc = 0; doc < 60; ++doc) {
    std::vector<std::size_t> expected;
    for (std::size_t band = 0; band < bands; ++band)
      for (std::size_t other = 0; other < 60; ++other)
        if (other != doc && bucket(doc, band) == bucket(other, band) &&
            std::find(expected.begin(), expected.end(), other) == expected.end())
          expected.push_back(other);
    EXPECT_EQ(lsh.near_duplicates_of(doc), expected);
  }
}

TEST(Course, BandsAreChecked) {
  const MinHash min_hash(made_up(5, 7), 50, 9);
  const auto lsh = [&](std::uint32_t bands) {
    return LSH(min_hash.min_hash_matrix(), min_hash.all_docs(), bands, 1);
  };
  EXPECT_THAT(sentence_of([&] { lsh(51); }), HasSubstr("give 1 to 50"));
  EXPECT_THAT(sentence_of([&] { lsh(0); }), HasSubstr("give 1 to 50"));
  EXPECT_THAT(sentence_of([&] { lsh(8); }), HasSubstr("6 rows needs as many different factors"));
  EXPECT_EQ(lsh(10).rows_per_band(), 5u);
  EXPECT_THROW(LSH(min_hash.min_hash_matrix(), {"a"}, 10, 1), Error);
  EXPECT_THROW(lsh(10).near_duplicates_of("nobody"), Error);
  EXPECT_THROW(lsh(10).near_duplicates_of(5), Error);
}

TEST(Course, TheDetectorRemovesFalsePositives) {
  auto texts = made_up(50, 8);
  texts.push_back({"copy", texts[3].text + " another"});
  const NearDuplicates detector(texts, 100, 20, 5);
  EXPECT_THAT(detector.near_duplicate_detector(0.9, "doc3"), ElementsAre("copy"));
  const auto fewer = detector.get_less_than_threshold_docs(0.9, "doc3");
  EXPECT_EQ(fewer.size() + 1, detector.lsh().near_duplicates_of("doc3").size());
  for (const std::string& name : fewer)
    EXPECT_LT(detector.min_hash().approximate_jaccard("doc3", name), 0.9);
}

TEST(Course, FoldersAreReadByName) {
  const Folder folder;
  EXPECT_THAT(sentence_of([&] { MinHash(folder.str(), 2, 1); }), HasSubstr("has no file"));
  folder.write("b.txt", "one two three");
  EXPECT_THAT(sentence_of([&] { MinHash(folder.str(), 2, 1); }), HasSubstr("has only 1 file"));
  folder.write("a.txt", "two three four");
  folder.write("c.txt", "one two three");
  std::filesystem::create_directory(folder.str() + "/deeper");
  const MinHash min_hash(folder.str(), 2, 1);
  EXPECT_THAT(min_hash.all_docs(), ElementsAre("a.txt", "b.txt", "c.txt"));
  EXPECT_DOUBLE_EQ(min_hash.exact_jaccard("a.txt", "b.txt"), 0.5);
  EXPECT_THAT(near_duplicate_detector(folder.str(), 2, 1, 0.9, "b.txt", 1), ElementsAre("c.txt"));
  EXPECT_EQ(MinHashAccuracy::accuracy(folder.str(), 2, 1.0, 1), 0u);
  EXPECT_THAT(sentence_of([&] { MinHashAccuracy::accuracy(folder.str() + "/none", 2, 1, 1); }),
              HasSubstr("No such file"));
  EXPECT_THROW(MinHash(folder.str(), 0, 1), Error);
  EXPECT_THROW(MinHash(folder.str(), 6, 1), Error);  // for 4 terms there are 5 factors
  const MinHashTime times = MinHashTime::timer(folder.str(), 2, 1);
  EXPECT_EQ(times.pairs, 3u);
  EXPECT_EQ(times.estimated_comparisons, 6u);
  EXPECT_EQ(times.exact_comparisons, 9u);
  EXPECT_DOUBLE_EQ(times.mean_exact, (0.5 + 0.5 + 1) / 3);
}

TEST(Course, NamesAreDistinct) {
  const std::vector<NamedText> twice = {{"a", "one"}, {"a", "two"}};
  EXPECT_THAT(sentence_of([&] { TermSets{twice}; }), HasSubstr("two documents are called a"));
}

TEST(Course, ManyTermsKeepTheirNumbers) {
  std::vector<NamedText> texts = {{"a", ""}, {"b", ""}};
  for (std::uint64_t i = 0; i < 60000; ++i) texts[i % 3 == 0].text += made_up_word(i) + " ";
  const TermSets sets(texts);
  EXPECT_EQ(sets.num_terms(), 60000u);
  EXPECT_EQ(sets.terms(0).size(), 40000u);
  EXPECT_EQ(sets.terms(1).front(), 40000u);
  EXPECT_EQ(sets.exact_jaccard(0, 1), 0);
}

}  // namespace
}  // namespace benzer::classics::course
