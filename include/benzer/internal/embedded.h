// A file as bytes of the library or the program: the assembler includes it, the build gives its
// path.
#pragma once

#include <cstddef>
#include <string_view>

// At the top of a file, with a string literal for the path; embedded_NAME() gives the bytes.
#define BENZER_EMBED(name, path)                                                    \
  asm(".pushsection .rodata\n.balign 16\nbenzer_" #name "_begin:\n.incbin \"" path  \
      "\"\nbenzer_" #name "_end:\n.byte 0\n.popsection\n");                         \
  extern "C" {                                                                      \
  extern const char benzer_##name##_begin[] __attribute__((visibility("hidden")));  \
  extern const char benzer_##name##_end[] __attribute__((visibility("hidden")));    \
  }                                                                                 \
  static std::string_view embedded_##name() {                                       \
    return {benzer_##name##_begin,                                                  \
            static_cast<std::size_t>(benzer_##name##_end - benzer_##name##_begin)}; \
  }
