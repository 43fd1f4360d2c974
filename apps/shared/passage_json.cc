#include "passage_json.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "benzer/internal/text.h"
#include "benzer/runtime.h"

#include "choices.h"
#include "printable.h"
#include "setting_text.h"
#include "settings.h"
#include "summary.h"

namespace benzer::apps {
namespace {

void add_document(JsonObject& out, const Corpus& corpus, std::uint32_t document) {
  const DocumentLabel label = corpus.label(document);
  out.raw("document", label.id_json);
  if (!label.source.empty()) out.add("source", label.source).add("line", label.line);
}

// removal: null if the first place is as it was.
void add_passage(JsonObject& out, const Corpus& corpus, const Passage& passage,
                 const PassageRemoval* removal = nullptr) {
  JsonObject first;
  add_document(first, corpus, passage.first.document);
  add_run(first, passage.first);
  first.add("words", passage.first_words);
  if (removal) first.add("left", removal->words_left(passage.first, passage.first_words));
  add_run(out, passage.place);
  out.add("words", passage.words).add("score", passage.score());
  out.add("cluster", passage.cluster).raw("first", first.str());
}

}  // namespace

void add_run(JsonObject& out, const TextRun& run) {
  out.add("begin", run.begin).add("end", run.end);
  out.add("begin_char", run.begin_char).add("end_char", run.end_char);
}

void read_passage_lengths(const Options& options, PassageOptions& out) {
  if (options.min_words && (!read_whole(*options.min_words, &out.min_words) || out.min_words < 1 ||
                            out.min_words > PassageOptions::kMostMinWords))
    refuse_value("min_words", *options.min_words,
                 fmt::format("give a whole number from 1 to {}", PassageOptions::kMostMinWords));
  if (options.gap && (!read_whole(*options.gap, &out.gap) || out.gap > PassageOptions::kMostGap))
    refuse_value("gap", *options.gap,
                 fmt::format("give a whole number from 0 to {}", PassageOptions::kMostGap));
}

PassageRemovalOptions passage_options(const Options& options) {
  PassageRemovalOptions out;
  // Of any length of shingles only the words are used.
  out.features =
      options.features ? read_config(options).features : FeatureSpec::parse("text:word1");
  read_passage_lengths(options, out);
  out.across_groups = options.across.has_value();
  if (options.across && !options.against.empty())
    refuse(words("{} has no effect with {}, since documents are then compared with references only",
                 {Parameter{"across"}, Parameter{"against"}}),
           "leave out one of them");
  out.threads = thread_count(options);
  out.memory_limit = read_memory_limit(options);
  out.work_folder = read_work_folder(options);
  out.keep_stages = options.work.has_value();
  if (options.at) {
    constexpr std::array kAll = {CutAt::kWord, CutAt::kSentence, CutAt::kParagraph, CutAt::kLine};
    out.at = kAll[choose("at", *options.at, kCutNames)];
  }
  if (options.min_left && !read_whole(*options.min_left, &out.min_left))
    refuse_value("min_left", *options.min_left, "give a whole number from 0 on");
  return out;
}

JsonObject passage_json(const Corpus& corpus, const Passage& passage) {
  JsonObject out;
  add_document(out, corpus, passage.place.document);
  add_passage(out, corpus, passage);
  out.add("text", passage.text);
  return out;
}

std::vector<std::string> passage_annotation_names() { return {"benzer_passages"}; }

void PassageAnnotation::add(const Corpus& corpus, const Passage& passage) {
  if (lists_.empty() || lists_.back().first != passage.place.document)
    lists_.emplace_back(passage.place.document, JsonArray());
  JsonObject span;
  add_passage(span, corpus, passage);
  lists_.back().second.raw(span.str());
}

FileCorpus::Annotation PassageAnnotation::annotation() const {
  auto values = [this](std::uint32_t document, std::vector<std::string>& json) {
    const auto found =
        std::ranges::lower_bound(lists_, document, {}, [](const auto& list) { return list.first; });
    const bool has_some = found != lists_.end() && found->first == document;
    json = {has_some ? found->second.str() : "[]"};
  };
  return {passage_annotation_names(), std::move(values)};
}

void append_cut_lines(std::string& out, const Corpus& corpus, const PassageRemoval& removal,
                      const DocumentCuts& document, std::string_view text) {
  for (const PassageCut& cut : document.cuts) {
    JsonObject line;
    add_document(line, corpus, document.document);
    line.add("begin", cut.begin).add("end", cut.end).add("words", cut.words);
    line.add("text", text.substr(cut.begin, cut.end - cut.begin));
    JsonArray passages;
    for (std::uint32_t i = cut.first_passage; i < cut.last_passage; ++i) {
      JsonObject passage;
      add_passage(passage, corpus, document.passages[i], &removal);
      passages.raw(passage.str());
    }
    out += line.raw("passages", passages.str()).str() + "\n";
  }
  if (!document.dropped) return;
  JsonObject line;
  add_document(line, corpus, document.document);
  line.add("dropped", true).add("words", document.words_left);
  out += line.add("text", without_cuts(text, document.cuts)).str() + "\n";
}

PassageEdits::PassageEdits(const Corpus& corpus, const PassageRemoval& removal, OutputFile* removed)
    : corpus_(corpus), removal_(removal), removed_(removed) {
  for (const DocumentCuts& document : removal.documents) {
    if (document.cuts.empty()) continue;
    numbers_.push_back(document.document);
    cuts_.push_back(&document);
  }
}

FileCorpus::Edits PassageEdits::edits() {
  next_ = 0;
  return {numbers_, [this](std::uint32_t, std::string_view text) { return edit(text); }};
}

void PassageEdits::list(const DocumentCuts& document, std::string_view text) {
  if (!removed_ || !is_list_whole_) return;
  lines_.clear();
  append_cut_lines(lines_, corpus_, removal_, document, text);
  try {
    removed_->write(lines_);
  } catch (const StdoutClosed&) {
    is_list_whole_ = false;
  }
}

std::optional<std::string> PassageEdits::edit(std::string_view text) {
  const DocumentCuts& document = *cuts_[next_++];
  list(document, text);
  if (document.dropped) return std::nullopt;
  return without_cuts(text, document.cuts);
}

std::string PassageSummary::json(const Options& options) const {
  JsonObject out;
  out.add("command", "passages").add("version", version());
  out.add("features", asked.features.str());
  out.add("min_words", asked.min_words);
  out.add("gap", asked.gap);
  out.add("inputs", std::span<const std::string>(options.inputs)).add_or_null("output", output);
  out.add("against", std::span<const std::string>(options.against));
  out.add_or_null("across", options.across.value_or(""));
  out.add("documents", counts.documents).add("references", counts.references);
  out.add("documents_with_passages", counts.documents_with).add("passages", counts.passages);
  out.add("clusters", counts.clusters).add("words", counts.words);
  out.add("shared_words", counts.shared_words);
  if (removal) {
    out.add("at", name_of(asked.at)).add("min_left", asked.min_left);
    out.add("cut", removal->cut).add("dropped", removal->dropped);
    out.add("removed_words", removal->removed_words).add("dry_run", options.dry_run);
    out.add_or_null("removed_list", removed_list).add_or_null("skipped_list", skipped_list);
  }
  out.add("skipped", input.skipped);
  out.add("replaced", counts.replaced).add("without_group", input.without_group);
  out.add("duplicate_ids", input.duplicate_ids).add("bytes", input.bytes);
  out.add("threads", asked.threads).add("cpu", cpu_level_name(active_cpu_level()));
  add_cost(out);
  return out.str() + "\n";
}

std::string PassageSummary::text(const Options& options) const {
  std::string out = fmt::format("benzer: {}, {} of at least {} in {} of them\n",
                                counted(counts.documents, "document", "documents"),
                                counted(counts.passages, "shared passage", "shared passages"),
                                counted(asked.min_words, "word", "words"),
                                with_separators(counts.documents_with));
  if (counts.references > 0)
    append_row(out, "references", counted(counts.references, "document", "documents"));
  append_row(
      out, "words",
      fmt::format("{} of {} ({}) are in a passage", with_separators(counts.shared_words),
                  with_separators(counts.words), percent_of(counts.shared_words, counts.words)));
  append_row(out, "different", counted(counts.clusters, "passage", "passages"));
  if (removal) {
    append_row(out, "removed",
               fmt::format("{} ({}) from {}", counted(removal->removed_words, "word", "words"),
                           percent_of(removal->removed_words, counts.words),
                           counted(removal->cut, "document", "documents")));
    if (asked.min_left > 0)
      append_row(out, "dropped",
                 fmt::format("{} with fewer than {} left",
                             counted(removal->dropped, "document", "documents"),
                             counted(asked.min_left, "word", "words")));
  }
  append_without_group(out, input, options.across.value_or(""));
  if (input.skipped > 0)
    append_row(out, "skipped",
               counted(input.skipped, "line or file", "lines or files") +
                   (skipped_list.empty() ? "" : ", unchanged in " + printable(skipped_list)));
  if (!output.empty() && output != "-") append_row(out, "output", printable(output));
  if (!removed_list.empty()) append_row(out, "removed list", printable(removed_list));
  append_cost(out, asked.threads, input.bytes);
  return out;
}

}  // namespace benzer::apps
