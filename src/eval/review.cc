// Reads the pairs of a report that people judge, and evaluates what they say.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <simdjson.h>

#include "benzer/audit.h"
#include "benzer/error.h"

#include "eval/interval.h"
#include "io/json_field.h"
#include "io/json_repair.h"
#include "io/line_blocks.h"

namespace benzer {
namespace {

namespace dom = simdjson::dom;

bool is_score(double score) noexcept { return score >= 0 && score <= 1; }

// Reads ids from the text of a report, since the parser does not keep all digits of numbers.
class IdReader {
 public:
  IdReader(std::string_view json, const dom::object& report) : report_(report) {
    json_.reserve(json.size() + kLinePadding);
    json_ = json;
  }

  // place: the path of the document in the report, as JsonField takes it.
  std::string read(const dom::element& document, const std::string& place) {
    const dom::element id = document["id"].value();
    const bool is_zero = id.is_int64() && id.get_int64().value() == 0;  // "-0" is one, too
    if (!id.is_double() && !is_zero) return simdjson::to_string(id);
    std::vector<std::size_t> way;
    JsonField(place + ".id").find(report_, &way);
    return std::string(number_at(parser_, json_, way));
  }

 private:
  std::string json_;
  dom::object report_;
  simdjson::ondemand::parser parser_;
};

ReviewText::Field read_excerpt(const dom::element& text, std::string name) {
  ReviewText::Field out;
  out.name = std::move(name);
  for (const dom::element piece : text["pieces"].get_array())
    out.pieces.push_back({std::string(piece["text"].get_string().value()),
                          piece["mark"].get_string().value() == "own"});
  out.begin = text["begin"].get_uint64().value();
  out.end = text["end"].get_uint64().value();
  out.size = text["size"].get_uint64().value();
  out.marked = text["marked"].get_bool().value();
  return out;
}

// Throws simdjson_error if the JSON lacks what a report has.
ReviewText read_text(const dom::element& document, std::string id_json, const dom::object& pair,
                     const char* text) {
  ReviewText out;
  out.id_json = std::move(id_json);
  out.source = std::string(document["source"].get_string().value());
  out.line = document["line"].get_uint64().value();
  std::uint64_t width = 0;
  if (document["width"].get(width) == simdjson::SUCCESS) {  // an image: people open the files
    ReviewText::Field picture;
    picture.pieces.push_back(
        {fmt::format("{}, {} x {} pixels, {} bytes", document["format"].get_string().value(), width,
                     document["height"].get_uint64().value(),
                     document["bytes"].get_uint64().value()),
         false});
    out.fields.push_back(std::move(picture));
    return out;
  }
  dom::array fields;
  if (pair["fields"].get(fields) != simdjson::SUCCESS) {
    out.fields.push_back(read_excerpt(pair[text].value(), ""));
    return out;
  }
  for (const dom::element field : fields)  // of an index, which may know no texts
    out.fields.push_back(
        read_excerpt(field[text].value(), std::string(field["field"].get_string().value())));
  return out;
}

double read_score(const dom::element& pair) {
  const double score = pair["score"].get_double().value();
  if (!is_score(score)) throw simdjson::simdjson_error(simdjson::NUMBER_OUT_OF_RANGE);
  return score;
}

ReviewPair read_pair(IdReader& ids, const dom::element& pair, const std::string& place, bool near) {
  const auto text = [&](const char* side, const char* pieces) {
    const dom::element document = pair[side].value();
    return read_text(document, ids.read(document, place + "." + side), pair, pieces);
  };
  return {text("a", "text_a"), text("b", "text_b"), read_score(pair), near};
}

// Returns whether a pair can be judged: an index may know ids and scores only.
bool has_texts(const dom::element& pair) {
  dom::array fields;
  return pair["fields"].get(fields) != simdjson::SUCCESS || fields.size() > 0;
}

// Adds the removals picked at random. One that is among the nearest pairs, too, is asked about
// once.
void add_sample(IdReader& ids, const dom::element& report, Review& review) {
  if (report["sample"].error() == simdjson::NO_SUCH_FIELD) return;
  using Key = std::pair<std::string, std::string>;
  const auto key = [](const ReviewPair& pair) -> Key {
    const auto document = [](const ReviewText& text) {
      return fmt::format("{}\n{}\n{}", text.source, text.line, text.id_json);
    };
    return std::minmax({document(pair.a), document(pair.b)});
  };
  std::map<Key, std::size_t> nearest;
  for (std::size_t i = 0; i < review.pairs.size(); ++i) nearest.emplace(key(review.pairs[i]), i);
  review.sample.emplace();
  std::size_t number = 0;
  for (const dom::element one : report["sample"].get_array()) {
    const std::string place = fmt::format("sample.{}", number++);
    if (!has_texts(one)) continue;
    ReviewPair pair = read_pair(ids, one, place, false);
    const auto known = nearest.find(key(pair));
    review.sample->push_back(known == nearest.end() ? review.pairs.size() : known->second);
    if (known == nearest.end()) review.pairs.push_back(std::move(pair));
  }
}

Review read(std::string_view json, const dom::element& report) {
  Review review;
  IdReader ids(json, report.get_object().value());
  review.threshold = Threshold::parse(report["settings"]["threshold"].get_string().value());
  const double line = review.threshold.value();
  bool lacks_texts = false;
  const auto add = [&](const dom::element& pair, const std::string& place, bool near,
                       std::vector<ReviewPair>& to) {
    if (has_texts(pair))
      to.push_back(read_pair(ids, pair, place, near));
    else
      lacks_texts = true;
  };
  for (const char* list : {"above", "below"}) {
    std::size_t number = 0;
    for (const dom::element pair : report[list].get_array())
      add(pair, fmt::format("{}.{}", list, number++), true, review.pairs);
  }
  std::stable_sort(review.pairs.begin(), review.pairs.end(),
                   [line](const ReviewPair& x, const ReviewPair& y) {
                     return std::abs(x.score - line) < std::abs(y.score - line);
                   });
  std::vector<std::vector<ReviewPair>> members;  // of each cluster
  for (const dom::element cluster : report["clusters"].get_array()) {
    std::vector<ReviewPair> pairs;
    std::size_t number = 0;
    for (const dom::element member : cluster["members"].get_array())
      add(member, fmt::format("clusters.{}.members.{}", members.size(), number++), false, pairs);
    members.push_back(std::move(pairs));
  }
  for (std::vector<ReviewPair>& pairs : members)
    std::ranges::move(pairs, std::back_inserter(review.removals));
  add_sample(ids, report, review);
  if (lacks_texts && review.removals.empty() && review.pairs.empty())
    throw Error(ErrorCode::kBadInput,
                "this report has no texts to judge: it is one of an index, which keeps ids and "
                "scores only",
                "name a report of the files that the index was made of");
  return review;
}

// Returns the decimal in (low, high] that is nearest to `wanted` with two digits, or with as many
// more as it takes.
Threshold short_decimal(double low, double high, double wanted) {
  for (int digits = 2; digits < 15; ++digits) {
    const double unit = std::pow(10, digits);
    double steps = std::round(std::clamp(wanted, low, high) * unit);
    while (steps / unit <= low) ++steps;
    while (steps / unit > high) --steps;
    if (steps / unit > low) return Threshold::parse(fmt::format("{:.{}f}", steps / unit, digits));
  }
  return Threshold::parse(fmt::format("{:.15f}", high));
}

std::uint64_t contradictions(std::span<const Judgement> judgements, double threshold) {
  return static_cast<std::uint64_t>(
      std::count_if(judgements.begin(), judgements.end(), [threshold](const Judgement& judgement) {
        return judgement.same != (judgement.score >= threshold);
      }));
}

// Suggests a threshold that fewer judgements contradict. All thresholds between two judged scores
// contradict the same judgements, so it is enough to try one such range after the other. Pairs with
// lower or higher scores than all of these were not judged, so no suggestion goes further than
// kBeyond.
void suggest(std::span<const Judgement> judgements, double now, ReviewResult& result) {
  std::vector<double> scores{0, 1};
  for (const Judgement& judgement : judgements) scores.push_back(judgement.score);
  std::sort(scores.begin(), scores.end());
  scores.erase(std::unique(scores.begin(), scores.end()), scores.end());
  const auto [lowest, highest] = std::ranges::minmax(judgements, {}, &Judgement::score);
  constexpr double kBeyond = 0.01;
  std::uint64_t least = result.contradictions;
  double distance = 0;
  for (std::size_t i = 1; i < scores.size(); ++i) {
    const std::uint64_t count = contradictions(judgements, scores[i]);
    const double low = std::max(scores[i - 1], lowest.score - kBeyond);
    const double high = std::min(scores[i], highest.score + kBeyond);
    const double away = now <= low ? low - now : std::max(0.0, now - high);
    if (count > least || (count == least && (!result.suggested || away >= distance))) continue;
    least = count;
    distance = away;
    result.suggested = short_decimal(low, high, now);
    result.contradictions_of_suggested = count;
  }
}

}  // namespace

Review read_review(std::string_view report_json) {
  try {
    dom::parser parser;
    dom::element report;
    std::string softened;  // an id may be a number that the parser refuses
    const auto error = parser.parse(report_json.data(), report_json.size()).get(report);
    if (error && !replace_large_numbers(report_json, softened))
      throw simdjson::simdjson_error(error);
    if (error) report = parser.parse(softened);
    return read(report_json, report);
  } catch (const simdjson::simdjson_error& error) {
    throw Error(
        ErrorCode::kBadInput, fmt::format("this is not a report of Benzer ({})", error.what()),
        "name the .json file that 'dedup " + Parameter{"report"} + "' writes next to the page",
        ": ");
  }
}

std::vector<SavedAnswer> read_answers(std::string_view lines) {
  std::vector<SavedAnswer> answers;
  dom::parser parser;
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const std::size_t end = std::min(lines.find('\n'), lines.size());
    const simdjson::padded_string line(lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
    if (end == 0) continue;
    try {
      const dom::element answer = parser.parse(line);
      answers.push_back({simdjson::to_string(answer["a"].value()),
                         simdjson::to_string(answer["b"].value()), read_score(answer),
                         answer["same"].get_bool().value()});
    } catch (const simdjson::simdjson_error& error) {
      throw Error(ErrorCode::kBadInput,
                  fmt::format("line {} is not an answer of a review ({})", number, error.what()),
                  "name a file of answers, or one that does not exist yet", ": ");
    }
  }
  return answers;
}

std::vector<std::optional<bool>> match_answers(const Review& review,
                                               std::span<const SavedAnswer> answers) {
  std::vector<std::optional<bool>> out(review.pairs.size());
  for (const SavedAnswer& answer : answers)
    for (std::size_t i = 0; i < out.size(); ++i) {
      const ReviewPair& pair = review.pairs[i];
      // If ids are line numbers, other documents may have the same ones, but seldom the same score.
      if (out[i] || pair.a.id_json != answer.a_json || pair.b.id_json != answer.b_json ||
          std::abs(pair.score - answer.score) > 1e-9)
        continue;
      out[i] = answer.same;
      break;
    }
  return out;
}

ReviewResult evaluate(std::span<const Judgement> judgements, const Threshold& threshold) {
  for (const Judgement& judgement : judgements)
    if (!is_score(judgement.score))
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("a judged pair has the score {}; allowed are 0 to 1", judgement.score));
  ReviewResult result;
  const double now = threshold.value();
  const auto count = [](const Judgement& judgement, ReviewResult::Tally& group) {
    ++group.judged;
    group.same += judgement.same;
  };
  for (const Judgement& judgement : judgements) {
    if (judgement.near) count(judgement, judgement.score >= now ? result.above : result.below);
    if (judgement.sampled) count(judgement, result.removals);
    if (judgement.sampled && judgement.score < now) count(judgement, result.chained);
  }
  for (ReviewResult::Tally* group :
       {&result.above, &result.below, &result.removals, &result.chained})
    if (group->judged > 0)
      group->share = wilson(static_cast<double>(group->same) / static_cast<double>(group->judged),
                            static_cast<double>(group->judged));
  std::vector<Judgement> of_pairs;  // without removals that only a chain explains
  std::ranges::remove_copy_if(
      judgements, std::back_inserter(of_pairs),
      [now](const Judgement& judgement) { return !judgement.near && judgement.score < now; });
  result.contradictions = contradictions(of_pairs, now);
  if (result.contradictions > 0) suggest(of_pairs, now, result);
  return result;
}

}  // namespace benzer
