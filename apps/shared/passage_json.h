// Formats shared passages and the summary of a run that finds them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/error.h"
#include "benzer/input.h"
#include "benzer/output.h"
#include "benzer/passages.h"

#include "json.h"
#include "options.h"

namespace benzer::apps {

// Those of passages, and what is cut if they are removed.
PassageRemovalOptions passage_options(const Options& options);
// Reads only how long passages are and how near; what is not given stays.
void read_passage_lengths(const Options& options, PassageOptions& out);

// {"document","begin","end","begin_char","end_char","words","score","cluster","first":{...},"text"}
JsonObject passage_json(const Corpus& corpus, const Passage& passage);

// Adds "begin", "end", "begin_char" and "end_char".
void add_run(JsonObject& out, const TextRun& run);

// The field that annotated records have: a list of their passages, without document and text.
std::vector<std::string> passage_annotation_names();

// Collects the lists, which take 300 bytes of memory for each passage.
class PassageAnnotation {
 public:
  // Passages must come sorted by document.
  void add(const Corpus& corpus, const Passage& passage);
  // The values refer to this object.
  FileCorpus::Annotation annotation() const;

 private:
  std::vector<std::pair<std::uint32_t, JsonArray>> lists_;  // by document
};

// Appends a line for each cut of a document, and one for the rest of it if it is dropped. What is
// cut out of the text stands in these, in order.
//   {"document","begin","end","words","text","passages":[{"begin",...,"first":{...,"left"}}]}
//   {"document","dropped":true,"words","text"}
void append_cut_lines(std::string& out, const Corpus& corpus, const PassageRemoval& removal,
                      const DocumentCuts& document, std::string_view text);

// The edits that take the cuts out of the records of files (FileCorpus::write_edited).
class PassageEdits {
 public:
  // removed: gets the lines of append_cut_lines(); may be null. Everything must outlive the edits.
  // If it is standard output and its reader ends, the edits go on without it.
  PassageEdits(const Corpus& corpus, const PassageRemoval& removal, OutputFile* removed);
  // Returns edits for writing the records once, which refer to this object.
  FileCorpus::Edits edits();
  // Whether `removed` has all lines. If not, it cannot be finished.
  bool is_list_whole() const noexcept { return is_list_whole_; }

 private:
  void list(const DocumentCuts& document, std::string_view text);
  std::optional<std::string> edit(std::string_view text);

  const Corpus& corpus_;
  const PassageRemoval& removal_;
  OutputFile* removed_;
  std::vector<std::uint32_t> numbers_;
  std::vector<const DocumentCuts*> cuts_;
  std::size_t next_ = 0;
  std::string lines_;
  bool is_list_whole_ = true;
};

struct PassageSummary {
  PassageRemovalOptions asked;
  PassageCounts counts;
  InputCounts input;
  std::string output;  // empty: there is none
  // What was removed; null if nothing was to be.
  const PassageRemoval* removal = nullptr;
  std::string removed_list = {}, skipped_list = {};  // empty: there is none

  std::string json(const Options& options) const;
  // Several lines for people.
  std::string text(const Options& options) const;
};

}  // namespace benzer::apps
