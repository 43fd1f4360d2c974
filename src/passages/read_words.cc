#include "passages/read_words.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/pool.h"
#include "base/record_log.h"
#include "base/secret.h"
#include "base/splitmix.h"
#include "base/stage_log.h"

namespace benzer {
namespace {

// Reads the words of each document and samples their shingles.
class WordVisitor : public DocumentVisitor {
 public:
  WordVisitor(const WordReading& reading, std::string_view stage)
      : reading_(reading), stage_(stage), room_(reading.options.memory_limit) {}

  std::unique_ptr<Block> start_block() override {
    throw_if_stopped(reading_.options.stop);
    return blocks_.take([this] { return make_block(); });
  }

  void finish_block(std::unique_ptr<Block> finished) override {
    auto& block = static_cast<WordBlock&>(*finished);
    take(block, documents_);
    documents_ += std::exchange(block.documents, 0);
    if (reading_.options.progress) reading_.options.progress({stage_, documents_, 0});
    blocks_.give(std::move(finished));
  }

 protected:
  struct WordBlock : Block {
    explicit WordBlock(WordVisitor& owner)
        : visitor(owner), buffer(owner.reading_.options.stop), sampler(owner.reading_.sampler) {}

    void add(const DocumentView& document) final {
      const MemoryRoom::Part part = visitor.room_.take(kBytesPerByte * document.bytes);
      visitor.reading_.extractor.extract(document.text, buffer);
      sampler.sample(buffer.features(), samples);
      add_words(document);
      ++documents;
      if (!part) return;
      buffer = FeatureBuffer(visitor.reading_.options.stop);
      sampler = ShingleSampler(visitor.reading_.sampler);  // frees the working memory
      samples = std::vector<ShingleSample>();
    }
    // Receives the document whose words are buffer.features(), with their samples.
    virtual void add_words(const DocumentView& document) = 0;

    WordVisitor& visitor;
    FeatureBuffer buffer;
    ShingleSampler sampler;
    std::vector<ShingleSample> samples;
    std::uint32_t documents = 0;
  };

  virtual std::unique_ptr<Block> make_block() = 0;
  // Receives a block, whose first document has this number, and empties it.
  virtual void take(WordBlock& block, std::uint32_t first) = 0;

  const WordReading& reading_;

 private:
  // Memory that a byte of text takes, at most: every other one is a word of 8 bytes, with a shingle
  // and a sample; and the text.
  static constexpr std::uint64_t kBytesPerByte = 18;

  std::string_view stage_;
  MemoryRoom room_;
  std::uint32_t documents_ = 0;
  Pool<Block> blocks_;
};

class RepeatVisitor : public WordVisitor {
 public:
  RepeatVisitor(const WordReading& reading, PassageCounts& counts)
      : WordVisitor(reading, "read"),
        counts_(counts),
        sorter_(reading.workspace, reading.workspace.share(4)) {}

  std::string made_by() const override {
    // What is kept is not to tell the seed.
    FeatureSpec words = reading_.extractor.spec();
    const std::uint64_t seed = splitmix64(splitmix64(std::exchange(words.seed, 0)));
    return fmt::format("words of passages={}\nshingle={}\nwindow={}\n{}{:016x}\n", words.str(),
                       reading_.sampler.shingle(), reading_.sampler.window(), kSecretLine, seed);
  }

  KeyFilter finish() {
    const BigList<std::uint64_t> shingles = sorter_.finish();
    std::uint64_t repeated = 0;
    for_each_repeated(shingles, [&](std::uint64_t) { ++repeated; });
    // It decides which words are kept, and what is kept of their runs depends on that.
    const std::uint64_t secret = splitmix64(reading_.extractor.spec().seed);
    KeyFilter filter(repeated, reading_.workspace.share(8), secret);
    for_each_repeated(shingles, [&](std::uint64_t shingle) { filter.add(shingle); });
    return filter;
  }

