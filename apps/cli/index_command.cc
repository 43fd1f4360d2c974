// Implements the commands that put documents into an index.
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"

#include "../shared/index_settings.h"
#include "../shared/json.h"
#include "../shared/match_json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"
#include "index_messages.h"
#include "signals.h"

namespace benzer::cli {
namespace {

struct Counts {
  std::uint64_t documents = 0, inserted = 0, replaced = 0, refused = 0;
};

// Documents that are written to the index in one call, so that one sync serves them all.
constexpr std::size_t kBatch = 10'000;  // documents
constexpr std::size_t kBatchBytes = std::size_t{16} << 20;

std::size_t bytes_of(const Document& document) {
  std::size_t out = document.id.size();
  for (const Field& field : document.fields) {
    out += field.text.size() + field.file.size();
    for (const std::string& value : field.values) out += value.size();
  }
  return out;
}

// Reads the inputs as documents of the index, and hands each batch to `take`.
class Feed {
 public:
  // `counts` receives how many documents there are, and those that are refused here.
  Feed(const Options& options, const Schema& schema, Counts& counts)
      : options_(without_index(options)),
        schema_(schema),
        counts_(counts),
        run_(options_, [&](InputOptions& input) { input.fields = input_fields(schema); }) {
    if (run_.format() == InputFormat::kLines)
      refuse("lines of text have no ids, and the documents of an index need one",
             "give JSON lines or CSV, or files of which each is a document");
    run_.check_fit(schema);
  }

  CorpusRun& run() { return run_; }

  template <class Take>
  void read(Take take) {
    read_documents(run_.corpus(), schema_, run_.threads(), [&](std::vector<Document>& batch) {
      run_.check_stop();
      const auto begin = static_cast<std::uint32_t>(counts_.documents);
      counts_.documents += batch.size();
      refuse_doubtful_ids(batch, begin);
      take(batch);
      run_.line().update({"index", counts_.documents, 0});
    });
  }

  // The same in large batches.
  template <class Take>
  void read_much(Take take) {
    std::vector<Document> kept;
    std::size_t bytes = 0;
    read([&](std::vector<Document>& batch) {
      for (Document& document : batch) {
        bytes += bytes_of(document);
        kept.push_back(std::move(document));
      }
      if (kept.size() < kBatch && bytes < kBatchBytes) return;
      take(kept);
      kept.clear();
      bytes = 0;
    });
    if (!kept.empty()) take(kept);
  }

 private:
  // Removes the documents of tables whose ids lists could not tell apart. Those of files are
  // refused where they are read. begin: the number of the first document.
  void refuse_doubtful_ids(std::vector<Document>& batch, std::uint32_t begin) {
    std::erase_if(batch, [&](const Document& document) {
      const std::uint32_t number = begin++;
      std::string valid;
      std::string_view problem;
      if (document.id.empty())
        problem = "the document has no id; each needs one of its own";
      else if (append_valid_utf8(valid, document.id) > 0)
        problem =
            "the id has bytes that are not UTF-8, and ids that differ only there would be one";
      else
        return false;
      ++counts_.refused;
      run_.document_problem(number, std::string(problem), "; it was left out");
      return true;
    });
  }

  const Options options_;
  const Schema& schema_;
  Counts& counts_;
  CorpusRun run_;
};

void refuse_document(const Options& options, Feed& feed, Counts& counts,
                     const std::string& problem) {
  if (options.strict) throw Error(ErrorCode::kBadInput, problem);
  ++counts.refused;
  feed.run().messages().problem(problem + "; it was left out");
}

int finish(Feed& feed, const Options& options, Index& index, const Counts& counts, JsonObject json,
           const std::string& text) {
  close_index(index, options);
  const InputCounts input = feed.run().counts();
  json.add("skipped", input.skipped).add("refused", counts.refused);
  json.add("size", index.size()).add("durability", index.durability().str());
  const std::string about =
      fmt::format("  index         {}, {} now, {}\n  schema        {}\n", index_name(options),
                  counted(index.size(), "document", "documents"), index.durability().str(),
                  index.schema().str());
  feed.run().finish(json.str() + "\n", text + about);
  return input.skipped + counts.refused > 0 ? kSomeSkipped : kDone;
}

}  // namespace

int run_index(const Options& options) {
  Index index = open_to_write(options, stop_flag());
  Counts counts;
  Feed feed(options, index.schema(), counts);
  const auto refuse = [&](const std::string& problem) {
    refuse_document(options, feed, counts, problem);
  };
  const auto started = std::chrono::steady_clock::now();
  if (options.bulk) {
    BulkLoad load = index.bulk_load();
    feed.read_much([&](const std::vector<Document>& batch) {
      for (const std::string& problem : load.add(batch, feed.run().threads()))
        if (!problem.empty()) refuse(problem);
    });
    const BulkLoad::Result result = load.finish();
    counts.inserted = result.documents - result.replaced;
    counts.replaced = counts.documents - counts.refused - counts.inserted;
  } else {
    feed.read_much([&](const std::vector<Document>& batch) {
      for (const IndexResult& result : index.index_documents(batch, feed.run().threads())) {
        counts.inserted += result.outcome == IndexResult::Outcome::kInserted;
        counts.replaced += result.outcome == IndexResult::Outcome::kReplaced;
        if (result.outcome == IndexResult::Outcome::kRefused) refuse(result.problem);
      }
    });
  }
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  JsonObject json;
  json.add("command", "index").add("index", index_name(options));
  json.add("documents", counts.documents).add("inserted", counts.inserted);
  json.add("replaced", counts.replaced).add("seconds", seconds);
  return finish(
      feed, options, index, counts, std::move(json),
      fmt::format("benzer: {}: {} new, {} replaced, in {:.2f} s\n",
                  counted(counts.documents, "document", "documents"),
                  with_separators(counts.inserted), with_separators(counts.replaced), seconds));
}

int run_check_and_add(const Options& options) {
  const SimilarOptions similar = similar_options(options);
  Index index = open_to_write(options, stop_flag());
  Counts counts;
  Feed feed(options, index.schema(), counts);
  const auto refuse = [&](const std::string& problem) {
    refuse_document(options, feed, counts, problem);
  };
  bool is_read = true;  // by whoever reads standard output
  feed.read([&](const std::vector<Document>& batch) {
    for (const Document& document : batch) {
      feed.run().check_stop();
      HashedDocuments hashed = index.hash_documents({document}, 1, stop_flag());
      if (const std::string& problem = hashed.problems()[0]; !problem.empty()) {
        refuse(problem);
        continue;
      }
      const CheckResult result = index.check_and_add(document, std::move(hashed), similar);
      counts.inserted += result.added;
      if (!is_read) continue;
      JsonObject json;
      json.add("id", document.id).add("added", result.added);
      if (result.added) json.add("durability", result.reached.str());
      JsonArray matches;
      for (const Match& match : result.matches) matches.raw(match_json(match, nullptr));
      json.raw("matches", matches.str());
      // Printed at once: the reader may act on it while the command is still running.
      feed.run().line().erase();
      is_read = print_if_read(json.str() + "\n");
    }
  });
  JsonObject json;
  json.add("command", "check-and-add").add("index", index_name(options));
  json.add("documents", counts.documents).add("added", counts.inserted);
  return finish(feed, options, index, counts, std::move(json),
                fmt::format("benzer: {}: {} added, {} similar to what is there\n",
                            counted(counts.documents, "document", "documents"),
                            with_separators(counts.inserted),
                            with_separators(counts.documents - counts.inserted - counts.refused)));
}

}  // namespace benzer::cli
