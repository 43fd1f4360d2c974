#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "../shared/index_settings.h"
#include "../shared/json.h"
#include "../shared/settings.h"
#include "commands.h"
#include "corpus_run.h"
#include "index_messages.h"
#include "messages.h"
#include "signals.h"

namespace benzer::cli {
namespace {

constexpr std::size_t kBatch = 10'000;  // changes that are written in one call

struct Counts {
  std::uint64_t changes = 0, changed = 0, missing = 0, refused = 0;
};

}  // namespace

int run_update(const Options& options) {
  Index index = open_to_write(options, stop_flag());
  Options lines = without_index(options);
  lines.format = "lines";
  lines.id.reset();
  CorpusRun run(lines);
  const std::string id_field = options.id.value_or("id");
  Counts counts;
  std::vector<AttributeChange> changes;
  const auto refuse_one = [&](const std::string& problem) {
    if (options.strict) throw Error(ErrorCode::kBadInput, problem);
    ++counts.refused;
    run.messages().problem(problem + "; the change was left out");
  };
  const auto carry_out = [&] {
    const std::vector<IndexResult> results = index.change_attributes(changes);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].outcome == IndexResult::Outcome::kReplaced) {
        ++counts.changed;
      } else if (results[i].outcome == IndexResult::Outcome::kRefused) {
        refuse_one(fmt::format("{}: {}", json_string(changes[i].id), results[i].problem));
      } else {
        ++counts.missing;
        tell_missing(changes[i].id, options);
      }
    }
    changes.clear();
  };
  read_documents(run.corpus(), Schema(), run.threads(), [&](std::vector<Document>& batch) {
    run.check_stop();
    for (const Document& document : batch) {
      const std::string& line = document.fields[0].text;
      if (line.find_first_not_of(" \t\r") == line.npos) continue;
      ++counts.changes;
      try {
        AttributeChange change = change_from_json(line, id_field);
        if (change.id.empty())
          throw Error(
              ErrorCode::kBadInput,
              fmt::format("the field {} with the id is missing or empty", json_string(id_field)));
        changes.push_back(std::move(change));
      } catch (const Error& error) {
        refuse_one(fmt::format("change {}: {}", counts.changes, error.what()));
      }
      if (changes.size() == kBatch) carry_out();
    }
    run.line().update({"update", counts.changes, 0});
  });
  carry_out();
  close_index(index, options);
  JsonObject json;
  json.add("command", "update").add("index", index_name(options));
  json.add("changes", counts.changes).add("changed", counts.changed);
  json.add("missing", counts.missing).add("refused", counts.refused);
  json.add("durability", index.durability().str());
  run.finish(
      json.str() + "\n",
      fmt::format("benzer: {}: {} changed, {} not there, {} refused\n",
                  counted(counts.changes, "change", "changes"), with_separators(counts.changed),
                  with_separators(counts.missing), with_separators(counts.refused)));
  if (counts.refused > 0) return kSomeSkipped;
  return counts.missing == 0 ? kDone : kNotThere;
}

}  // namespace benzer::cli
