#include <string_view>

#include "image/visual_words.h"

// The assembler reads the file, whose path the build gives: what `benzer train-words --made-up`
// wrote.
asm(".pushsection .rodata\n"
    ".balign 16\n"
    "benzer_built_in_words_begin:\n"
    ".incbin \"" BENZER_BUILT_IN_WORDS
    "\"\n"
    "benzer_built_in_words_end:\n"
    ".byte 0\n"
    ".popsection\n");

extern "C" {
extern const char benzer_built_in_words_begin[] __attribute__((visibility("hidden")));
extern const char benzer_built_in_words_end[] __attribute__((visibility("hidden")));
}

namespace benzer {

const VisualWords& VisualWords::built_in() {
  static const VisualWords words =
      read({benzer_built_in_words_begin,
            static_cast<std::size_t>(benzer_built_in_words_end - benzer_built_in_words_begin)},
           "the built-in vocabulary");
  return words;
}

}  // namespace benzer
