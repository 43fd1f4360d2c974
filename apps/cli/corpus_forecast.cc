#include "corpus_forecast.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "benzer/error.h"

#include "../shared/json.h"
#include "corpus_run.h"
#include "settings.h"

namespace benzer::cli {
namespace {

// Memory for each pair that is compared exactly.
constexpr double kPairBytes = 20;

std::string json_of(const Estimate& estimate) {
  JsonObject out;
  return out.add("value", estimate.value).add("low", estimate.low).add("high", estimate.high).str();
}

// "1,234", "12.3 k", "4.57 M": three figures from 10,000 on. An estimate is no more precise.
std::string about(double number) {
  if (number < 9999.5) return with_separators(static_cast<std::uint64_t>(std::llround(number)));
  const char* unit = "k";
  for (const char* larger : {"M", "G", "T", "P"}) {
    if (number < 999.5e3) break;
    number /= 1e3;
    unit = larger;
  }
  number /= 1e3;
  const int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f} {}", number, decimals, unit);
}

std::string about(const Estimate& estimate) {
  return fmt::format("{} (95 %: {} to {})", about(estimate.value), about(estimate.low),
                     about(estimate.high));
}

std::string about_bytes(double number) {
  if (number < 999.5e3) return fmt::format("{:.0f} kB", number / 1e3);
  if (number < 999.5e6) return fmt::format("{:.0f} MB", number / 1e6);
  return fmt::format("{:.2f} GB", number / 1e9);
}

// Prints at least two significant figures: "0.012 %", "4.5 %", "45.3 %".
std::string as_percent(double share) {
  const double value = share * 100;
  if (value == 0) return "0 %";
  const int decimals = value < 1 ? 1 - static_cast<int>(std::floor(std::log10(value))) : 1;
  return fmt::format("{:.{}f} %", value, decimals);
}

double share_of(double part, double whole) { return whole > 0 ? part / whole : 0; }

void append_background(std::string& out, const Forecast& forecast) {
  out += "\n  Two different documents, picked at random, resemble each other by\n";
  const auto pairs = static_cast<double>(forecast.pairs);
  // Ranges without pairs at the end of the list are left out.
  std::size_t end = forecast.background.size();
  while (end > 1 && forecast.background[end - 1].pairs == 0) --end;
  for (std::size_t i = 0; i < end; ++i) {
    const SimilarityRange& range = forecast.background[i];
    const std::string name = i == 0 ? "0" : fmt::format("{:.2f} to {:.2f}", range.from, range.to);
    const double share = share_of(static_cast<double>(range.pairs), pairs);
    const auto bar = static_cast<std::size_t>(std::lround(share * 40));
    out += fmt::format("    {:<12} {:>11}  {}", name, as_percent(share), std::string(bar, '#'));
    while (out.back() == ' ') out.pop_back();
    out += '\n';
  }
}

void append_runs(std::string& out, const Forecast& forecast, const Banding& chosen,
                 const std::vector<double>& bytes) {
  out += fmt::format("\n  {:<12} {:>10} {:>10} {:>10} {:>9} {:>10} {:>8}\n", "bands x rows",
                     "candidates", "95 %: from", "to", "by chance", "read again", "memory");
  for (std::size_t i = 0; i < forecast.runs.size(); ++i) {
    const RunForecast& run = forecast.runs[i];
    out += fmt::format(
        "  {:<12} {:>10} {:>10} {:>10} {:>9} {:>10} {:>8}{}\n",
        fmt::format("{} x {}", run.banding.bands, run.banding.rows), about(run.candidates.value),
        about(run.candidates.low), about(run.candidates.high),
        run.candidates.value > 0
            ? fmt::format("{:.0f} %", 100 * run.chance.value / run.candidates.value)
            : "-",
        about(run.read_again.value), about_bytes(bytes[i]), run.banding == chosen ? " *" : "");
  }
  out +=
      "  * chosen; by chance: candidates below the threshold; read again: documents\n"
      "  that are compared exactly; memory without the input's buffers\n";
}

}  // namespace

