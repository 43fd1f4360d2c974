// Runs only the sketch pass: into a file of signatures, or as the first stage of a dedup.
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/output.h"

#include "../shared/json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"

namespace benzer::cli {
namespace {

DedupOptions sketch_options(const Options& options, CorpusRun& run) {
  DedupOptions out;
  static_cast<SimilarityOptions&>(out) = similarity_options(options);
  out.keep = keep_order(options, out.config.features);
  run.connect(out);
  return out;
}

// Prints the summary. `json` describes the result, `sentence` what can be done with it.
int finish(CorpusRun& run, const DedupOptions& dedup, const SimilarityCounts& counts,
           JsonObject json, const std::string& sentence) {
  const InputCounts input = run.counts();
  json.add("features", dedup.config.features.str()).add("sketch", dedup.config.sketch.str());
  json.add("documents", counts.documents).add("bytes", counts.bytes).add("skipped", input.skipped);
  run.finish(json.str() + "\n",
             fmt::format("benzer: {} sketched; {}\n",
                         counted(counts.documents, "document", "documents"), sentence));
  return input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace

int run_sketch_stage(const Options& options) {
  const std::pair<std::string_view, bool> without_effect[] = {
      {"--output", options.output.has_value()},
      {"--dry-run", options.dry_run},
      {"--removed", options.removed.has_value()},
      {"--pairs", options.pairs_list.has_value()},
      {"--clusters", options.clusters_list.has_value()},
      {"--report", options.report.has_value()},
      {"--annotate", options.annotate}};
  for (const auto& [name, is_given] : without_effect)
    if (is_given)
      refuse("--stage sketch writes nothing but the stage", fmt::format("leave out {}", name));
  CorpusRun run(options);
  run.check_outputs({});
  const DedupOptions dedup = sketch_options(options, run);
  const SimilarityCounts counts = sketch(run.corpus(), dedup);
  JsonObject json;
  json.add("command", "dedup").add("stage", *options.stage);
  json.add("part", options.part.value_or("1/1")).add("work", *options.work);
  return finish(run, dedup, counts, std::move(json),
                fmt::format("their stage is in {}", *options.work));
}

int run_sketch(const Options& options) {
  if (!options.output) refuse("'sketch' needs an output", command_row(kSketch).form);
  if (OutputFile::packs(*options.output))
    refuse(fmt::format("the signatures '{}' cannot be compressed", *options.output),
           "leave .gz or .zst out of the name");
  std::optional<OutputFile> out;
  CorpusRun run(options, [&](InputOptions& input) {
    input.save_to = [&](std::string_view bytes) { out->write(bytes); };
  });
  run.check_outputs({{"the output", *options.output}});
  const DedupOptions dedup = sketch_options(options, run);
  out.emplace(*options.output, run.threads(), run.stop());
  const SimilarityCounts counts = sketch(run.corpus(), dedup);
  out->commit();
  JsonObject json;
  json.add("command", "sketch").add("output", *options.output);
  return finish(run, dedup, counts, std::move(json),
                fmt::format("use them with --signatures {}", *options.output));
}

}  // namespace benzer::cli
