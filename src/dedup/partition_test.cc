// Tests the steps of a run on several machines: what they pack is read again, damage is refused,
// and they bring together every two documents that one machine finds similar.
#include "benzer/partition.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "dedup/dedup_test_util.h"

namespace benzer {
namespace {

using Pairs = std::vector<DocumentPair>;

// Distributes keys among parts, and returns what is found in all of them, sorted.
KeyBuckets::Found found_in_parts(const std::vector<std::uint64_t>& keys,
                                 const std::vector<std::uint64_t>& documents, std::size_t parts,
                                 std::size_t most) {
  KeyBuckets::Found all;
  for (const std::string& packed : pack_keys(keys, documents, parts)) {
    KeyBuckets buckets;
    buckets.add(packed);
    const KeyBuckets::Found found = buckets.find(most);
    all.pairs.insert(all.pairs.end(), found.pairs.begin(), found.pairs.end());
    all.large.insert(all.large.end(), found.large.begin(), found.large.end());
  }
  std::sort(all.pairs.begin(), all.pairs.end());
  all.pairs.erase(std::unique(all.pairs.begin(), all.pairs.end()), all.pairs.end());
  return all;
}

// Returns the documents of each key with several, by key.
std::map<std::uint64_t, std::set<std::uint64_t>> documents_by_key(
    const std::vector<std::uint64_t>& keys, const std::vector<std::uint64_t>& documents) {
  std::map<std::uint64_t, std::set<std::uint64_t>> out;
  for (std::size_t i = 0; i < keys.size(); ++i)
    out[keys[i]].insert(documents[i * documents.size() / keys.size()]);
  std::erase_if(out, [](const auto& entry) { return entry.second.size() < 2; });
  return out;
}

TEST(KeyBuckets, FindsThePairsOfEqualKeysForAnyNumbersAndParts) {
  TestRandom random(1);
  for (int round = 0; round < 60; ++round) {
    const std::size_t bands = 1 + random.below(5), count = random.below(60);
    const std::size_t most = 1 + random.below(9);
    std::vector<std::uint64_t> documents, keys;
    for (std::size_t i = 0; i < count; ++i)  // 1 to 64 bits, in any order, some of them twice
      documents.push_back(random.next() >> random.below(64));
    for (std::size_t i = 0; i < count * bands; ++i)
      keys.push_back(random.below(4) == 0 ? random.next() : random.below(40));
    std::set<DocumentPair> pairs;
    std::multiset<std::set<std::uint64_t>> large;
    for (const auto& [key, list] : documents_by_key(keys, documents)) {
      if (list.size() > most) {
        large.insert(list);
        continue;
      }
      for (auto a = list.begin(); a != list.end(); ++a)
        for (auto b = std::next(a); b != list.end(); ++b) pairs.insert({*a, *b});
    }
    for (const std::size_t parts : {1, 2, 7, 200}) {
      const KeyBuckets::Found found = found_in_parts(keys, documents, parts, most);
      std::map<std::uint64_t, std::set<std::uint64_t>> found_large;
      for (const KeyEntry& entry : found.large) found_large[entry.key].insert(entry.document);
      std::multiset<std::set<std::uint64_t>> lists;
      for (const auto& [key, list] : found_large) lists.insert(list);
      EXPECT_EQ(found.pairs, Pairs(pairs.begin(), pairs.end())) << round << ' ' << parts;
      EXPECT_EQ(lists, large) << round << ' ' << parts;
    }
  }
}

TEST(KeyBuckets, TakeAboutSixBytesAnEntry) {
  TestRandom random(2);
  std::vector<std::uint64_t> documents(10000);
  for (std::size_t i = 0; i < documents.size(); ++i) documents[i] = (std::uint64_t{3} << 40) + i;
  std::size_t size = 0;
  for (const std::string& packed : pack_keys(random.numbers(200000), documents, 8))
    size += packed.size();
  EXPECT_LT(static_cast<double>(size) / 200000, 6.01);
}

TEST(KeyBuckets, RefuseDamagedBytes) {
  const std::vector<std::uint64_t> documents = {5, 900, std::uint64_t{1} << 63};
  const std::string packed = pack_keys(std::vector<std::uint64_t>{1, 2, 3}, documents, 1)[0];
  std::set<std::size_t> whole;  // lengths at which an entry ends
  for (std::size_t size = 0; size <= packed.size(); ++size) {
    KeyBuckets buckets;
    try {
      buckets.add(packed.substr(0, size));
      whole.insert(size);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kCorrupt);
    }
  }
  EXPECT_EQ(whole.size(), 4U);
  EXPECT_EQ(*whole.rbegin(), packed.size());
  KeyBuckets buckets;
  EXPECT_THROW(buckets.add(std::string(11, '\x80') + "123456"), Error);  // a number without an end
  EXPECT_TRUE(buckets.find(2).pairs.empty());
}

TEST(KeyBuckets, NeedOnePartAndTheSameKeysOfEachDocument) {
  EXPECT_EQ(pack_keys({}, {}, 3), std::vector<std::string>(3));
  EXPECT_THROW(pack_keys({}, {}, 0), Error);
  const std::vector<std::uint64_t> three = {1, 2, 3}, two = {1, 2};
  EXPECT_THROW(pack_keys(three, two, 1), Error);
  EXPECT_THROW(pack_keys(three, {}, 1), Error);
  EXPECT_THROW(pack_keys(two, two, 0), Error);
}

// Returns the components by repeated passes over the pairs, until nothing changes.
Pairs slow_components(const Pairs& pairs) {
  std::map<std::uint64_t, std::uint64_t> lowest;
  for (const DocumentPair& pair : pairs) {
    lowest[pair.a] = pair.a;
    lowest[pair.b] = pair.b;
  }
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (const DocumentPair& pair : pairs) {
      const std::uint64_t least = std::min(lowest[pair.a], lowest[pair.b]);
      has_changed |= lowest[pair.a] != least || lowest[pair.b] != least;
      lowest[pair.a] = lowest[pair.b] = least;
    }
  }
  Pairs out;
  for (const auto& [document, least] : lowest) out.push_back({least, document});
  return out;
}

