// benzer eval: runs experiments, and shows or writes their results.
#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/error.h"
#include "benzer/output.h"
#include "benzer/research/experiments.h"

#include "../shared/json.h"
#include "../shared/setting_text.h"
#include "../shared/settings.h"
#include "commands.h"
#include "messages.h"
#include "output_folder.h"
#include "signals.h"
#include "suggest.h"

namespace benzer::cli {
namespace {

std::string list_text() {
  std::string out;
  std::string_view document;
  for (const ExperimentInfo& info : all_experiments()) {
    if (info.document != document) {
      out += fmt::format("{}{}\n", document.empty() ? "" : "\n", info.document);
      document = info.document;
    }
    out += fmt::format("  {:<16} {}\n", info.name, info.summary);
  }
  return out + "\nbenzer eval NAME runs one, benzer eval --all all of them.\n";
}

std::string list_json() {
  JsonArray rows;
  for (const ExperimentInfo& info : all_experiments()) {
    JsonObject row;
    row.add("name", info.name).add("document", info.document).add("summary", info.summary);
    row.add("reads_texts", info.reads_texts).add("reads_pictures", info.reads_pictures);
    row.add("values", info.values);
    rows.raw(row.str());
  }
  JsonObject out;
  return out.add("command", "eval").raw("experiments", rows.str()).str() + "\n";
}

// Returns the experiments to run: with --all in the order of the list, otherwise as named.
std::vector<ExperimentInfo> chosen(const Options& options) {
  const auto known = all_experiments();
  if (options.all) {
    if (!options.inputs.empty())
      refuse(fmt::format("'{}' and --all contradict each other", options.inputs.front()),
             "name experiments, or run all");
    return {known.begin(), known.end()};
  }
  if (options.inputs.empty())
    refuse("no experiment is named",
           "benzer eval NAME runs one, --all runs all, --list names them");
  std::vector<std::string_view> names;
  for (const ExperimentInfo& info : known) names.push_back(info.name);
  std::vector<ExperimentInfo> out;
  std::set<std::string> seen;
  for (const std::string& name : options.inputs) {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      const std::string_view nearest = suggest(name, names);
      throw Error(ErrorCode::kInvalidArgument, fmt::format("'{}' is not an experiment", name),
                  nearest.empty() ? fmt::format("there are {}", fmt::join(names, ", "))
                                  : fmt::format("did you mean '{}'?", nearest));
    }
    if (!seen.insert(name).second) refuse(fmt::format("'{}' is named twice", name));
    out.push_back(known[static_cast<std::size_t>(at - names.begin())]);
  }
  return out;
}

void check_list(const Options& options) {
  const std::pair<bool, std::string_view> others[] = {
      {options.all, "--all"},
      {options.full, "--full"},
      {options.out.has_value(), "--out"},
      {options.html.has_value(), "--html"},
      {options.data.has_value(), "--data"},
      {options.seed.has_value(), "--seed"},
      {options.slots.has_value(), "--slots"},
      {options.eps.has_value(), "--eps"},
      {options.bands.has_value(), "--bands"},
      {options.threshold.has_value(), "--threshold"},
      {options.id.has_value(), "--id"},
      {options.threads.has_value(), "--threads"}};
  for (const auto& [given, name] : others)
    if (given) refuse(fmt::format("{} has no effect with --list, which runs nothing", name));
  if (!options.inputs.empty())
    refuse(
        fmt::format("'{}' has no effect with --list, which runs nothing", options.inputs.front()));
}

template <class Number>
std::optional<Number> read_value(const std::optional<std::string>& text, std::string_view parameter,
                                 Number least, Number most) {
  if (!text) return std::nullopt;
  Number number{};
  if (!read_whole(*text, &number) || !(number >= least && number <= most))
    refuse_value(parameter, *text, fmt::format("give a number from {} to {}", least, most));
  return number;
}

// The values of calls. Each must be one that some of the experiments takes.
ExperimentValues read_values(const Options& options, const std::vector<ExperimentInfo>& names) {
  constexpr std::uint32_t kMost = 1'000'000;
  ExperimentValues out;
  out.slots = read_value<std::uint32_t>(options.slots, "slots", 1, kMost);
  out.bands = read_value<std::uint32_t>(options.bands, "bands", 1, kMost);
  out.eps = read_value<double>(options.eps, "eps", 0, 1);
  out.threshold = read_value<double>(options.threshold, "threshold", 0, 1);
  out.id = options.id;
  const std::pair<bool, std::string_view> given[] = {{out.slots.has_value(), "slots"},
                                                     {out.bands.has_value(), "bands"},
                                                     {out.eps.has_value(), "eps"},
                                                     {out.threshold.has_value(), "threshold"},
                                                     {out.id.has_value(), "id"}};
  for (const auto& [is_given, value] : given) {
    const auto takes = [&](const ExperimentInfo& info) { return info.takes(value); };
    if (!is_given || std::ranges::any_of(names, takes)) continue;
    std::vector<std::string_view> others;
    for (const ExperimentInfo& info : all_experiments())
      if (takes(info)) others.push_back(info.name);
    refuse(fmt::format("--{} has no effect on {}", value,
                       names.size() == 1 ? fmt::format("'{}'", names.front().name)
                                         : std::string("these experiments")),
           fmt::format("it is for {}", fmt::join(others, ", ")));
  }
  return out;
}

// What an experiment takes of the values.
ExperimentValues taken(ExperimentValues values, const ExperimentInfo& info) {
  if (!info.takes("slots")) values.slots.reset();
  if (!info.takes("bands")) values.bands.reset();
  if (!info.takes("eps")) values.eps.reset();
  if (!info.takes("threshold")) values.threshold.reset();
  if (!info.takes("id")) values.id.reset();
  return values;
}

// Makes the folder before anything runs, so that a failure is reported at once and not after a
// minute.
void check_folder(const std::string& folder) {
  make_output_folder(folder);
  // Makes a file to see whether this is possible; without commit() it is removed again.
  OutputFile probe(folder + "/experiment");
}

// Writes all files of one experiment, or none of them.
std::size_t write_files(const ExperimentResult& result, const std::string& folder) {
  std::vector<OutputFile> files;
  const auto write = [&](const std::string& name, std::string_view bytes) {
    files.emplace_back(folder + "/" + name);
    files.back().write(bytes);
    files.back().finish();
  };
  write(result.name + ".txt", experiment_text(result));
  write(result.name + ".json", experiment_json(result));
  for (const ExperimentTable& table : result.tables)
    write(table.name + ".csv", experiment_csv(table));
  for (const ExperimentChart& chart : result.charts) write(chart.name + ".svg", chart.svg);
  for (OutputFile& file : files) file.commit();
  return files.size();
}

}  // namespace

