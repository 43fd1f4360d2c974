#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

// Hands over the lines of a corpus in order.
class LineVisitor : public DocumentVisitor {
 public:
  struct Line {
    std::string text;
    bool replaced;  // U+FFFD replaces invalid text
  };
  explicit LineVisitor(std::function<void(const std::vector<Line>& lines)> visit)
      : visit_(std::move(visit)) {}
  std::unique_ptr<Block> start_block() override { return std::make_unique<Lines>(); }
  void finish_block(std::unique_ptr<Block> block) override {
    visit_(static_cast<Lines&>(*block).lines);
  }

 private:
  struct Lines : Block {
    void add(const DocumentView& document) override {
      lines.push_back({std::string(document.text), document.replaced});
    }
    std::vector<Line> lines;
  };
  std::function<void(const std::vector<Line>& lines)> visit_;
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
  constexpr std::string_view kLeftOut = "; the change was left out";
  const auto carry_out = [&] {
    const std::vector<IndexResult> results = index.change_attributes(changes);
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].outcome == IndexResult::Outcome::kReplaced) {
        ++counts.changed;
      } else if (results[i].outcome == IndexResult::Outcome::kRefused) {
        const std::string problem =
            fmt::format("{}: {}", json_string(changes[i].id), results[i].problem);
        if (options.strict) throw Error(ErrorCode::kBadInput, problem);
        ++counts.refused;
        run.messages().problem(problem + std::string(kLeftOut));
      } else {
        ++counts.missing;
        tell_missing(changes[i].id, options);
      }
    }
    changes.clear();
  };
  std::uint32_t read = 0;
  LineVisitor visitor([&](const std::vector<LineVisitor::Line>& batch) {
    run.check_stop();
    for (const LineVisitor::Line& line : batch) {
      const std::uint32_t number = read++;
      if (line.text.find_first_not_of(" \t\r") == line.text.npos) continue;
      ++counts.changes;
      try {
        AttributeChange change = change_from_json(line.text, id_field, line.replaced);
        if (change.id.empty())
          throw Error(
              ErrorCode::kBadInput,
              fmt::format("the field {} with the id is missing or empty", json_string(id_field)));
        changes.push_back(std::move(change));
      } catch (const Error& error) {
        ++counts.refused;
        run.document_problem(number, error.what(), kLeftOut);
      }
      if (changes.size() == kBatch) carry_out();
    }
    run.line().update({"update", counts.changes, 0});
  });
  run.corpus().scan(visitor, run.threads());
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