TEST(Connections, AreTheComponentsInOneStepAndInTwo) {
  TestRandom random(3);
  EXPECT_TRUE(Connections().components().empty());
  for (int round = 0; round < 200; ++round) {
    const std::uint64_t documents = 2 + random.below(60), shift = random.below(58);
    Pairs pairs(random.below(60));
    for (DocumentPair& pair : pairs)
      pair = {random.below(documents) << shift, random.below(documents) << shift};
    Connections all, last;
    all.add(pairs);
    const Pairs expected = slow_components(pairs);
    EXPECT_EQ(all.components(), expected) << round;
    // Each part is connected by itself, and what is found is connected again.
    const std::size_t half = random.below(pairs.size() + 1);
    for (const bool is_first : {true, false}) {
      Connections part;
      part.add(is_first ? std::span(pairs).first(half) : std::span(pairs).subspan(half));
      last.add(part.components());
    }
    EXPECT_EQ(last.components(), expected) << round;
  }
}

TEST(Connections, JoinALongChainInAnyOrder) {
  TestRandom random(4);
  Pairs chain;
  for (std::uint64_t i = 0; i < 20000; ++i) chain.push_back({i + 1, i});
  for (std::size_t i = chain.size(); i > 1; --i) std::swap(chain[i - 1], chain[random.below(i)]);
  Connections connections;
  connections.add(chain);
  const Pairs found = connections.components();
  ASSERT_EQ(found.size(), 20001U);
  for (const DocumentPair& pair : found) EXPECT_EQ(pair.a, 0U);
}

constexpr PartitionKey kKey{0x0123456789ABCDEF, 0xFEDCBA9876543210};

// Returns the lowest document of the component of each, by the steps of a run on several machines.
std::vector<std::uint64_t> components_by_steps(Corpus& corpus, const SimilarityOptions& options,
                                               std::size_t parts, std::size_t most) {
  DedupOptions dedup;
  static_cast<SimilarityOptions&>(dedup) = options;
  const PartitionSketches sketches = sketch_partition(corpus, dedup, kKey);
  Connections connections;
  std::vector<std::uint64_t> documents, keys;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint64_t> firsts;
  for (std::uint64_t d = 0; d < corpus.size(); ++d) {
    if (!sketches.takes_part[d]) continue;
    const auto print = std::pair(sketches.fingerprints[2 * d], sketches.fingerprints[2 * d + 1]);
    const auto [first, is_new] = firsts.emplace(print, d);
    if (!is_new) {
      connections.add(Pairs{{first->second, d}});
      continue;
    }
    documents.push_back(d);
    const auto own = sketches.keys.begin() + static_cast<std::ptrdiff_t>(d * sketches.bands);
    keys.insert(keys.end(), own, own + static_cast<std::ptrdiff_t>(sketches.bands));
  }
  const auto cut = [&](std::uint64_t d) {
    return std::span(sketches.cut).subspan(d * sketches.slots, sketches.slots);
  };
  const KeyBuckets::Found found = found_in_parts(keys, documents, parts, most);
  for (const DocumentPair& pair : found.pairs)
    if (near_signatures(options, cut(pair.a), cut(pair.b))[0]) connections.add(Pairs{pair});
  for (std::size_t begin = 0, end; begin < found.large.size(); begin = end) {
    std::vector<std::uint8_t> cuts;
    for (end = begin; end < found.large.size() && found.large[end].key == found.large[begin].key;
         ++end) {
      const auto one = cut(found.large[end].document);
      cuts.insert(cuts.end(), one.begin(), one.end());
    }
    for (const auto& [a, b] : connect_near_signatures(options, cuts))
      connections.add(Pairs{{found.large[begin + a].document, found.large[begin + b].document}});
  }
  std::vector<std::uint64_t> out(corpus.size());
  for (std::uint64_t d = 0; d < out.size(); ++d) out[d] = d;
  for (const DocumentPair& pair : connections.components()) out[pair.b] = pair.a;
  return out;
}