int run_eval(const Options& options) {
  if (options.list) {
    check_list(options);
    print_result(options.json ? list_json() : list_text());
    return kDone;
  }
  const std::vector<ExperimentInfo> names = chosen(options);
  ExperimentOptions settings;
  if (options.seed) settings.seed = read_seed(options);
  settings.full = options.full;
  if (options.threads) settings.threads = thread_count(options);
  if (options.data) {
    if (options.data->empty())
      refuse("--data is empty", "give the name of a folder of texts, or of pictures");
    if (std::ranges::none_of(names, &ExperimentInfo::reads_texts) &&
        std::ranges::none_of(names, &ExperimentInfo::reads_pictures))
      refuse(fmt::format("--data has no effect: {} no texts and no pictures",
                         names.size() == 1 ? fmt::format("'{}' reads", names.front().name)
                                           : std::string("these experiments read")));
  }
  const ExperimentValues values = read_values(options, names);
  // The folder of --data has texts or images. If experiments of both kinds run, it has texts.
  const bool of_texts = std::ranges::any_of(names, &ExperimentInfo::reads_texts);
  const auto reads_data = [&](const ExperimentInfo& info) {
    return of_texts ? info.reads_texts : info.reads_pictures;
  };
  // All experiments are checked before the first one runs: otherwise the second one could fail
  // after a minute.
  settings.data = options.data.value_or("");
  std::vector<std::string_view> readers;
  for (const ExperimentInfo& info : names) {
    if (!reads_data(info)) continue;
    if (info.values.empty()) {
      readers.push_back(info.name);
      continue;
    }
    settings.values = taken(values, info);
    check_experiments(std::span(&info.name, 1), settings);
    settings.values = {};
  }
  if (!readers.empty()) check_experiments(readers, settings);
  if (options.out) check_folder(*options.out);
  settings.stop = install_signal_handlers();
  std::optional<OutputFile> page;
  if (options.html) page.emplace(*options.html, 1, settings.stop);

  const bool writes = options.out || options.html;
  std::vector<ExperimentResult> results;
  for (const ExperimentInfo& info : names) {
    settings.data = reads_data(info) ? options.data.value_or("") : "";
    settings.values = taken(values, info);
    results.push_back(run_experiment(info.name, settings));
    const ExperimentResult& result = results.back();
    std::size_t files = 0;
    if (options.out) files = write_files(result, *options.out);
    bool is_read = true;
    if (options.json) {
      is_read = print_if_read(experiment_json(result));
    } else if (!writes) {
      is_read = print_if_read((results.size() > 1 ? "\n" : "") +
                              printable_lines(experiment_text(result)));
    }
    if (!is_read && !writes) return kDone;
    if (options.quiet) continue;
    if (options.out) {
      print_on_stderr(fmt::format("benzer: {}: {:.1f} s, {} files in {}\n", result.name,
                                  result.seconds, files, *options.out));
    } else if (options.html || names.size() > 1) {
      print_on_stderr(fmt::format("benzer: {}: {:.1f} s\n", result.name, result.seconds));
    }
  }
  if (page) {
    page->write(experiments_html(results));
    page->commit();
  }
  return kDone;
}

}  // namespace benzer::cli
