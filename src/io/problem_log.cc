#include "benzer/error.h"

#include "io/corpus_body.h"

namespace benzer {

void ProblemLog::skipped(const std::string& sentence) {
  if (options_.strict) throw Error(ErrorCode::kBadInput, sentence);
  ++counts_.skipped;
  note(sentence);
}

void ProblemLog::count(std::uint64_t more) { counts_.skipped += more; }

void ProblemLog::lost(const InputFile& file, const std::string& sentence) {
  if (file.reference) throw_reference_unread(sentence);
  skipped(sentence);
}

void ProblemLog::no_text(const InputFile& file, const std::string& sentence) {
  if (file.reference) throw_reference_unread(sentence);
  if (!file.found) throw Error(ErrorCode::kBadInput, sentence);
  skipped(sentence + "; the file was skipped");
}

void ProblemLog::note(const std::string& sentence) {
  if (options_.warn) options_.warn(sentence);
}

void ProblemLog::notices(const InputList& list, std::size_t before, std::size_t& next) {
  for (; next < list.notices.size() && list.notices[next].before <= before; ++next) {
    const InputNotice& notice = list.notices[next];
    if (notice.skipped)
      skipped(notice.sentence);
    else
      note(notice.sentence);
  }
}

}  // namespace benzer
