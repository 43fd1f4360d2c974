// Formats shared passages and the summary of a run that finds them.
#pragma once

#include <string>

#include "benzer/corpus.h"
#include "benzer/error.h"
#include "benzer/input.h"
#include "benzer/passages.h"

#include "json.h"
#include "options.h"

namespace benzer::apps {

PassageOptions passage_options(const Options& options);

// {"document","begin","end","begin_char","end_char","words","score","cluster","first":{...},"text"}
JsonObject passage_json(const Corpus& corpus, const Passage& passage);

struct PassageSummary {
  PassageCounts counts;
  InputCounts input;
  std::string output;  // empty: there is none

  std::string json(const Options& options) const;
  // Several lines for people.
  std::string text(const Options& options) const;
};

}  // namespace benzer::apps
