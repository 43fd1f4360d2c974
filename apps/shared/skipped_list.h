// Writes the records that gave no document to a list next to the output, so that nothing of the
// inputs is lost when the output takes their place.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "benzer/input.h"
#include "benzer/output.h"

namespace benzer::apps {

class SkippedList {
 public:
  // Its name is OUTPUT.skipped with the ending of the inputs' format. There is none for outputs
  // that are no files.
  void name_after(const std::string& output, InputFormat format);
  const std::string& path() const noexcept { return path_; }

  // Returns where the records are to be written; null if there are none to save. counts: those of
  // the inputs. stop: may be null; it must outlive the list.
  OutputFile* open(const InputCounts& counts, const std::atomic<bool>* stop);
  void finish();
  // Gives the list its name, and returns it; empty if there is nothing in it.
  std::string commit();
  // If commit() wrote nothing, removes the list that an earlier run wrote for an output of the same
  // name, as it would be taken for a list of this run. Called when the output is there. Returns
  // what is wrong if that is not possible; otherwise nothing.
  std::string remove_stale() const;

 private:
  std::string path_;         // empty: there is none
  bool are_records_ = true;  // and not files of text
  std::optional<OutputFile> file_;
};

}  // namespace benzer::apps
