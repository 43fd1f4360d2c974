#include "benzer/passage_report.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "benzer/runtime.h"

#include "report/evidence.h"
#include "report/passage_choice.h"
#include "report/passage_evidence.h"
#include "report/passage_page.h"

namespace benzer {
namespace {

using report::ChosenDocument;
using report::PassageEvidence;
using report::ShownDocument;
using report::ShownFrequent;
using report::ShownPassage;
using report::TextCutter;

// What is to be cut out of the text of a document.
using Cuts = std::map<std::uint32_t, std::vector<std::function<void(const TextCutter::Text&)>>>;

// Reads each document once.
void read_all(Corpus::Reader& reader, const TextCutter& cutter, const Cuts& cuts,
              const std::atomic<bool>* stop) {
  for (const auto& [document, list] : cuts) {
    throw_if_stopped(stop);
    const TextCutter::Text text = cutter.read(reader.read(document).text);
    for (const auto& cut : list) cut(text);
  }
}

}  // namespace

struct PassageReporter::Impl {
  PassageOptions options;
  report::PassageChoice choice;
};

PassageReporter::PassageReporter(const PassageOptions& options)
    : impl_(std::make_unique<Impl>(options)) {}

PassageReporter::~PassageReporter() = default;

void PassageReporter::add(const Passage& passage) { impl_->choice.add(passage); }

std::string PassageReporter::html(Corpus& corpus, const PassageCounts& counts,
                                  const RunFacts& facts) {
  report::PassageChoice& choice = impl_->choice;
  choice.finish();
  PassageEvidence out;
  out.options = impl_->options;
  out.counts = counts;
  out.run = facts;
  out.version = version();
  for (const report::Origin& origin : choice.origins(out.all_origins))
    out.origins.push_back({origin, report::reported_document(corpus, origin.number)});
  for (const report::FrequentPassage& passage : choice.frequent())
    out.frequent.push_back(
        {passage, report::reported_document(corpus, passage.first.document), {}});
  std::map<std::uint32_t, std::size_t> places;
  const auto show = [&](const std::vector<ChosenDocument>& list, std::vector<std::size_t>& shown) {
    for (const ChosenDocument& chosen : list) {
      const auto [place, is_new] = places.try_emplace(chosen.number, out.documents.size());
      if (is_new) out.documents.push_back(report::shown_document(corpus, chosen));
      shown.push_back(place->second);
    }
  };
  show(choice.by_share, out.by_share);
  show(choice.by_length, out.by_length);
  show(choice.sample, out.sample);

  // First the words of near passages, which their first places are compared with.
  const TextCutter cutter(impl_->options);
  Cuts words, firsts, texts;
  for (ShownDocument& document : out.documents) {
    words[document.chosen.number].emplace_back(
        [&](const TextCutter::Text& text) { cutter.read_words(text, document); });
    texts[document.chosen.number].emplace_back(
        [&](const TextCutter::Text& text) { cutter.cut_document(text, document); });
    for (ShownPassage& passage : document.passages)
      firsts[passage.passage.first.document].emplace_back(
          [&](const TextCutter::Text& text) { cutter.cut_first(text, passage); });
  }
  for (ShownFrequent& frequent : out.frequent)
    firsts[frequent.passage.first.document].emplace_back(
        [&](const TextCutter::Text& text) { cutter.cut_frequent(text, frequent); });
  std::vector<std::uint32_t> documents;
  for (const Cuts* cuts : {&firsts, &texts})
    for (const auto& [document, list] : *cuts) documents.push_back(document);
  std::ranges::sort(documents);
  documents.erase(std::ranges::unique(documents).begin(), documents.end());
  if (impl_->options.progress) impl_->options.progress({"report", 0, documents.size()});
  corpus.prepare(documents);
  const std::unique_ptr<Corpus::Reader> reader = corpus.reader();
  if (impl_->options.gap > 0) read_all(*reader, cutter, words, impl_->options.stop);
  read_all(*reader, cutter, firsts, impl_->options.stop);
  read_all(*reader, cutter, texts, impl_->options.stop);
  return report::passage_page(out);
}

}  // namespace benzer