 private:
  struct Facts {
    std::uint64_t bytes, words, replaced;
  };
  struct RepeatBlock final : WordBlock {
    using WordBlock::WordBlock;
    void add_words(const DocumentView& document) override {
      const bool replaced = document.replaced || buffer.replaced() > 0;
      facts.push_back({document.bytes, buffer.features().size(), replaced ? 1U : 0U});
      const std::size_t begin = shingles.size();
      for (const ShingleSample& sample : samples) shingles.push_back(sample.hash);
      const auto first = shingles.begin() + static_cast<std::ptrdiff_t>(begin);
      std::sort(first, shingles.end());
      shingles.erase(std::unique(first, shingles.end()), shingles.end());
    }
    void save(std::string& out) const override {
      FieldWriter fields(out);
      fields.list(facts);
      fields.list(shingles);
    }
    void load(std::string_view bytes, std::size_t loaded) override {
      FieldReader fields(bytes);
      fields.list(facts);
      fields.list(shingles);
      if (facts.size() != loaded || !fields.at_end())
        throw Error(ErrorCode::kCorrupt, "a stage holds other numbers of documents than it says");
      documents = static_cast<std::uint32_t>(loaded);
    }
    std::vector<Facts> facts;
    std::vector<std::uint64_t> shingles;  // of each document, each once
  };

  std::unique_ptr<Block> make_block() override { return std::make_unique<RepeatBlock>(*this); }

  void take(WordBlock& words, std::uint32_t first) override {
    auto& block = static_cast<RepeatBlock&>(words);
    const std::uint32_t references = reading_.corpus.references();
    for (const Facts& facts : block.facts) {
      if (first++ < references) continue;
      ++counts_.documents;
      counts_.bytes += facts.bytes;
      counts_.words += facts.words;
      counts_.replaced += facts.replaced;
    }
    for (const std::uint64_t shingle : block.shingles) sorter_.add(shingle);
    block.facts.clear();
    block.shingles.clear();
  }

  template <class Visit>
  static void for_each_repeated(const BigList<std::uint64_t>& shingles, Visit visit) {
    std::uint64_t before = 0, times = 0;
    shingles.for_each([&](std::uint64_t shingle) {
      times = shingle == before ? times + 1 : 1;
      if (times == 2) visit(shingle);
      before = shingle;
    });
  }

  PassageCounts& counts_;
  Sorter<std::uint64_t> sorter_;
};

class KeepVisitor : public WordVisitor {
 public:
  KeepVisitor(const WordReading& reading, const KeyFilter& repeated, KeptWords& words)
      : WordVisitor(reading, "keep"),
        repeated_(repeated),
        words_(words),
        parts_(reading.workspace, reading.workspace.share(32)),
        shingles_(reading.workspace, reading.workspace.share(6)) {
    const PassageOptions& options = reading.options;
    digest(std::string(version()));
    digest(std::array<std::uint64_t, 4>{reading.sampler.shingle(), reading.sampler.window(),
                                        options.min_words, options.gap});
  }

  KeptTexts finish() {
    words_.finish();
    return {parts_.finish(), shingles_.finish()};
  }

 private:
  // A part of a document, and its sampled shingles.
  struct Part {
    std::uint32_t document;  // its place in the block
    std::uint64_t first_word, words, shingles;
  };
  struct Shingle {
    std::uint64_t hash;
    std::uint64_t word;  // counted from the beginning of the part
    std::uint32_t gap;
  };
  struct KeepBlock final : WordBlock {
    KeepBlock(KeepVisitor& owner) : WordBlock(owner), keeper(owner) {}

    void add_words(const DocumentView& document) override {
      groups.push_back(keeper.group_of(document));
      const std::span<const std::uint64_t> all = buffer.features();
      const bool whole = keeper.reading_.options.gap > 0;
      const std::uint64_t before = whole ? all.size() : sampler.window() + 1;
      const std::uint64_t after = whole ? all.size() : sampler.shingle() + sampler.window() + 1;
      std::uint64_t end = 0;   // of the last part
      std::uint64_t last = 0;  // the sample before
      for (const ShingleSample& sample : samples) {
        if (!keeper.repeated_.contains(sample.hash)) continue;
        const std::uint64_t begin = sample.word - std::min<std::uint64_t>(before, sample.word);
        const bool is_new = end == 0 || begin > end;
        if (is_new) {
          parts.push_back({documents, begin, 0, 0});
          end = begin;
        }
        const std::uint64_t needed = std::min<std::uint64_t>(sample.word + after, all.size());
        words.insert(words.end(), all.begin() + static_cast<std::ptrdiff_t>(end),
                     all.begin() + static_cast<std::ptrdiff_t>(needed));
        end = needed;
        Part& part = parts.back();
        part.words = end - part.first_word;
        ++part.shingles;
        shingles.push_back({sample.hash, sample.word - part.first_word,
                            is_new ? 0 : static_cast<std::uint32_t>(sample.word - last)});
        last = sample.word;
      }
    }

