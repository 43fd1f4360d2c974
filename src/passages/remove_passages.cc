// Decides what is cut out of documents so that the first place of each passage is left.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/passages.h"

#include "base/parallel.h"
#include "base/pool.h"
#include "base/workspace.h"
#include "passages/cut_text.h"
#include "passages/single_words.h"

namespace benzer {
namespace {

void check(const PassageRemovalOptions& options) {
  if (options.gap > 0)
    throw Error(ErrorCode::kInvalidArgument,
                "only equal passages can be removed, since words that differ are nowhere else",
                "leave " + Parameter{"gap"} + " out");
  if (options.features.reads_html())
    throw Error(
        ErrorCode::kInvalidArgument,
        "passages cannot be removed from HTML, since what is read of a page is not its text",
        "leave +html out, or extract the texts before");
  const TextFeatures* text = options.features.text();
  if (text && !text->stop.empty())
    throw Error(
        ErrorCode::kInvalidArgument,
        fmt::format("passages cannot be removed with +stop:{0}, since the stop words in them "
                    "may be nowhere else",
                    text->stop),
        fmt::format("leave +stop:{} out", text->stop));
  if (text && !text->stem.empty())
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("passages cannot be removed with +stem:{0}, since words with the same "
                            "stem differ, and may be nowhere else",
                            text->stem),
                fmt::format("leave +stem:{} out", text->stem));
}

// Reads each document again and decides what is cut out of it.
void find_cuts(Corpus& corpus, const PassageRemovalOptions& options,
               std::vector<DocumentCuts>& documents) {
  constexpr std::size_t kAtATime = 64;
  std::vector<std::uint32_t> numbers;
  for (const DocumentCuts& document : documents) numbers.push_back(document.document);
  corpus.prepare(numbers);
  const FeatureExtractor extractor(single_words(options.features));
  Pool<Corpus::Reader> readers;
  MemoryRoom room(options.memory_limit);
  // Words of 16 bytes, of which every other byte may begin one.
  constexpr std::uint64_t kWordsRoom = 10;
  const int threads = threads_within(resolve_threads(options.threads), options.memory_limit);
  parallel_for(threads, documents.size(), kAtATime, [&](std::size_t begin, std::size_t end) {
    std::unique_ptr<Corpus::Reader> reader = readers.take([&] { return corpus.reader(); });
    for (std::size_t i = begin; i < end; ++i) {
      throw_if_stopped(options.stop);
      DocumentCuts& document = documents[i];
      const DocumentView view = reader->read(document.document);
      const MemoryRoom::Part part = room.take(kWordsRoom * view.bytes);
      const std::vector<TextRange> places = extractor.word_places(view.text);
      document.cuts = cuts_of(view.text, places, document.passages, options.at);
      keep_words_apart(view.text, places, extractor, document.cuts);
      document.words_left = places.size();
      for (const PassageCut& cut : document.cuts) document.words_left -= cut.words;
    }
    readers.give(std::move(reader));
  });
}

}  // namespace

std::uint64_t PassageRemoval::words_left(const TextRun& run, std::uint64_t words) const noexcept {
  const auto document = std::ranges::lower_bound(documents, run.document, {},
                                                 [](const auto& each) { return each.document; });
  if (document == documents.end() || document->document != run.document) return words;
  const std::uint64_t end = run.first_word + words;
  auto each = std::ranges::partition_point(document->cuts, [&](const PassageCut& before) {
    return before.first_word + before.words <= run.first_word;
  });
  std::uint64_t left = words;
  for (; each != document->cuts.end() && each->first_word < end; ++each)
    left -=
        std::min(end, each->first_word + each->words) - std::max(run.first_word, each->first_word);
  return left;
}

PassageRemoval remove_passages(Corpus& corpus, const PassageRemovalOptions& options) {
  check(options);
  PassageRemoval out;
  out.counts = find_passages(corpus, options, [&](const Passage& passage) {
    if (out.documents.empty() || out.documents.back().document != passage.place.document) {
      DocumentCuts& document = out.documents.emplace_back();
      document.document = passage.place.document;
    }
    std::vector<Passage>& passages = out.documents.back().passages;
    passages.push_back(passage);
    passages.back().text = {};
  });
  find_cuts(corpus, options, out.documents);

  // Documents that have, and keep, the first place of what others lose.
  std::vector<bool> is_needed(corpus.size());
  for (const DocumentCuts& document : out.documents)
    for (const PassageCut& cut : document.cuts)
      for (std::uint32_t i = cut.first_passage; i < cut.last_passage; ++i) {
        const Passage& passage = document.passages[i];
        if (out.words_left(passage.first, passage.words) > 0)
          is_needed[passage.first.document] = true;
      }
  for (DocumentCuts& document : out.documents) {
    if (document.cuts.empty()) continue;
    ++out.cut;
    for (const PassageCut& cut : document.cuts) out.removed_words += cut.words;
    document.dropped = document.words_left < options.min_left && !is_needed[document.document];
    if (!document.dropped) continue;
    ++out.dropped;
    out.removed_words += document.words_left;
  }
  return out;
}

}  // namespace benzer
