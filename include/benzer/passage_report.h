// Collects and prints the evidence of find_passages(): what documents share, and where it is from.
//
//     benzer::PassageReporter reporter(options);
//     const benzer::PassageCounts counts = benzer::find_passages(
//         corpus, options, [&](const benzer::Passage& passage) { reporter.add(passage); });
//     benzer::OutputFile page("report.html");  // benzer/output.h
//     page.write(reporter.html(corpus, counts, facts));
//     page.commit();
//
// The page shows the documents that passages come from, the most frequent passages, and at most 30
// documents with their passages marked: those with the largest share of words in passages, those
// with the longest passages, and a sample by a hash of their numbers. It depends on the corpus, the
// options and the facts only: on no time, no machine and no number of threads.
#pragma once

#include <memory>
#include <string>

#include "benzer/corpus.h"
#include "benzer/passages.h"
#include "benzer/report.h"

namespace benzer {

// Chooses what the page shows while passages are found.
//
// Memory: 16 bytes for each document, and some megabytes. Threads: one at a time.
class PassageReporter {
 public:
  // options: those of find_passages().
  explicit PassageReporter(const PassageOptions& options);
  ~PassageReporter();
  PassageReporter(const PassageReporter&) = delete;
  PassageReporter& operator=(const PassageReporter&) = delete;

  // Takes the next passage. All must come, in the order in which find_passages() hands them over.
  void add(const Passage& passage);

  // Reads the documents that are shown, and those that their passages come from (at most about
  // 1,000), and prints the page as one HTML file. It has no scripts and loads nothing; all text
  // from documents is escaped. Of each document a part is shown, so that the page has some
  // megabytes at most. corpus: that of find_passages(). Throws what the corpus throws, and
  // Error(kInterrupted).
  std::string html(Corpus& corpus, const PassageCounts& counts, const RunFacts& facts);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
