// benzer count-frequencies: counts in how many documents each feature occurs, for +tf-idf.
#include <fmt/format.h>

#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/output.h"

#include "../shared/json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"

namespace benzer::cli {
namespace {

void check_name(const std::string& name) {
  if (name == "-")
    refuse("the frequencies cannot go to standard output",
           "they are read again by name, so give the name of a file");
  OutputFile::check_name(name);
  if (OutputFile::packs(name))
    refuse(fmt::format("the frequencies '{}' cannot be compressed", name),
           "leave .gz or .zst out of the name");
}

std::string json_of(const Options& options, const DocumentFrequencies& frequencies,
                    const InputCounts& input) {
  JsonObject out;
  out.add("command", "count-frequencies").add("output", *options.output);
  out.add("features", frequencies.weighed()).add("mark", frequencies.mark());
  out.add("documents", frequencies.documents()).add("skipped", input.skipped);
  out.add("named", frequencies.size()).add("rest", frequencies.rest());
  return out.str() + "\n";
}

std::string text_of(const Options& options, const DocumentFrequencies& frequencies) {
  return fmt::format(
      "benzer: counted in {}: {} in more than {}; all others weigh the most\n"
      "  use it with --features {} --frequencies {}\n",
      counted(frequencies.documents(), "document", "documents"),
      counted(frequencies.size(), "feature is", "features are"),
      with_separators(frequencies.rest()), frequencies.weighed(), *options.output);
}

}  // namespace

int run_count_frequencies(const Options& options) {
  if (!options.output)
    refuse("'count-frequencies' needs an output", command_row(kCountFrequencies).form);
  check_name(*options.output);
  CorpusRun run(options);
  run.check_outputs({{"the output", *options.output}});
  OutputFile out(*options.output, 1, run.stop());
  SimilarityOptions counting = similarity_options(options);
  run.connect(counting);
  const auto frequencies = count_frequencies(run.corpus(), counting);
  out.write(frequencies->bytes());
  out.commit();
  const InputCounts input = run.counts();
  run.finish(json_of(options, *frequencies, input), text_of(options, *frequencies));
  return input.skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
