#include "features/sentence_ends.h"

#include <memory>
#include <stdexcept>

#include <unicode/ubrk.h>
#include <unicode/utext.h>

namespace benzer::internal {
namespace {

struct CloseBreaks {
  void operator()(UBreakIterator* breaks) const noexcept { ubrk_close(breaks); }
};
struct CloseText {
  void operator()(UText* text) const noexcept { utext_close(text); }
};

void check(UErrorCode status) {
  if (U_FAILURE(status))
    throw std::runtime_error(std::string("ICU cannot find sentences: ") + u_errorName(status));
}

}  // namespace

std::vector<std::size_t> sentence_ends(std::string_view text) {
  std::vector<std::size_t> ends;
  if (text.empty()) return ends;
  UErrorCode status = U_ZERO_ERROR;
  const std::unique_ptr<UText, CloseText> bytes(
      utext_openUTF8(nullptr, text.data(), static_cast<std::int64_t>(text.size()), &status));
  check(status);
  const std::unique_ptr<UBreakIterator, CloseBreaks> breaks(
      ubrk_open(UBRK_SENTENCE, "", nullptr, 0, &status));
  check(status);
  ubrk_setUText(breaks.get(), bytes.get(), &status);
  check(status);
  for (std::int32_t end = ubrk_next(breaks.get()); end != UBRK_DONE; end = ubrk_next(breaks.get()))
    ends.push_back(static_cast<std::size_t>(end));
  return ends;
}

}  // namespace benzer::internal
