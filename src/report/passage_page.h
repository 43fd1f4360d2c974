// Writes the page of passages.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "benzer/passages.h"
#include "benzer/report.h"

#include "report/passage_choice.h"
#include "report/passage_evidence.h"

namespace benzer::report {

// What the page prints.
struct PassageEvidence {
  PassageOptions options;
  PassageCounts counts;
  RunFacts run;
  std::string version;

  // The documents that most documents have passages of, and how many there are.
  struct CountedOrigin {
    Origin counts;
    ReportedDocument document;
  };
  std::vector<CountedOrigin> origins;
  std::uint64_t all_origins = 0;

  std::vector<ShownFrequent> frequent;

  // Each once. The lists are places in it.
  std::vector<ShownDocument> documents;
  std::vector<std::size_t> by_share, by_length, sample;
};

std::string passage_page(const PassageEvidence& evidence);

}  // namespace benzer::report
