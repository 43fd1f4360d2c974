// Computes Jaccard similarities as the blog on C# does, of lists of integers, and of texts under
// the five document models that it names.
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/features.h"
#include "benzer/research/classics/blog.h"
#include "benzer/similarity.h"
#include "benzer/sketch.h"

#include "report/plot.h"
#include "research/experiments/blog_findings.h"
#include "research/experiments/course_texts.h"
#include "research/experiments/runs.h"

namespace benzer::experiments {
namespace {

constexpr std::string_view kFirst =
    "The old lighthouse on the north shore was built in 1874. For more than a hundred years its "
    "lamp showed the fishing boats the way into the harbour, and the keeper climbed the 112 steps "
    "every evening. Today the lamp is switched on by a clock, the keeper's house is a small "
    "museum, "
    "and on clear days the visitors can see the islands on the other side of the bay.";
constexpr std::string_view kSecond =
    "Built in 1874, the old lighthouse on the north shore showed the fishing boats the way into "
    "the "
    "harbour for more than a hundred years. Every evening the keeper climbed the 112 steps to the "
    "lamp. Today a clock switches the lamp on, the house of the keeper is a small museum, and on "
    "clear days the visitors see the islands on the other side of the bay.";

struct Model {
  const char* words;
  const char* spec;
};
constexpr Model kModels[] = {
    {"words", "text:word1"},
    {"words without stop words", "text:word1+stop:en"},
    {"words with their frequency", "text:word1+bag"},
    {"character shingles of 5", "text:char5"},
    {"pairs of words", "text:word2"},
    {"Benzer's own default: five words", "text:word5"},
};

}  // namespace

ExperimentResult blog_jaccard(const ExperimentOptions& options) {
  ExperimentResult out;
  out.title = "Jaccard similarity of integers, and of a text under each document model";
  std::string first(kFirst), second(kSecond);
  std::string pair = "two paragraphs about a lighthouse that say the same in another order";
  if (!options.data.empty()) {
    const Texts texts = texts_for(options);
    first = texts.originals[0].text;
    second = texts.originals[1].text;
    pair = fmt::format("the texts {} and {}", texts.originals[0].name, texts.originals[1].name);
  }
  out.parameters = fmt::format("the three documents of the blog; {}; signatures fss:128", pair);
  const std::vector<std::vector<std::int32_t>> documents = {{2, 3, 4, 2}, {1, 5, 4, 2}, {1}};
  ExperimentTable integers{"blog-jaccard-integers",
                           "The documents of the blog's test, as lists of word numbers",
                           {"first", "second", "Jaccard", "the blog prints"},
                           {}};
  bool agrees = true;
  for (const auto& [other, printed] :
       std::vector<std::pair<std::size_t, double>>{{1, 0.4}, {0, 1}, {2, 0}}) {
    const double found = classics::blog::Jaccard::calc(documents[0], documents[other]);
    agrees = agrees && found == printed;
    integers.rows.push_back({fmt::format("{}", fmt::join(documents[0], " ")),
                             fmt::format("{}", fmt::join(documents[other], " ")),
                             {found, 1},
                             {printed, 1}});
  }
  ExperimentTable texts{"blog-jaccard-models",
                        "The two texts under each document model",
                        {"model", "features", "of A", "of B", "in both", "Jaccard", "estimate"},
                        {}};
  std::vector<double> found;
  for (const Model& model : kModels) {
    const FeatureSpec spec = FeatureSpec::parse(model.spec);
    const FeatureExtractor extractor(spec);
    FeatureBuffer buffer;
    extractor.extract(first, buffer);
    const FeatureSet a(buffer.features());
    extractor.extract(second, buffer);
    const FeatureSet b(buffer.features());
    const Overlap both = overlap(a, b);
    const MinHasher hasher(SketchSpec{}, spec);
    found.push_back(both.jaccard());
    texts.rows.push_back(
        {model.words,
         model.spec,
         ExperimentCell::count(a.size()),
         ExperimentCell::count(b.size()),
         ExperimentCell::count(both.intersection),
         {both.jaccard(), 3},
         {estimate_jaccard(hasher.sketch(a.features()), hasher.sketch(b.features())), 3}});
  }
  out.tables = {integers, texts};
  plot::Frame frame;
  frame.title = "Jaccard similarity of the two texts under each document model";
  frame.x = {"document model", 0, 1, false};
  frame.y = {"Jaccard similarity", 0, 1.1, false};
  frame.width = 680;
  frame.height = 260;
  std::vector<std::string> names;
  for (const Model& model : kModels) names.emplace_back(model.spec);
  out.charts = {{"blog-jaccard", frame.title,
                 plot::categories(frame, names, {{"", found, plot::Colour::kFirst}})}};
  add_judged(out, judge_blog_jaccard({agrees, found[0], found[1], found[2], found[5]}));
  return out;
}

}  // namespace benzer::experiments
