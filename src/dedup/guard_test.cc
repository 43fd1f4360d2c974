#include <gtest/gtest.h>

#include "benzer/dedup.h"

namespace benzer {
namespace {

// A corpus that knows only its sources and references, which is all that guard rails need.
class FakeCorpus final : public Corpus {
 public:
  FakeCorpus(std::vector<std::uint32_t> sizes, std::uint32_t references)
      : sizes_(std::move(sizes)), names_(sizes_.size()), references_(references) {}
  void scan(DocumentVisitor&, int) override {}
  std::uint32_t size() const noexcept override {
    std::uint32_t sum = 0;
    for (const std::uint32_t size : sizes_) sum += size;
    return sum;
  }
  DocumentLabel label(std::uint32_t) const override { return {}; }
  std::uint32_t references() const noexcept override { return references_; }
  std::span<const std::string> sources() const override { return names_; }
  std::uint32_t source_of(std::uint32_t document) const override {
    std::uint32_t source = 0;
    for (; document >= sizes_[source]; ++source) document -= sizes_[source];
    return source;
  }
  void prepare(std::span<const std::uint32_t>) override {}
  std::unique_ptr<Reader> reader() const override { return nullptr; }

 private:
  std::vector<std::uint32_t> sizes_;
  std::vector<std::string> names_;
  std::uint32_t references_;
};

// Returns a result that removes the documents [begin, end) because of one keeper.
DedupResult removing(const FakeCorpus& corpus, std::uint32_t keeper, std::uint32_t begin,
                     std::uint32_t end) {
  DedupResult result;
  result.counts.references = corpus.references();
  result.counts.documents = corpus.size() - corpus.references();
  for (std::uint32_t document = begin; document < end; ++document)
    result.removed.push_back({document, keeper, 0.9});
  return result;
}

TEST(GuardRails, SoundAboveTheirLimitsOnly) {
  using Kind = GuardRailBreach::Kind;
  struct Case {
    const char* name;
    std::vector<std::uint32_t> sizes;
    std::uint32_t references, keeper, begin, end;
    std::vector<GuardRailBreach> breaches;
  };
  for (const Case& c : std::vector<Case>{
           {"a tenth", {10000}, 0, 0, 1, 1000, {}},
           {"more than a tenth", {10000}, 0, 0, 1, 1001, {{Kind::kCluster, 0, 1001, 10000}}},
           {"a small corpus", {9999}, 0, 0, 1, 8999, {}},
           {"nine tenths of a source", {9000, 1000}, 0, 0, 9000, 9900, {}},
           {"a source that vanishes",
            {9000, 1000},
            0,
            0,
            9000,
            9901,
            {{Kind::kSource, 1, 901, 1000}}},
           {"a small source", {9001, 999}, 0, 0, 9001, 10000, {}},
           {"copies of a reference",
            {500, 10000},
            500,
            3,
            500,
            1501,
            {{Kind::kCluster, 3, 1001, 10000}}},
       }) {
    const FakeCorpus corpus(c.sizes, c.references);
    const auto breaches = check_guard_rails(corpus, removing(corpus, c.keeper, c.begin, c.end));
    EXPECT_EQ(breaches, c.breaches) << c.name;
  }
}

}  // namespace
}  // namespace benzer
