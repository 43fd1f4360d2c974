#include "skipped_list.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "settings.h"

namespace benzer::apps {

// Links and devices are left alone: they were put there on purpose.
std::string remove_stale_list(const std::string& path) {
  struct stat status{};
  if (lstat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return "";
  if (unlink(path.c_str()) == 0) return "";
  return fmt::format("{}: this list is of an earlier run and could not be removed", path);
}

void SkippedList::name_after(const std::string& output, InputFormat format) {
  if (output.empty() || OutputFile::is_direct(output)) return;
  // Texts are files, and no line of them is skipped; the path is that of a list which an earlier
  // run of records may have left, and which is deleted.
  are_records_ = format != InputFormat::kText;
  path_ =
      output + ".skipped" + std::string(ending(are_records_ ? format : InputFormat::kJsonLines));
}

OutputFile* SkippedList::open(const InputCounts& counts, const std::atomic<bool>* stop) {
  // Skipped files cannot be copied into a list of lines: only their names are known, from the
  // warnings.
  if (!path_.empty() && are_records_ && counts.skipped > 0) file_.emplace(path_, 1, stop);
  return file_ ? &*file_ : nullptr;
}

void SkippedList::finish() {
  if (file_) file_->finish();
}

std::string SkippedList::commit() {
  if (!file_ || file_->bytes() == 0) return "";
  file_->commit();
  return path_;
}

std::string SkippedList::remove_stale() const {
  return path_.empty() || (file_ && file_->bytes() > 0) ? "" : remove_stale_list(path_);
}

}  // namespace benzer::apps
