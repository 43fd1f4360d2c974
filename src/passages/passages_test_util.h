// Words of many scripts for tests of passages.
#pragma once

#include <string>
#include <vector>

namespace benzer {

// Words of a script, and what stands between them.
struct Script {
  const char* name;
  std::vector<std::string> words;
  std::string between;
};

inline const std::vector<Script>& scripts() {
  static const std::vector<Script> all = {
      {"Latin, composed and decomposed",
       {"\u00e9t\u00e9", "e\u0301te\u0301", "Stra\u00dfe", "STRASSE", "\ufb01n", "na\u00efve"},
       ", "},
      {"Greek",
       {"\u03bb\u03cc\u03b3\u03bf\u03c2", "\u039b\u038c\u0393\u039f\u03a3", "\u03ba\u03b1\u03af",
        "\u1f00\u03c1\u03c7\u1fc7"},
       " "},
      {"Cyrillic",
       {"\u0432\u0441\u0435", "\u041b\u042e\u0414\u0418",
        "\u0440\u043e\u0436\u0434\u0430\u044e\u0442\u0441\u044f", "\u0451\u043b\u043a\u0430"},
       " \u2014 "},
      {"Arabic",
       {"\u0643\u0650\u062a\u064e\u0627\u0628", "\u0648\u0644\u062f",
        "\u0627\u0644\u0646\u0627\u0633", "\ufefb"},
       " "},
      {"Hebrew",
       {"\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd", "\u05db\u05dc", "\u05d1\u05e0\u05d9"},
       " "},
      {"Devanagari",
       {"\u0938\u092d\u0940", "\u092e\u0928\u0941\u0937\u094d\u092f\u094b\u0902", "\u0915\u094b",
        "\u0915\u093c"},
       " "},
      {"Tamil",
       {"\u0bae\u0ba9\u0bbf\u0ba4\u0bb0\u0bcd", "\u0b95\u0bcb",
        "\u0b9a\u0b95\u0bb2\u0bb0\u0bc1\u0bae\u0bcd"},
       " "},
      {"Thai",
       {"\u0e21\u0e19\u0e38\u0e29\u0e22\u0e4c", "\u0e17\u0e31\u0e49\u0e07",
        "\u0e2b\u0e25\u0e32\u0e22"},
       ""},
      {"Han", {"\u4eba", "\u4eba\u4eba", "\u751f\u800c", "\u81ea\u7531", "\u3002", "\uf900"}, ""},
      {"Japanese",
       {"\u3059\u3079\u3066", "\u304b\u3099", "\u4eba\u9593", "\uff76\uff9e", "\u3001", "\u3000"},
       ""},
      {"Korean", {"\ubaa8\ub4e0", "\u1106\u1169\u1103\u1173\u11ab", "\uc778\uac04"}, " "},
      {"Ethiopic", {"\u12e8\u1230\u12cd", "\u120d\u1305", "\u1201\u1209"}, "\u1361"},
      {"mixed, with invalid bytes",
       {"a\xFF", "\xC3", "b", "\u0301", "\u200d", "\u4eba", "\U0001F600", "7"},
       " "},
  };
  return all;
}

}  // namespace benzer
