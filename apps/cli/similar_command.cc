#include <functional>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/score_text.h"

#include "../shared/index_settings.h"
#include "../shared/match_json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"
#include "explained_match.h"
#include "signals.h"

namespace benzer::cli {
namespace {

// Formats the matches of one query as the options ask.
std::string lines_of(const std::vector<Match>& matches, const std::string& query,
                     const Options& options, const Index& index) {
  const bool has_text = !options.like_id;
  std::string out;
  for (const Match& match : matches) {
    if (!options.explain) {
      out += match_json(match, &query) + "\n";
    } else if (options.json) {
      out += explained_json(match, &query, index.schema(), has_text) + "\n";
    } else {
      out += explained_text(match, query, index.schema(), has_text);
    }
  }
  return out;
}

// Says what an answer with a floor may lack.
void print_recall(const Options& options, const Index& index, const SimilarOptions& similar) {
  if (!similar.floor || options.quiet) return;
  print_on_stderr(fmt::format(
      "benzer: each of the {} most similar documents with a score of {} or more is found with a "
      "probability of at least {}\n",
      similar.limit, similar.floor->str(), shown_probability(index.floor_recall())));
}

using TellProblem = std::function<void(std::size_t document, const Error& problem)>;

// Reads the documents of --like, and calls answer(batch, threads, tell) for some at a time, which
// returns lines, and calls tell() for documents that cannot be asked about.
template <class Answer>
int run_like(const Options& options, const Index& index, Answer answer) {
  Options like = options;
  like.inputs = {*options.like};
  CorpusRun run(like, [&](InputOptions& input) {
    input.fields = query_fields(index.schema());
    input.needs_id = false;
  });
  run.check_fit(index.schema());
  std::size_t read = 0;  // documents of earlier batches
  std::uint64_t refused = 0;
  const TellProblem tell = [&](std::size_t document, const Error& problem) {
    ++refused;
    run.document_problem(static_cast<std::uint32_t>(read + document), sentence_of(problem),
                         "; it was skipped");
  };
  read_documents(run.corpus(), index.schema(), run.threads(), [&](std::vector<Document>& batch) {
    run.check_stop();
    const std::string lines = answer(batch, run.threads(), tell);
    run.line().erase();
    print_result(lines);
    read += batch.size();
  });
  run.messages().end_of_problems();
  return run.counts().skipped + refused > 0 ? kSomeSkipped : kDone;
}

// The document of --document.
Document document_of(const Options& options, const Index& index) {
  return document_from_json(*options.document, query_fields(index.schema()));
}

int run_shared_passages(const Options& options) {
  SharedPassagesOptions asked = shared_passages_options(options);
  asked.stop = stop_flag();
  const Index index = open_to_read(options, stop_flag());
  const auto answer = [&](const std::vector<Document>& batch, int threads,
                          const TellProblem& tell) {
    asked.problem = tell;
    const auto found = index.find_shared_passages(batch, asked, threads);
    std::string lines;
    for (std::size_t i = 0; i < batch.size(); ++i)
      for (const PassageMatch& match : found[i])
        lines += passage_match_json(match, &batch[i].id) + "\n";
    return lines;
  };
  if (options.like) return run_like(options, index, answer);
  print_result(answer({document_of(options, index)}, 1,
                      [](std::size_t, const Error& problem) { throw Error(problem); }));
  return kDone;
}

}  // namespace

int run_similar(const Options& options) {
  const int ways =
      options.like.has_value() + options.like_id.has_value() + options.document.has_value();
  if (ways != 1)
    refuse(
        fmt::format("'similar' needs one of --like FILE, --id ID and --document JSON, and "
                    "{} given",
                    ways == 0 ? "none is" : "several are"));
  if (!options.like)
    for (const auto& [given, name] : {std::pair{options.format.has_value(), "format"},
                                      {options.max_line.has_value(), "max_line"},
                                      {options.strict, "strict"}})
      if (given) refuse(words("{} has no effect without {}", {Parameter{name}, Parameter{"like"}}));
  if (options.passages) return run_shared_passages(options);
  if (options.min_words)
    refuse(words("{} has no effect without {}", {Parameter{"min_words"}, Parameter{"passages"}}));
  if (options.json && !options.explain)
    refuse("--json goes with --explain: without that the matches are JSON lines already");
  SimilarOptions similar = similar_options(options);
  similar.stop = stop_flag();
  const Index index = open_to_read(options, stop_flag());
  int exit_code = kDone;
  if (options.like) {
    exit_code =
        run_like(options, index,
                 [&](const std::vector<Document>& batch, int threads, const TellProblem& tell) {
                   similar.problem = tell;
                   const auto matches = index.find_similar_documents(batch, similar, threads);
                   std::string lines;
                   for (std::size_t i = 0; i < batch.size(); ++i)
                     lines += lines_of(matches[i], batch[i].id, options, index);
                   return lines;
                 });
  } else if (options.like_id) {
    print_result(lines_of(index.find_similar_to(*options.like_id, similar), *options.like_id,
                          options, index));
  } else {
    const Document document = document_of(options, index);
    print_result(
        lines_of(index.find_similar_documents(document, similar), document.id, options, index));
  }
  print_recall(options, index, similar);
  return exit_code;
}

}  // namespace benzer::cli