    KeepVisitor& keeper;
    std::vector<std::uint64_t> groups;  // of each document
    std::vector<Part> parts;
    std::vector<Shingle> shingles;
    std::vector<std::uint64_t> words;  // of all parts
  };

  std::unique_ptr<Block> make_block() override { return std::make_unique<KeepBlock>(*this); }

  // Returns 0 for a document that is a group of its own.
  std::uint64_t group_of(const DocumentView& document) const {
    if (!reading_.options.across_groups || document.group.empty()) return 0;
    return std::max<std::uint64_t>(secret_hash(document.group), 1);
  }
  // Returns the number of the first document of the group. If there are references, all documents
  // besides these are one group, so that passages are found in references only.
  std::uint32_t owner_of(std::uint32_t document, std::uint64_t group) {
    const std::uint32_t references = reading_.corpus.references();
    if (references > 0) return std::min(document, references);
    return group == 0 ? document : owners_.try_emplace(group, document).first->second;
  }

  void take(WordBlock& finished, std::uint32_t first) override {
    auto& block = static_cast<KeepBlock&>(finished);
    owners_of_block_.clear();
    for (std::uint32_t i = 0; i < block.groups.size(); ++i)
      owners_of_block_.push_back(owner_of(first + i, block.groups[i]));
    std::span<const std::uint64_t> words = block.words;
    std::span<const Shingle> shingles = block.shingles;
    for (const Part& part : block.parts) {
      const WordPlace begin = words_.append(words.first(part.words));
      digest(words.first(part.words));
      words = words.subspan(part.words);
      const std::uint32_t document = first + part.document;
      parts_.add({begin, document, part.first_word});
      digest(std::array<std::uint64_t, 3>{begin, document, part.first_word});
      places_.clear();
      for (const Shingle& shingle : shingles.first(part.shingles))
        places_.push_back(
            {shingle.hash, begin + shingle.word, owners_of_block_[part.document], shingle.gap});
      for (const ShinglePlace& place : places_) shingles_.add(place);
      digest(places_);
      shingles = shingles.subspan(part.shingles);
    }
    block.groups.clear();
    block.parts.clear();
    block.shingles.clear();
    block.words.clear();
  }

  // All that runs follow from.
  template <class List>
  void digest(const List& items) {
    if (!reading_.options.keep_stages) return;
    static_assert(std::has_unique_object_representations_v<std::decay_t<decltype(*items.data())>>);
    words_.add_to_digest(
        {reinterpret_cast<const char*>(items.data()), items.size() * sizeof *items.data()});
  }

  const KeyFilter& repeated_;
  KeptWords& words_;
  Sorter<KeptPart> parts_;
  Sorter<ShinglePlace> shingles_;
  std::unordered_map<std::uint64_t, std::uint32_t> owners_;  // of each group; its hash is secret
  std::vector<std::uint32_t> owners_of_block_;
  std::vector<ShinglePlace> places_;  // of one part
};

}  // namespace

KeyFilter find_repeated_shingles(const WordReading& reading, PassageCounts& counts) {
  RepeatVisitor visitor(reading, counts);
  reading.corpus.scan(visitor, reading.threads);
  counts.references = reading.corpus.references();
  return visitor.finish();
}

KeptTexts keep_words(const WordReading& reading, const KeyFilter& repeated, KeptWords& words) {
  KeepVisitor visitor(reading, repeated, words);
  reading.corpus.scan_again(visitor, reading.threads);
  return visitor.finish();
}

}  // namespace benzer