TEST(Partition, BringsTogetherEveryPairThatIsFound) {
  std::size_t all = 0, apart = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const std::vector<std::string> texts = mixed_texts(seed, 60);
    MemoryCorpus corpus;
    for (std::size_t i = 0; i < texts.size(); ++i)
      corpus.add_text("", texts[i], {seed % 4 == 0 ? std::to_string(i % 2) : "", {}});
    PairsOptions options;
    options.threshold = Threshold::parse(seed % 3 == 0 ? "0.5" : seed % 3 == 1 ? "0.7" : "0.95");
    options.short_policy = seed % 2 == 0 ? ShortPolicy::kExact : ShortPolicy::kKeep;
    if (seed % 5 == 0) options.config.banding = Banding{128, 1};
    for (const std::size_t most : {64, 3}) {
      const auto component = components_by_steps(corpus, options, 1 + seed % 7, most);
      find_pairs(corpus, options, [&](const ScoredPair& pair) {
        ++all;
        EXPECT_EQ(component[pair.a], component[pair.b]) << seed << ": " << texts[pair.a] << '\n'
                                                        << texts[pair.b];
      });
      for (std::uint64_t d = 0; d < component.size(); ++d) apart += component[d] == d;
    }
  }
  EXPECT_GT(all, 1000U);
  EXPECT_GT(apart, 12U * 60U);  // the components are not simply all documents
}

TEST(Partition, SketchesDependOnTheDocumentAndTheKeyAlone) {
  const std::vector<std::string> texts = mixed_texts(5, 20);
  MemoryCorpus whole = corpus_of(texts);
  const PartitionSketches all = sketch_partition(whole, {}, kKey);
  const std::size_t half = texts.size() / 2;
  for (const bool is_first : {true, false}) {
    const std::size_t begin = is_first ? 0 : half, end = is_first ? half : texts.size();
    MemoryCorpus part;
    for (std::size_t i = begin; i < end; ++i) part.add_text("", texts[i]);
    const PartitionSketches some = sketch_partition(part, {}, kKey);
    ASSERT_EQ(some.bands, all.bands);
    ASSERT_EQ(some.slots, all.slots);
    const auto of_part = [&](const auto& list, std::size_t width) {
      auto out = list;
      out.assign(list.begin() + static_cast<std::ptrdiff_t>(begin * width),
                 list.begin() + static_cast<std::ptrdiff_t>(end * width));
      return out;
    };
    EXPECT_EQ(some.fingerprints, of_part(all.fingerprints, 2));
    EXPECT_EQ(some.keys, of_part(all.keys, all.bands));
    EXPECT_EQ(some.cut, of_part(all.cut, all.slots));
    EXPECT_EQ(some.bytes, of_part(all.bytes, 1));
    EXPECT_EQ(some.takes_part, of_part(all.takes_part, 1));
    EXPECT_EQ(some.is_short, of_part(all.is_short, 1));
  }
  // Another key gives other fingerprints, and the same of everything that decides.
  const PartitionSketches other = sketch_partition(whole, {}, {kKey.first + 1, kKey.second});
  EXPECT_EQ(other.keys, all.keys);
  EXPECT_EQ(other.cut, all.cut);
  for (std::size_t d = 0; d < texts.size(); ++d)
    if (all.takes_part[d]) {
      EXPECT_NE(other.fingerprints[2 * d], all.fingerprints[2 * d]) << d;
    }
}

TEST(Partition, RefusesWhatNeedsAllDocuments) {
  MemoryCorpus corpus = corpus_of({"a text of six words here"});
  for (const char* features : {"text:word5+drop-common:0.1", "text:word5+tf-idf", "image:sift"}) {
    DedupOptions options;
    options.config.features = FeatureSpec::parse(features);
    try {
      sketch_partition(corpus, options, kKey);
      ADD_FAILURE() << features;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::kInvalidArgument) << features;
    }
  }
  const SimilarityOptions options;
  const std::vector<std::uint8_t> one(options.config.sketch.slots), more(one.size() + 1);
  EXPECT_THROW(near_signatures(options, one, more), Error);
  EXPECT_THROW(near_signatures(options, more, more), Error);
  EXPECT_THROW(connect_near_signatures(options, more), Error);
  EXPECT_EQ(near_signatures(options, one, one), std::vector<std::uint8_t>{1});
  for (const int slots : {0, -1, 4097}) {
    SimilarityOptions other;
    other.config.sketch.slots = slots;
    EXPECT_THROW(near_signatures(other, one, one), Error) << slots;
    EXPECT_THROW(connect_near_signatures(other, one), Error) << slots;
  }
}

}  // namespace
}  // namespace benzer