CorpusForecast::CorpusForecast(const Options& options,
                               const std::vector<Alternative>& alternatives) {
  if (options.inputs.empty())
    refuse("'plan --corpus' needs an input to measure", "benzer plan --corpus INPUT...");
  Options read = options;
  // --slots is plan's own spelling of --sketch.
  if (options.slots) read.sketch = fmt::format("fss:{}", read_slots(options));
  ForecastOptions forecast_options;
  static_cast<SimilarityOptions&>(forecast_options) = similarity_options(read);
  forecast_options.sample = read_sample(options);
  forecast_options.seed = forecast_options.config.features.seed;
  forecast_options.documents = read_docs(options);
  features_ = forecast_options.config.features.str();
  threshold_ = forecast_options.threshold;
  slots_ = forecast_options.config.sketch.slots;

  // An alternative that needs more slots than the signature has is forecast with a larger one.
  std::vector<Banding> bandings;
  for (const Alternative& row : alternatives) bandings.push_back(row.banding);
  CorpusRun run(read);
  run.connect(forecast_options);
  forecast_ = forecast(run.corpus(), forecast_options, bandings);
  run.check_stop();
  run.line().erase();
  run.messages().end_of_problems();
  input_ = run.corpus().counts();
}

double CorpusForecast::bytes(const RunForecast& run) const {
  const int slots = std::max(slots_, run.banding.slots());
  return static_cast<double>(forecast_.for_documents * bytes_per_document(run.banding, slots)) +
         kPairBytes * run.compared.value;
}

std::string CorpusForecast::json() const {
  JsonArray background, runs;
  for (const SimilarityRange& range : forecast_.background) {
    JsonObject row;
    background.raw(row.add("from", range.from).add("to", range.to).add("pairs", range.pairs).str());
  }
  for (const RunForecast& run : forecast_.runs) {
    JsonObject row;
    row.add("bands", run.banding.bands).add("rows", run.banding.rows);
    row.add("band_collision_rate", run.band_collision_rate);
    row.raw("candidates", json_of(run.candidates)).raw("chance", json_of(run.chance));
    row.raw("compared", json_of(run.compared)).raw("read_again", json_of(run.read_again));
    row.add("bytes_per_document",
            bytes_per_document(run.banding, std::max(slots_, run.banding.slots())));
    runs.raw(row.add("bytes", bytes(run)).str());
  }
  JsonObject out;
  out.add("features", features_).add("documents", forecast_.documents);
  out.add("for_documents", forecast_.for_documents).add("empty", forecast_.empty);
  out.add("skipped", input_.skipped).add("taking_part", forecast_.taking_part);
  out.add("distinct_sets", forecast_.distinct_sets).add("sample", forecast_.sampled);
  out.add("pairs", forecast_.pairs).raw("background", background.str());
  return out.raw("similar", json_of(forecast_.similar)).raw("runs", runs.str()).str();
}

std::string CorpusForecast::text(const Banding& chosen) const {
  if (forecast_.sampled == 0)
    return fmt::format("The corpus: none of {} documents has features, so nothing is compared\n",
                       with_separators(forecast_.documents));
  std::string out = fmt::format(
      "The corpus: {} documents, {} of them different; {} were drawn and\n"
      "compared with all ({} pairs, {})\n",
      with_separators(forecast_.documents), with_separators(forecast_.distinct_sets),
      with_separators(forecast_.sampled), about(static_cast<double>(forecast_.pairs)), features_);
  append_background(out, forecast_);

  out += fmt::format("\nA run on {} documents{}\n", with_separators(forecast_.for_documents),
                     forecast_.for_documents == forecast_.documents ? "" : " of this kind");
  const auto run = std::find_if(forecast_.runs.begin(), forecast_.runs.end(),
                                [&](const RunForecast& one) { return one.banding == chosen; });
  if (run != forecast_.runs.end())
    out += fmt::format(
        "  compares about {} signatures of pairs,\n"
        "  {} of them by chance; about {} pairs of different documents are similar\n",
        about(run->candidates), about(run->chance.value), about(forecast_.similar.value));
  std::vector<double> bytes_of;
  for (const RunForecast& one : forecast_.runs) bytes_of.push_back(bytes(one));
  append_runs(out, forecast_, chosen, bytes_of);

  out +=
      "\n  These are means over hash functions, exact but for the sample, which cannot\n"
      "  see what is rare: a passage that few documents share with very many. 'dedup'\n"
      "  compares less where more than 64 documents meet in a band.\n";
  if (forecast_.for_documents > forecast_.documents)
    out +=
        "  Chance grows with the square of the documents. Near-copies were taken to grow\n"
        "  with the documents; the upper bounds allow for their square.\n";
  return out;
}

}  // namespace benzer::cli
