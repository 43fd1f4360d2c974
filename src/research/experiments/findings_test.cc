// Tests that the findings and verdicts of the report, the blogs, the slides and the basis of all of
// them follow from numbers: each is given numbers as they were measured, and others that must turn
// it round.
#include <cmath>

#include "research/experiments/blog_findings.h"
#include "research/experiments/findings_test_util.h"
#include "research/experiments/later_findings.h"
#include "research/experiments/report_findings.h"
#include "research/experiments/scala_findings.h"
#include "research/experiments/sketch_findings.h"
#include "research/experiments/slides_findings.h"

namespace benzer::experiments {
namespace {

using enum ExperimentAnswer;

MeasuredError error(double rms, double bias, double standard_error, double count = 1000) {
  return {rms, bias, standard_error, count};
}

Figure6a figure_6a() {
  const ReportErrors first{1,
                           error(0.5, -0.167, 0.015),
                           error(0.5, -0.164, 0.015),
                           error(0.47, 0, 0.015),
                           error(0.47, 0, 0.015),
                           error(0.47, 0, 0.015),
                           error(0.47, 0, 0.015)};
  const ReportErrors fifty{50,
                           error(0.182, -0.169, 0.002),
                           error(0.065, -0.022, 0.002),
                           error(0.068, -0.003, 0.002),
                           error(0.157, 0.144, 0.002),
                           error(0.066, 0.004, 0.002),
                           error(0.065, 0, 0.002)};
  const ReportErrors last{1000,
                          error(0.167, -0.1668, 0.0005),
                          error(0, 0, 0),
                          error(0.0146, -0.0001, 0.0005),
                          error(0.167, 0.167, 0),
                          error(0.0086, 0, 0.0003),
                          error(0.0112, 0, 0.0004)};
  return {0.5, 1000, first, fifty, last};
}

TEST(ReportFindings, OfFigure6aFollowFromNumbers) {
  expect_turned_round<Figure6a>(
      figure_6a(), judge_6a,
      {{"as measured",
        [](Figure6a&) {},
        kPartly,
        {"Because the report's reference is not the similarity", "without bias", "turns round",
         "as good as many", "!does not explain", "draws without repeats, so"}},
       {"one loses against s",
        [](Figure6a& f) { f.fifty.one_s.rms = 0.2, f.first.one_s.rms = 0.6; },
        kPartly,
        {"Here it does not win"}},
       {"one wins against both",
        [](Figure6a& f) { f.fifty.one_j.rms = 0.05; },
        kYes,
        {"the order is the same"}},
       {"many are biased for J",
        [](Figure6a& f) { f.last.many_j.bias = 0.01; },
        kPartly,
        {"with a bias", "do not show why"}},
       {"the bias of one is another",
        [](Figure6a& f) { f.fifty.one_s.bias = -0.08; },
        kPartly,
        {"which that does not explain"}},
       {"bottom-k is worse",
        [](Figure6a& f) { f.fifty.bottom_k_j.rms = 0.1; },
        kPartly,
        {"one function is not as good as many"}},
       {"bottom-k gains nothing",
        [](Figure6a& f) { f.last.bottom_k_j.rms = 0.02; },
        kPartly,
        {"brings nothing here"}},
       {"errors rise with hashes",
        [](Figure6a& f) {
          f.last.one_s.rms = 0.3;
          f.fifty.many_s.rms = 0.06;
        },
        kNo,
        {}}});
}

TEST(ReportFindings, OfFigure6bFollowFromNumbers) {
  std::vector<Figure6b> sizes;
  for (const std::size_t n : {200u, 1000u, 10000u}) {
    Figure6b size{n, 1.0 / 3, figure_6a().fifty, figure_6a().last};
    size.fifty.many_j.rms = std::sqrt(2.0 / 9 / 50);
    sizes.push_back(size);
  }
  using Sizes = std::vector<Figure6b>;
  expect_turned_round<Sizes>(
      sizes, judge_6b,
      {{"as measured",
        [](Sizes&) {},
        kYes,
        {"It holds that the error reaches 0", "is better in truth", "does not depend on n"}},
       {"an error at n_h = n",
        [](Sizes& s) { s[1].last.one_s.rms = 0.01; },
        kNo,
        {"this is a mistake of Benzer"}},
       {"drawing without repeats is worse",
        [](Sizes& s) { s[0].last.fss_j.rms = 0.03; },
        kYes,
        {"is not better"}},
       {"many depend on n",
        [](Sizes& s) { s[2].fifty.many_j.rms *= 1.2; },
        kYes,
        {"more than chance away"}},
       {"the same of 20 pairs",
        [](Sizes& s) {
          s[2].fifty.many_j.rms *= 1.2;
          s[2].fifty.many_j.count = 20;
        },
        kYes,
        {"does not depend on n"}}});
}

TEST(ReportFindings, OfFigure6cFollowFromNumbers) {
  std::vector<Figure6c> figure;
  for (const double s : {0.1, 0.6, 0.9}) {
    const double j = s / (2 - s);
    Figure6c one{s, figure_6a().fifty};
    one.fifty.one_s.rms = s == 0.6 ? 0.068 : 0.042;
    one.fifty.many_j.rms = std::sqrt(j * (1 - j) / 50);
    one.fifty.many_s.bias = -s * (1 - s) / (2 - s);
    figure.push_back(one);
  }
  using Figure = std::vector<Figure6c>;
  expect_turned_round<Figure>(
      figure, judge_6c,
      {{"as measured",
        [](Figure&) {},
        kNo,
        {"for the eye and ten pairs", "functions is sqrt(J(1 - J)",
         "They do: it is largest at s = 0.6"}},
       {"all alike", [](Figure& f) { f[1].fifty.one_s.rms = 0.05; }, kYes, {"difference\" holds:"}},
       {"many have another error",
        [](Figure& f) { f[0].fifty.many_j.rms *= 1.5; },
        kNo,
        {"functions is not sqrt(J(1 - J)"}},
       {"another bias",
        [](Figure& f) { f[2].fifty.many_s.bias = -0.3; },
        kNo,
        {"They do not: it is largest at s = 0.9"}}});
}

TEST(BlogFindings, OfJaccardFollowFromNumbers) {
  expect_turned_round<BlogJaccard>(
      {true, 0.85, 0.94, 0.83, 0.22}, judge_blog_jaccard,
      {{"as measured", [](BlogJaccard&) {}, kYes, {"come out exactly", "sets of words forget"}},
       {"not as printed", [](BlogJaccard& n) { n.as_printed = false; }, kNo, {"mistake"}},
       {"order makes no difference",
        [](BlogJaccard& n) { n.five_words = 0.85; },
        kYes,
        {"no difference", "!forget"}},
       {"stop words are shared",
        [](BlogJaccard& n) { n.no_stop_words = 0.5; },
        kYes,
        {"share more stop words"}}});
}

TEST(BlogFindings, OfLshFollowFromNumbers) {
  const BlogLsh measured{2.7, 0.6, 2e-8, 12000.0 * 11999 / 2, 12000, 10198, 11185, 4972, 4896.5};
  expect_turned_round<BlogLsh>(
      measured, judge_blog_lsh,
      {{"as measured",
        [](BlogLsh&) {},
        kPartly,
        {"98 times faster", "1580 times faster", "not for 12,000", "are mostly this choice"}},
       {"slow buckets", [](BlogLsh& n) { n.building = 530; }, kNo, {"2.0 times slower"}},
       {"slow comparisons",
        [](BlogLsh& n) { n.comparison = 0.01; },
        kYes,
        {"LSH pays already for 12,000"}},
       {"all are found",
        [](BlogLsh& n) { n.near_copies_found = 11000; },
        kPartly,
        {"this choice loses few"}}});
}

struct BlogExamples {
  BlogMinHashFunc1 test{0.5, 0.75, 12, error(0.326, 0.313, 0.002), error(0.1, 0.088, 0.001)};
  BlogSizes sizes{{9, 99, 999}, {error(0.125, 0, 0), error(0.1, 0, 0), error(0.075, 0, 0)}, 0.05};
  BlogDictionary dictionary{5, 0.8};
};

TEST(BlogFindings, OfExamplesFollowFromNumbers) {
  expect_turned_round<BlogExamples>(
      {}, [](const BlogExamples& n) { return judge_blog_examples(n.test, n.sizes, n.dictionary); },
      {{"as measured",
        [](BlogExamples&) {},
        kPartly,
        {"6 of 12 numbers, 0.50", "any two signatures are alike", "but not as well as that",
         "who saw whom"}},
       {"sets are as good",
        [](BlogExamples& n) { n.test.as_sets.bias = 0.001; },
        kYes,
        {"sets are not worse"}},
       {"larger ones are not better",
        [](BlogExamples& n) { n.sizes.errors.back().rms = 0.12; },
        kNo,
        {"not estimated better"}},
       {"as good as independent",
        [](BlogExamples& n) { n.sizes.errors.back().rms = 0.051; },
        kPartly,
        {"few bits that different words"}},
       {"sentences that differ",
        [](BlogExamples& n) { n.dictionary.similarity = 0.2; },
        kPartly,
        {"!who saw whom"}}});
}

TEST(SlidesFindings, OfScaleFollowFromNumbers) {
  const SlidesScale measured{true, 76, 5.2e-7, 100000, 0.36, 10000, 462, 462};
  expect_turned_round<SlidesScale>(
      measured, judge_slides,
      {{"as measured",
        [](SlidesScale&) {},
        kYes,
        {"as printed", "3.0 days", "The square is the problem", "100.00 %", "nothing is wrong"}},
       {"an example is wrong", [](SlidesScale& n) { n.as_printed = false; }, kPartly, {"mistake"}},
       {"fast comparisons",
        [](SlidesScale& n) { n.per_pair = 1e-9; },
        kPartly,
        {"speed of today is enough"}},
       {"slow LSH", [](SlidesScale& n) { n.lsh_seconds = 1e4; }, kPartly, {}},
       {"pairs are missed",
        [](SlidesScale& n) { n.pairs_by_lsh = 400; },
        kYes,
        {"fewer than planned", "86.58 %"}},
       {"pairs that do not exist",
        [](SlidesScale& n) { n.pairs_by_lsh = 470; },
        kYes,
        {"more pairs than there are"}}});
}

TEST(SlidesFindings, OfShinglesFollowFromNumbers) {
  const SlidesShingles measured{0, 1, 0.72, 0.088, 13, 11, 1000, 296260, 296246};
  expect_turned_round<SlidesShingles>(
      measured, judge_slides_shingles,
      {{"as measured",
        [](SlidesShingles&) {},
        kYes,
        {"keep apart", "confirms", "its first number", "14 share one", "which has no weight"}},
       {"blanks do not help", [](SlidesShingles& n) { n.with_blanks = 1; }, kPartly, {"mistake"}},
       {"k does not help", [](SlidesShingles& n) { n.at_five = 0.8; }, kPartly, {"contradicts"}},
       {"hashes collide",
        [](SlidesShingles& n) { n.hashes = 290000; },
        kPartly,
        {"chance does not explain", "too much"}},
       {"all shingles differ",
        [](SlidesShingles& n) { n.numbers_of_example = 13; },
        kYes,
        {"!its first number"}}});
}

TEST(SlidesFindings, DurationsAreReadable) {
  EXPECT_EQ(readable(0.314), "0.31 s");
  EXPECT_EQ(readable(50), "50.0 s");
  EXPECT_EQ(readable(2640), "44 min");
  EXPECT_EQ(readable(10000), "2.8 h");
  EXPECT_EQ(readable(3.1 * 86400), "3.1 days");
  EXPECT_EQ(readable(1.6 * 365.25 * 86400), "1.6 years");
}

struct ScalaNumbers {
  ScalaHistogram histogram{true, true, 0.5, 24};
  ScalaEstimates estimates{error(0.047, -0.0081, 0.0027, 300), error(0.047, -0.0007, 0.0028, 300),
                           0.046};
  ScalaBands bands{true, {.5, .8, .9}, {.77, .68, .71}, 10, 23, 4, 2, 50};
};

TEST(ScalaFindings, FollowFromNumbers) {
  expect_turned_round<ScalaNumbers>(
      {}, [](const ScalaNumbers& n) { return judge_scala(n.histogram, n.estimates, n.bands); },
      {{"as measured",
        [](ScalaNumbers&) {},
        kPartly,
        {"All 25 bins", "come out, too", "steps evenly", "no more than chance", "77 % of the pairs",
         "so it swaps bands and rows"}},
       {"random bins",
        [](ScalaNumbers& n) { n.histogram.chi_square = 26; },
        kPartly,
        {"look like random ones", "!steps evenly"}},
       {"uneven bins",
        [](ScalaNumbers& n) { n.histogram.chi_square = 60; },
        kPartly,
        {"the bins are not even"}},
       {"other values",
        [](ScalaNumbers& n) { n.histogram.values_as_printed = false; },
        kPartly,
        {"do not: this is a mistake"}},
       {"a bias",
        [](ScalaNumbers& n) { n.estimates.own.bias = 0.02; },
        kPartly,
        {"the functions are biased"}},
       {"bands that find all", [](ScalaNumbers& n) { n.bands.found = {.99, .98, .97}; }, kYes, {}},
       {"its text is right",
        [](ScalaNumbers& n) { n.bands.rows_at_half = 23; },
        kPartly,
        {"!swaps"}}});
}

TEST(ScalaFindings, OfExamplesFollowFromNumbers) {
  expect_turned_round<ScalaExamples>(
      {1, 2, 10, 10, 4}, judge_scala_examples,
      {{"as measured",
        [](ScalaExamples&) {},
        kYes,
        {"equal, a false positive as the", "10 of the 10", "From 2 characters", "get one value"}},
       {"not equal", [](ScalaExamples& n) { n.pangram = 0.9; }, kPartly, {"0.90 alike"}},
       {"a function differs",
        [](ScalaExamples& n) { n.as_printed = 9; },
        kPartly,
        {"the others are mistakes"}},
       {"common shingles", [](ScalaExamples& n) { n.apart_from = 0; }, kYes, {"Up to five"}},
       {"odd factors", [](ScalaExamples& n) { n.even_factors = 0; }, kYes, {"!get one value"}}});
}

struct ScalaClaimNumbers {
  ScalaHashes hashes{{.5, .7, .9}, {258, 270, 107}, {21204, 22000, 522}, {4116, 5000, 1e6}};
  ScalaContained contained{.82, .2, .01, .025, .103};
};

TEST(ScalaFindings, OfClaimsFollowFromNumbers) {
  expect_turned_round<ScalaClaimNumbers>(
      {}, [](const ScalaClaimNumbers& n) { return judge_scala_claims(n.hashes, n.contained); },
      {{"as measured",
        [](ScalaClaimNumbers&) {},
        kPartly,
        {"depends on what is asked", "is largest at 0.7", "large parts only",
         "What is found is what the Jaccard"}},
       {"rises always",
        [](ScalaClaimNumbers& n) {
          n.hashes.for_error = n.hashes.for_gap = {1, 2, 3};
          n.contained.of_tenth = 0.9;
        },
        kYes,
        {"in all three senses", "documents\" holds:"}},
       {"falls always",
        [](ScalaClaimNumbers& n) {
          n.hashes.for_error = n.hashes.for_gap = n.hashes.for_share = {3, 2, 1};
          n.contained.of_half = 0.1;
        },
        kNo,
        {"in none of three senses", "documents\" does not hold", "falls with the threshold"}},
       {"found otherwise",
        [](ScalaClaimNumbers& n) { n.contained.worst = 0.2; },
        kPartly,
        {"differs from what the Jaccard"}}});
}

TEST(SketchFindings, OfTheCurveFollowFromNumbers) {
  const SCurve measured{
      {"kperm:100", 100, 97, 0.02}, {"fss:100", 100, 92, 0.021}, 2000, -0.0045, 0.0083};
  expect_turned_round<SCurve>(
      measured, judge_s_curve,
      {{"as measured",
        [](SCurve&) {},
        kYes,
        {"the formula holds", "about 95 should", "the safe side", "may use the formula for both"}},
       {"far off", [](SCurve& n) { n.independent.worst = 0.06; }, kNo, {"does not hold"}},
       {"far off, of more pairs", [](SCurve& n) { n.pairs = 20000; }, kNo, {"does not hold"}},
       {"fss far off", [](SCurve& n) { n.fss.worst = 0.1; }, kYes, {"needs another formula"}},
       {"fss on the other side",
        [](SCurve& n) { n.fss_rare = 0.01, n.fss_frequent = -0.01; },
        kYes,
        {"more strangers and fewer similar pairs", "!the safe side"}}});
}

TEST(SketchFindings, OfBiasFollowFromNumbers) {
  using Cells = std::vector<BiasCell>;
  const Cells measured = {{"linear", "ends", false, false, 0.015, error(0.08, 0.078, 0.0015, 100)},
                          {"linear", "ends", true, false, 0.015, error(0.016, 0.003, 0.0015, 100)},
                          {"shift", "ends", false, true, 0.015, error(0.45, -0.45, 0.002, 100)},
                          {"shift", "ends", true, true, 0.015, error(0.025, 0.021, 0.0015, 100)}};
  expect_turned_round<Cells>(
      measured, judge_hash_bias,
      {{"as measured",
        [](Cells&) {},
        kPartly,
        {"are biased: the largest bias is +0.078 (linear, ends)", "do not help", "are as good as",
         "its largest bias is +0.0210: no mix repairs that"}},
       {"no bias",
        [](Cells& c) { c[0].error = error(0.015, 0.001, 0.0015, 100); },
        kYes,
        {"are not biased beyond chance", "More functions help"}},
       {"biased when mixed", [](Cells& c) { c[1].error.bias = 0.02; }, kNo, {"are not as good as"}},
       {"scattered when mixed",
        [](Cells& c) { c[1].error.rms = 0.05; },
        kNo,
        {"are not as good as"}},
       {"few bits suffice",
        [](Cells& c) { c[3].error.bias = 0.001; },
        kPartly,
        {"no more than chance", "!no mix repairs"}}});
}

TEST(SketchFindings, OfSketchesFollowFromNumbers) {
  const RatioOfSketch good{"a sketch", 1.0, 0.9, 1.1, 5};
  Sketches measured{good, good, good, good, good, good};
  measured.fss.mean = 0.83;
  measured.fss.least = 0.62;
  expect_turned_round<Sketches>(
      measured, judge_sketches,
      {{"as measured",
        [](Sketches&) {},
        kYes,
        {"functions have the error", "do as well", "has the error times", "at or below",
         "The gain is", "slot suffice"}},
       {"kperm is worse",
        [](Sketches& n) { n.kperm.mean = 1.3; },
        kPartly,
        {"do not have the error"}},
       {"linear is worse", [](Sketches& n) { n.linear.mean = 1.3; }, kPartly, {"do less well"}},
       {"bottom-k is worse",
        [](Sketches& n) { n.bottom_k.mean = 1.3; },
        kPartly,
        {"does not have"}},
       {"fss is worse",
        [](Sketches& n) { n.fss.mean = 1.3, n.fss.least = 1.1; },
        kYes,
        {"fss is above", "!The gain is"}},
       {"bits do not suffice",
        [](Sketches& n) { n.few_bits.mean = 1.3; },
        kYes,
        {"do not suffice"}}});
}

TEST(LaterFindings, OfPicturesFollowFromNumbers) {
  Pictures measured;
  measured.grid = {0.33, 0.49, 0, 0.24, 132, 0, 1, "28", "none"};
  measured.pdq.found = 172;
  measured.near = {0.98, 0.99, 0.03, 0.59, 325, 0, 1, "0.85", "half 0.00"};
  measured.turned.found = 160;
  measured.dhash.all = 0.4;
  measured.fewest = 25;
  measured.pairs = 550;
  expect_turned_round<Pictures>(
      measured, judge_pictures,
      {{"as measured",
        [](Pictures&) {},
        kPartly,
        {"only if its level", "153 pairs more than PDQ of 550", "12 pairs fewer than PDQ as it is",
         "tell less than thumbnails", "above 0.87", "!one design"}},
       {"cells find most",
        [](Pictures& n) { n.grid.all = 0.8, n.grid.photometric = 0.95; },
        kYes,
        {"!only if its level"}},
       {"cells find strangers", [](Pictures& n) { n.grid.precision = 0.8; }, kNo, {}},
       {"64 bits tell more",
        [](Pictures& n) { n.phash.all = 0.7; },
        kPartly,
        {"tell as much as thumbnails"}},
       {"designs in several colours",
        [](Pictures& n) { n.left_out = 526; },
        kPartly,
        {"526 pairs count as neither"}}});
}

TEST(LaterFindings, OfTextsFollowFromNumbers) {
  const EditedTexts measured{.features = {{"text:word3", "half, markup", "none", 0.007}},
                             .words_1 = {.99, .96, .93, .98, .96},
                             .words_5 = {.92, .76, .64, .88, .76},
                             .words_10 = {.84, .58, .42, .77, .58},
                             .misread_3 = {.71, .44, .28, .78, .44},
                             .case_ = {1, 1, 1, 1, 1},
                             .marks = {1, 1, 1, 1, 1},
                             .markup = {.79, .28, .15, .63, 1},
                             .reach = 9584,
                             .found_by_fss = 9579,
                             .found_by_kperm = 9574};
  expect_turned_round<EditedTexts>(
      measured, judge_edited_texts,
      {{"as measured",
        [](EditedTexts&) {},
        kPartly,
        {"at 0.8: half, markup; at 0.5: none", "Long shingles are for copies",
         "what shingles of letters are for", "normalisation takes both away", "not by the sketch"}},
       {"short ones lose more",
        [](EditedTexts& n) { n.words_5.word1 = 0.5; },
        kPartly,
        {"!Long shingles"}},
       {"letters lose more",
        [](EditedTexts& n) { n.misread_3.char5 = 0.3; },
        kPartly,
        {"!what shingles of letters"}},
       {"no normalisation",
        [](EditedTexts& n) { n.case_.word3 = 0.1; },
        kPartly,
        {"!normalisation"}},
       {"the sketch loses",
        [](EditedTexts& n) { n.found_by_kperm = 9000; },
        kPartly,
        {"the sketch loses some"}},
       {"all find all", [](EditedTexts& n) { n.words_10 = n.words_1; }, kYes, {}}});
}

}  // namespace
}  // namespace benzer::experiments
