#include "benzer/error.h"

#include "io/corpus_body.h"

namespace benzer {

void ProblemLog::skipped(const Error& problem) {
  if (options_.strict) throw problem;
  ++counts_.skipped;
  note(problem);
}

void ProblemLog::count(std::uint64_t more) { counts_.skipped += more; }

void ProblemLog::lost(const InputFile& file, const Error& problem) {
  if (file.reference) throw_reference_unread(problem);
  skipped(problem);
}

void ProblemLog::no_text(const InputFile& file, const ErrorText& why) {
  const Error problem(ErrorCode::kBadInput, file.subject(), why);
  if (file.reference) throw_reference_unread(problem);
  if (!file.found) throw problem;
  skipped(Error(ErrorCode::kBadInput, file.subject(), why + "; the file was skipped"));
}

void ProblemLog::note(const Error& problem) {
  if (options_.warn) options_.warn(problem);
}

void ProblemLog::notices(const InputList& list, std::size_t before, std::size_t& next) {
  for (; next < list.notices.size() && list.notices[next].before <= before; ++next) {
    const InputNotice& notice = list.notices[next];
    if (notice.skipped)
      skipped(notice.problem);
    else
      note(notice.problem);
  }
}

}  // namespace benzer
