#include "research/experiments/later_findings.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "eval/interval.h"
#include "research/experiments/picture_strategies.h"

namespace benzer::experiments {
namespace {

std::string three(const PicturesFound& found) {
  return fmt::format(
      "{:.3f} of the photometric, {:.3f} of the mild and {:.3f} of the hard geometric changes",
      found.photometric, found.mild, found.hard);
}

// "12 pairs more than PDQ", "3 pairs fewer than PDQ".
std::string more_than_pdq(const PicturesFound& found, const PicturesFound& pdq) {
  return found.found >= pdq.found ? fmt::format("{} pairs more than PDQ", found.found - pdq.found)
                                  : fmt::format("{} pairs fewer than PDQ", pdq.found - found.found);
}

}  // namespace

Judged judge_pictures(const Pictures& numbers) {
  constexpr double kFew = 0.5;  // of the pairs
  const PicturesFound& grid = numbers.grid;
  Judged out;
  out.claims = {
      {"16 x 16 cells of grey levels keep different pictures apart", grid.precision >= 0.99},
      {"they find most of the changed pictures", grid.all > kFew}};
  out.findings.push_back(fmt::format(
      "The report of 2012 left open how good its 16 x 16 cells are. At Jaccard 0.8 they find {}, "
      "with {} strangers (precision {:.4f}); at the loosest setting with a precision of {} they "
      "find {}.{}",
      three(grid), grid.wrong, grid.precision, numbers.wanted_precision, three(numbers.grid_loose),
      grid.photometric < 0.9
          ? " A cell counts only if its level is the same, so what makes a picture brighter by one "
            "level of 16 changes most of them."
          : ""));
  out.findings.push_back(fmt::format(
      "PDQ within 31 bits finds {}, with {} strangers. Of these changes it finds less than nine in "
      "ten: {}.",
      three(numbers.pdq), numbers.pdq.wrong, numbers.pdq.losses));
  out.findings.push_back(
      fmt::format("The near strategy finds {}, with {} strangers: {} of {}. Less than nine in ten: "
                  "{}.",
                  three(numbers.near), numbers.near.wrong, more_than_pdq(numbers.near, numbers.pdq),
                  numbers.pairs, numbers.near.losses));
  out.findings.push_back(fmt::format(
      "Key points (sift) find {}, with {} strangers (precision {:.4f}). Less than nine in ten: {}. "
      "A picture with less than {} points cannot be told by them.",
      three(numbers.sift), numbers.sift.wrong, numbers.sift.precision, numbers.sift.losses,
      kFewestPoints));
  out.findings.push_back(fmt::format(
      "PDQ in eight orientations finds {}: {} as it is, with {} "
      "strangers.",
      three(numbers.turned), more_than_pdq(numbers.turned, numbers.pdq), numbers.turned.wrong));
  const double best_of_64 = std::max(numbers.dhash.all, numbers.phash.all);
  out.findings.push_back(fmt::format(
      "64 bits {}: at distance 6 dHash finds {}, with {} strangers, and pHash {}, with {}. At a "
      "precision of {} they may go to {} and {} bits, and find {:.3f} and {:.3f} of all.",
      best_of_64 < numbers.near.all ? "tell less than thumbnails" : "tell as much as thumbnails",
      three(numbers.dhash), numbers.dhash.wrong, three(numbers.phash), numbers.phash.wrong,
      numbers.wanted_precision, numbers.dhash_loose.limit, numbers.phash_loose.limit,
      numbers.dhash_loose.all, numbers.phash_loose.all));
  out.findings.push_back(fmt::format(
      "A row tells of {0} pairs or more: of a change that is found {0} times of {0} the true "
      "recall "
      "is above {1:.2f} in 95 of 100 cases. The {2} pairs of strangers cannot tell how many there "
      "are among billions.{3} {4} pictures have too little detail for a hash, and are found by "
      "near "
      "and grid16 only.",
      numbers.fewest, wilson(1, static_cast<double>(numbers.fewest)).low, numbers.strangers,
      numbers.left_out == 0
          ? ""
          : fmt::format(" {} pairs count as neither: their names say that they are one design in "
                        "several colours.",
                        numbers.left_out),
      numbers.little_detail));
  return out;
}

Judged judge_edited_texts(const EditedTexts& numbers) {
  constexpr double kThreshold = 0.8;
  const auto least = [](const EditedBy& edit) {
    return std::min({edit.word1, edit.word3, edit.word5, edit.char5});
  };
  const std::uint64_t fewer = std::min(numbers.found_by_fss, numbers.found_by_kperm);
  const auto of_reach = static_cast<double>(numbers.reach);
  const bool sketch_keeps = static_cast<double>(fewer) >= 0.99 * of_reach;
  Judged out;
  out.claims = {
      {"shingles of all kinds find a text of which one word in 100 was replaced",
       least(numbers.words_1) >= kThreshold},
      {"they find it if one word in ten was replaced", least(numbers.words_10) >= kThreshold}};
  if (numbers.reach > 0)
    out.claims.push_back({"sketches and bands find what the features leave", sketch_keeps});
  for (const FeaturesOfTexts& of : numbers.features)
    out.findings.push_back(fmt::format(
        "{} loses more than half of these edits at 0.8: {}; at 0.5: {}. Its best stranger has "
        "{:.3f}.",
        of.features, of.lost_at_8, of.lost_at_5, of.best_stranger));
  const EditedBy &five = numbers.words_5, &ten = numbers.words_10;
  out.findings.push_back(fmt::format(
      "A word that is replaced takes one feature of word1, three of word3, five of word5: with 5 % "
      "replaced {:.2f}, {:.2f} and {:.2f} are left, with 10 % {:.2f}, {:.2f} and {:.2f}.{}",
      five.word1, five.word3, five.word5, ten.word1, ten.word3, ten.word5,
      five.word1 > five.word3 && five.word3 > five.word5
          ? " Long shingles are for copies, short ones find more and confuse more."
          : ""));
  const EditedBy& misread = numbers.misread_3;
  out.findings.push_back(fmt::format(
      "With 3 % of the letters misread word3 keeps {:.2f} and char5 {:.2f}{}", misread.word3,
      misread.char5,
      misread.char5 > misread.word3 ? ": that is what shingles of letters are for." : "."));
  const bool normalised = numbers.case_.word3 > 0.99 && numbers.marks.word3 > 0.99;
  out.findings.push_back(fmt::format(
      "Capital letters leave {:.3f} and other punctuation {:.3f} (word3){}. A page of HTML keeps "
      "{:.2f} as it is, and {:.2f} with +html.",
      numbers.case_.word3, numbers.marks.word3, normalised ? ": normalisation takes both away" : "",
      numbers.markup.word3, numbers.markup.word3_html));
  out.findings.push_back(fmt::format(
      "Of {} pairs that reach 0.8 the planned bands find {} by fss:128 and {} by kperm:128{}",
      numbers.reach, numbers.found_by_fss, numbers.found_by_kperm,
      sketch_keeps ? ": what is lost is lost by the features, not by the sketch."
                   : ": the sketch loses some, too."));
  return out;
}

}  // namespace benzer::experiments
