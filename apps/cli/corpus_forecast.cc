#include "corpus_forecast.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "benzer/internal/text.h"

#include "corpus_run.h"

namespace benzer::cli {
namespace {

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

void append_background(std::string& out, const CorpusForecast& report) {
  const Forecast& forecast = report.forecast;
  out += fmt::format("\n  {}{}, picked at random, resemble each other by\n",
                     forecast.references > 0 ? "A document and a different document or reference"
                                             : "Two different documents",
                     report.has_groups ? " of one group" : "");
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

// ", and 6,000 references"; empty if there are none.
std::string references_in_words(const Forecast& forecast) {
  if (forecast.references == 0) return "";
  return ", and " + counted(forecast.references, "reference", "references");
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

CorpusForecast forecast_corpus(const Options& options, const PlanReport& report) {
  const Options read = options_to_forecast(options);
  ForecastOptions asked = forecast_options(read);
  CorpusRun run(read);
  run.connect(asked);
  CorpusForecast out;
  out.forecast = forecast(run.corpus(), asked, report.forecast_bandings());
  run.check_stop();
  run.line().erase();
  run.messages().end_of_problems();
  out.describe(asked, run.counts());
  out.has_groups = options.by.has_value();
  return out;
}

std::string forecast_text(const CorpusForecast& report, const Banding& chosen) {
  const Forecast& forecast = report.forecast;
  if (forecast.sampled == 0)
    return fmt::format("The corpus: none of {} has features, so nothing is compared\n",
                       counted(forecast.documents, "document", "documents"));
  std::string out = fmt::format(
      "The corpus: {}, {} of them different{}; {} drawn and\n"
      "compared with all ({} pairs, {})\n",
      counted(forecast.documents, "document", "documents"), with_separators(forecast.distinct_sets),
      references_in_words(forecast), counted(forecast.sampled, "was", "were"),
      about(static_cast<double>(forecast.pairs)), report.features);
  append_background(out, report);

  out +=
      fmt::format("\nA run on {}{}{}\n", counted(forecast.for_documents, "document", "documents"),
                  forecast.for_documents == forecast.documents ? "" : " of this kind",
                  references_in_words(forecast));
  const auto run = std::find_if(forecast.runs.begin(), forecast.runs.end(),
                                [&](const RunForecast& one) { return one.banding == chosen; });
  if (run != forecast.runs.end())
    out += fmt::format(
        "  compares about {} signatures of pairs,\n"
        "  {} of them by chance; about {} pairs of different documents are similar\n",
        about(run->candidates), about(run->chance.value), about(forecast.similar.value));
  std::vector<double> bytes_of;
  for (const RunForecast& one : forecast.runs) bytes_of.push_back(report.bytes(one));
  append_runs(out, forecast, chosen, bytes_of);

  out +=
      "\n  These are means over hash functions, exact but for the sample, which cannot\n"
      "  see what is rare: a passage that few documents share with very many. 'dedup'\n"
      "  compares less where more than 64 documents meet in a band.\n";
  if (forecast.for_documents > forecast.documents)
    out +=
        "  Chance grows with the square of the documents. Near-copies were taken to grow\n"
        "  with the documents; the upper bounds allow for their square.\n";
  if (forecast.for_documents > forecast.documents && forecast.references > 0)
    out += "  The references stay the same, so pairs with them grow with the documents.\n";
  return out;
}

}  // namespace benzer::cli
