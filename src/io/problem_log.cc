#include "benzer/error.h"

#include "io/corpus_body.h"

namespace benzer {

void ProblemLog::skipped(const Error& problem, std::string_view what) {
  if (options_.strict) throw problem;
  ++counts_.skipped;
  note(Error(problem.code(), problem.subject(), problem.detail() + "; " + what, problem.hint()));
}

void ProblemLog::count(std::uint64_t more) { counts_.skipped += more; }

void ProblemLog::lost(const InputFile& file, const Error& problem, std::string_view what) {
  if (file.reference) throw_reference_unread(problem);
  skipped(problem, what);
}

void ProblemLog::no_text(const InputFile& file, const ErrorText& why) {
  const Error problem(ErrorCode::kBadInput, file.subject(), why);
  if (file.reference) throw_reference_unread(problem);
  if (!file.found) throw problem;
  skipped(problem, "the file was skipped");
}

void ProblemLog::note(const Error& problem) {
  if (options_.warn) options_.warn(problem);
}

void ProblemLog::notices(const InputList& list, std::size_t before, std::size_t& next) {
  for (; next < list.notices.size() && list.notices[next].before <= before; ++next) {
    const InputNotice& notice = list.notices[next];
    if (notice.skipped.empty())
      note(notice.problem);
    else
      skipped(notice.problem, notice.skipped);
  }
}

}  // namespace benzer
