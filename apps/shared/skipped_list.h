// Writes the records that gave no document to a list next to the output, so that nothing of the
// inputs is lost when the output takes their place.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "benzer/input.h"
#include "benzer/output.h"

namespace benzer::apps {

// Removes a list that an earlier run wrote next to an output, and which the run that has replaced
// this output did not write: it would be taken for a list of the new output. Returns what is wrong
// if it cannot be removed; otherwise nothing.
std::string remove_stale_list(const std::string& path);

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
  // Removes a stale list if commit() wrote nothing. Called when the output is there. Returns what
  // remove_stale_list() does.
  std::string remove_stale() const;

 private:
  std::string path_;         // empty: there is none
  bool are_records_ = true;  // and not files of text
  std::optional<OutputFile> file_;
};

}  // namespace benzer::apps
