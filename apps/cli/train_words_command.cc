// benzer train-words: learns a vocabulary of visual words for image:sift.
#include <optional>

#include <fmt/format.h>

#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/output.h"

#include "../shared/json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"
#include "signals.h"

namespace benzer::cli {
namespace {

std::string json_of(const Options& options, const TrainedWords& words) {
  JsonObject out;
  out.add("command", "train-words").add("output", *options.output);
  out.add("pictures", words.pictures).add("no_images", words.undecodable);
  out.add("key_points", words.key_points);
  return out.str() + "\n";
}

std::string text_of(const Options& options, const TrainedWords& words) {
  std::string out =
      fmt::format("benzer: learned from {} of {}", counted(words.key_points, "point", "points"),
                  counted(words.pictures, "picture", "pictures"));
  if (words.undecodable > 0)
    out += fmt::format("; {} not an image, or damaged",
                       counted(words.undecodable, "file is", "files are"));
  return out + fmt::format("\n  use it with --features image:sift+words:{}\n", *options.output);
}

// Refuses a name with '+' or '|': the name becomes a part of a configuration, in which these
// characters are separators.
void check_name(const std::string& name) {
  if (name == "-")
    refuse("the vocabulary cannot go to standard output",
           "a run has to find it again, so give the name of a file");
  if (name.find_first_of("+|") != std::string::npos)
    refuse(
        fmt::format("the output '{}' could not be named in --features image:sift+words:FILE", name),
        "leave '+' and '|' out of it");
  OutputFile::check_name(name);
  if (OutputFile::packs(name))
    refuse(fmt::format("the vocabulary '{}' cannot be compressed", name),
           "leave .gz or .zst out of the name");
}

int learn_from_made_up(const Options& options) {
  if (!options.inputs.empty())
    refuse(fmt::format("'{}' and --made-up contradict each other", options.inputs.front()),
           "give one of them");
  if (options.strict || options.max_line)
    refuse(fmt::format("{} has no effect with --made-up, which reads nothing",
                       options.strict ? "--strict" : "--max-line"));
  TrainWordsOptions training;
  training.threads = thread_count(options);
  training.stop = install_signal_handlers();
  ProgressLine line(ProgressLine::choose_mode(options.progress.value_or("auto"), options.quiet));
  training.progress = [&](const Progress& progress) { line.update(progress); };
  OutputFile out(*options.output, 1, training.stop);
  const TrainedWords words = train_words_on_made_up_pictures(training);
  line.erase();
  out.write(words.file);
  out.commit();
  if (options.json) {
    print_if_read(json_of(options, words));
  } else if (!options.quiet) {
    print_on_stderr(text_of(options, words));
  }
  return kDone;
}

}  // namespace

int run_train_words(const Options& options) {
  if (!options.output) refuse("'train-words' needs an output", command_row(kTrainWords).form);
  check_name(*options.output);
  if (options.made_up) return learn_from_made_up(options);
  if (options.inputs.empty())
    refuse("'train-words' needs pictures, or --made-up", command_row(kTrainWords).form);
  std::optional<OutputFile> out;
  CorpusRun run(options, [](InputOptions& input) {
    input.format = InputFormat::kText;
    input.images = true;
  });
  run.check_outputs({{"the output", *options.output}});
  out.emplace(*options.output, 1, run.stop());
  TrainWordsOptions training;
  training.threads = run.threads();
  training.stop = run.stop();
  training.progress = [&](const Progress& progress) { run.line().update(progress); };
  training.problem = [&](std::uint32_t document, const std::string& problem) {
    run.document_problem(document, problem);
  };
  const TrainedWords words = train_words(run.corpus(), training);
  out->write(words.file);
  out->commit();
  run.finish(json_of(options, words), text_of(options, words));
  return run.counts().skipped > 0 ? kSomeSkipped : kDone;
}

}  // namespace benzer::cli
