// Measures how similar a text is to itself after an edit: by kind of edit, features and sketch.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benzer/banding.h"
#include "benzer/features.h"
#include "benzer/similarity.h"
#include "benzer/sketch.h"

#include "research/experiments/chart.h"
#include "research/experiments/course_texts.h"
#include "research/experiments/errors.h"
#include "research/experiments/later_findings.h"
#include "research/experiments/runs.h"
#include "research/experiments/text_edits.h"
#include "research/experiments/work.h"

namespace benzer::experiments {
namespace {

constexpr std::array kFeatures = {"text:word1", "text:word3", "text:word5",
                                  "text:char5", "text:char9", "text:word3+html"};
constexpr std::array kSketches = {"fss:128", "kperm:128"};
constexpr std::array kThresholds = {0.8, 0.5};

struct Pair {
  double jaccard = 0;
  std::array<double, kSketches.size()> estimate{};
  // By sketch and threshold: whether the planned bands meet.
  std::array<std::array<bool, kThresholds.size()>, kSketches.size()> met{};
};

// The results for one kind of features: pairs by edit, each list in the order of the texts.
struct OfFeatures {
  std::vector<std::vector<Pair>> edits;
  double best_stranger = 0;
  std::array<std::uint64_t, kThresholds.size()> strangers{};  // that reach the threshold
};

bool meet(const Banding& banding, const Signature& a, const Signature& b) {
  const auto bands = static_cast<std::size_t>(banding.bands);
  std::vector<std::uint64_t> of_a(bands), of_b(bands);
  banding.keys(a.slots, of_a);
  banding.keys(b.slots, of_b);
  for (std::size_t band = 0; band < bands; ++band)
    if (of_a[band] == of_b[band]) return true;
  return false;
}

// Another text, from which edits take words.
const std::string& other_text(const std::vector<NamedText>& texts, std::size_t i) {
  return texts[(i + texts.size() / 2) % texts.size()].text;
}

OfFeatures measure(const ExperimentOptions& options, const std::vector<NamedText>& texts,
                   const char* features) {
  const FeatureSpec spec = FeatureSpec::parse(features);
  const FeatureExtractor extractor(spec);
  std::vector<MinHasher> hashers;
  for (const char* sketch : kSketches) hashers.emplace_back(SketchSpec::parse(sketch), spec);
  std::vector<Banding> bandings;
  for (const double threshold : kThresholds)
    bandings.push_back(plan({.threshold = threshold}).banding);
  const auto edits = text_edits();
  OfFeatures out;
  out.edits.assign(edits.size(), std::vector<Pair>(texts.size()));
  std::vector<FeatureSet> sets(texts.size());
  for_trials(options, texts.size(), [&](std::size_t i) {
    FeatureBuffer buffer;
    const auto set_of = [&](const std::string& text) {
      extractor.extract(text, buffer);
      return FeatureSet(buffer.features());
    };
    sets[i] = set_of(texts[i].text);
    std::vector<Signature> own;
    for (const MinHasher& hasher : hashers) own.push_back(hasher.sketch(sets[i].features()));
    for (std::size_t e = 0; e < edits.size(); ++e) {
      Draws draws(options.seed, 0xED17 + e, i);
      const FeatureSet edited = set_of(edits[e].apply(texts[i].text, other_text(texts, i), draws));
      Pair& pair = out.edits[e][i];
      pair.jaccard = overlap(sets[i], edited).jaccard();
      for (std::size_t h = 0; h < hashers.size(); ++h) {
        const Signature signature = hashers[h].sketch(edited.features());
        pair.estimate[h] = estimate_jaccard(own[h], signature);
        for (std::size_t t = 0; t < bandings.size(); ++t)
          pair.met[h][t] = meet(bandings[t], own[h], signature);
      }
    }
  });
  struct Strangers {
    double best = 0;
    std::array<std::uint64_t, kThresholds.size()> reach{};
  };
  std::vector<Strangers> rows(texts.size());
  for_trials(options, texts.size(), [&](std::size_t a) {
    OverlapCounter counter;
    counter.load(sets[a].features());
    for (std::size_t b = a + 1; b < texts.size(); ++b) {
      const double jaccard = counter.compare(sets[b].features()).jaccard();
      rows[a].best = std::max(rows[a].best, jaccard);
      for (std::size_t t = 0; t < kThresholds.size(); ++t)
        rows[a].reach[t] += jaccard >= kThresholds[t] ? 1 : 0;
    }
  });
  for (const Strangers& row : rows) {
    out.best_stranger = std::max(out.best_stranger, row.best);
    for (std::size_t t = 0; t < kThresholds.size(); ++t) out.strangers[t] += row.reach[t];
  }
  return out;
}

double mean_jaccard(const std::vector<Pair>& pairs) {
  double sum = 0;
  for (const Pair& pair : pairs) sum += pair.jaccard;
  return sum / static_cast<double>(pairs.size());
}

double share_reaching(const std::vector<Pair>& pairs, double threshold) {
  const auto found = std::count_if(pairs.begin(), pairs.end(),
                                   [&](const Pair& pair) { return pair.jaccard >= threshold; });
  return static_cast<double>(found) / static_cast<double>(pairs.size());
}

// The share of pairs that a run finds and reports: the bands meet, and the exact similarity, which
// a run computes, reaches the threshold.
double share_found(const std::vector<Pair>& pairs, std::size_t sketch, std::size_t threshold) {
  const auto found = std::count_if(pairs.begin(), pairs.end(), [&](const Pair& pair) {
    return pair.met[sketch][threshold] && pair.jaccard >= kThresholds[threshold];
  });
  return static_cast<double>(found) / static_cast<double>(pairs.size());
}

template <class Value>
ExperimentTable by_edit(const std::string& name, const std::string& title,
                        const std::vector<OfFeatures>& all, Value value) {
  ExperimentTable out{name, title, {"edit", "what"}, {}};
  for (const char* features : kFeatures) out.columns.emplace_back(features);
  const auto edits = text_edits();
  for (std::size_t e = 0; e < edits.size(); ++e) {
    auto& row = out.rows.emplace_back();
    row = {std::string(edits[e].name), std::string(edits[e].what)};
    for (const OfFeatures& of : all) row.emplace_back(value(of.edits[e]), 3);
  }
  return out;
}

ExperimentTable table_of_sketches(const std::vector<OfFeatures>& all) {
  ExperimentTable out{"text-sketches",
                      "What sketches and planned bands find of the pairs that reach a threshold",
                      {"features", "sketch", "threshold", "bands x rows", "pairs that reach it",
                       "found", "recall", "RMS error of the estimate", "bias"},
                      {}};
  for (std::size_t f = 0; f < all.size(); ++f) {
    for (std::size_t h = 0; h < kSketches.size(); ++h) {
      for (std::size_t t = 0; t < kThresholds.size(); ++t) {
        std::uint64_t reach = 0, found = 0;
        ErrorSum error;
        for (const auto& pairs : all[f].edits) {
          for (const Pair& pair : pairs) {
            error.add(pair.estimate[h], pair.jaccard);
            if (pair.jaccard < kThresholds[t]) continue;
            ++reach;
            found += pair.met[h][t] ? 1 : 0;
          }
        }
        out.rows.push_back(
            {kFeatures[f],
             kSketches[h],
             {kThresholds[t], 1},
             plan({.threshold = kThresholds[t]}).banding.str(),
             ExperimentCell::count(reach),
             ExperimentCell::count(found),
             {reach == 0 ? 0 : static_cast<double>(found) / static_cast<double>(reach), 4},
             {error.rms(), 4},
             {error.bias(), 4}});
      }
    }
  }
  return out;
}

ExperimentTable table_of_strangers(const std::vector<OfFeatures>& all) {
  ExperimentTable out{"text-strangers",
                      "How alike different texts are",
                      {"features", "best score", "pairs >= 0.8", "pairs >= 0.5"},
                      {}};
  for (std::size_t f = 0; f < all.size(); ++f)
    out.rows.push_back({kFeatures[f],
                        {all[f].best_stranger, 3},
                        ExperimentCell::count(all[f].strangers[0]),
                        ExperimentCell::count(all[f].strangers[1])});
  return out;
}

// The names of the edits for which fewer than half of the texts reach the threshold.
std::string lost(const OfFeatures& of, double threshold) {
  std::string out;
  const auto edits = text_edits();
  for (std::size_t e = 0; e < edits.size(); ++e)
    if (share_reaching(of.edits[e], threshold) < 0.5)
      out += fmt::format("{}{}", out.empty() ? "" : ", ", edits[e].name);
  return out.empty() ? "none" : out;
}

EditedTexts numbers_of(const std::vector<OfFeatures>& all) {
  const auto edits = text_edits();
  const auto of_edit = [&](std::string_view name) {
    EditedBy out;
    for (std::size_t e = 0; e < edits.size(); ++e) {
      if (edits[e].name != name) continue;
      const auto mean = [&](std::size_t features) { return mean_jaccard(all[features].edits[e]); };
      out = {mean(0), mean(1), mean(2), mean(3), mean(5)};
    }
    return out;
  };
  EditedTexts out{.words_1 = of_edit("words-1"),
                  .words_5 = of_edit("words-5"),
                  .words_10 = of_edit("words-10"),
                  .misread_3 = of_edit("misread-3"),
                  .case_ = of_edit("case"),
                  .marks = of_edit("marks"),
                  .markup = of_edit("markup")};
  for (std::size_t f = 0; f < all.size(); ++f)
    out.features.push_back(
        {kFeatures[f], lost(all[f], 0.8), lost(all[f], 0.5), all[f].best_stranger});
  for (const OfFeatures& of : all)
    for (const auto& pairs : of.edits)
      for (const Pair& pair : pairs) {
        if (pair.jaccard < kThresholds[0]) continue;
        ++out.reach;
        out.found_by_fss += pair.met[0][0] ? 1 : 0;
        out.found_by_kperm += pair.met[1][0] ? 1 : 0;
      }
  return out;
}

}  // namespace

ExperimentResult edited_texts(const ExperimentOptions& options) {
  Texts source = texts_for(options);
  std::vector<NamedText> texts = std::move(source.originals);
  const std::size_t most = options.full ? 2000 : 200;
  // Takes some texts of all kinds, evenly.
  if (texts.size() > most) {
    std::vector<NamedText> some;
    for (std::size_t i = 0; i < most; ++i)
      some.push_back(std::move(texts[i * texts.size() / most]));
    texts = std::move(some);
  }
  std::vector<OfFeatures> all;
  for (const char* features : kFeatures) all.push_back(measure(options, texts, features));

  ExperimentResult out;
  out.title = "What edits leave of a text's similarity, by features and sketch";
  out.parameters = fmt::format("{}{} texts, each edited in {} ways; {} pairs of different texts",
                               source.made_up ? "made up, " : "", texts.size(), text_edits().size(),
                               texts.size() * (texts.size() - 1) / 2);
  out.tables.push_back(by_edit(
      "text-jaccard", "Mean exact Jaccard similarity of a text and its edit", all, mean_jaccard));
  for (std::size_t t = 0; t < kThresholds.size(); ++t)
    out.tables.push_back(by_edit(
        fmt::format("text-reach-{:.0f}", 10 * kThresholds[t]),
        fmt::format("Share of the edited texts whose exact similarity reaches {}", kThresholds[t]),
        all,
        [&](const std::vector<Pair>& pairs) { return share_reaching(pairs, kThresholds[t]); }));
  for (std::size_t t = 0; t < kThresholds.size(); ++t)
    out.tables.push_back(
        by_edit(fmt::format("text-found-{:.0f}", 10 * kThresholds[t]),
                fmt::format("Share that a run at {} finds with {} and planned bands",
                            kThresholds[t], kSketches[0]),
                all, [&](const std::vector<Pair>& pairs) { return share_found(pairs, 0, t); }));
  out.tables.push_back(table_of_sketches(all));
  out.tables.push_back(table_of_strangers(all));
  std::vector<plot::Line> lines;
  for (std::size_t f = 0; f < all.size(); ++f) {
    plot::Line& line = lines.emplace_back();
    line.name = kFeatures[f];
    line.colour = colour(f);
    for (int step = 0; step <= 100; ++step) {
      double sum = 0;
      for (const auto& pairs : all[f].edits) sum += share_reaching(pairs, step / 100.0);
      line.points.emplace_back(step / 100.0, sum / static_cast<double>(all[f].edits.size()));
    }
  }
  out.charts.push_back(line_chart("text-reach",
                                  "Share of all edited texts whose exact similarity reaches a "
                                  "threshold, by features",
                                  {"threshold", 0, 1, false}, {"found", 0, 1, false}, lines));
  add_judged(out, judge_edited_texts(numbers_of(all)));
  return out;
}

}  // namespace benzer::experiments
