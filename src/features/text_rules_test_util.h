// Text rules for tests, registered once in a process.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "benzer/text_rule.h"

namespace benzer {

// own:ascii-words: the words of text:wordN in a text of ASCII.
class AsciiWords : public TextRule {
 public:
  void cut(std::string_view text, const PieceVisitor& visit) const override {
    std::string word;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? text[i] : ' ';
      const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
      if ((lower >= 'a' && lower <= 'z') || (lower >= '0' && lower <= '9')) {
        word += lower;
        continue;
      }
      if (!word.empty()) visit(word, i - word.size(), i);
      word.clear();
    }
  }
};

// own:hostile: does what the text begins with, and is one piece otherwise.
class HostileRule : public TextRule {
 public:
  void cut(std::string_view text, const PieceVisitor& visit) const override {
    const auto asked_for = [&](std::string_view what) { return text.starts_with(what); };
    if (asked_for("throw")) throw std::runtime_error("no such \"alphabet\"");
    if (asked_for("number")) throw 7;
    if (asked_for("memory")) throw std::bad_alloc();
    if (asked_for("backward")) {
      visit(text, 3, 5);
      visit(text, 2, 5);
    }
    if (asked_for("beyond")) visit(text, 0, text.size() + 1);
    if (asked_for("reverse")) visit(text, 2, 1);
    if (asked_for("many"))
      for (;;) visit("a", 0, 1);
    if (asked_for("huge")) visit(std::string(1'000'000, 'a'), 0, 1);
    if (asked_for("late")) {
      for (int i = 0; i < 1000; ++i) visit("a", 0, 1);
      throw std::runtime_error("too late");
    }
    if (asked_for("deaf"))
      for (std::size_t i = 0; i < 16 * text.size() + 2048; ++i) try {
          visit("a", 0, 1);
        } catch (...) {  // and goes on
        }
    if (asked_for("empty")) {
      visit("", 0, 0);
      visit("", 1, 1);
      return;
    }
    visit(text, 0, text.size());
  }
};

inline void register_test_rules() {
  [[maybe_unused]] static const bool once = [] {
    register_text_rule("ascii-words", "1.0", std::make_shared<AsciiWords>());
    register_text_rule("hostile", "2", std::make_shared<HostileRule>());
    return true;
  }();
}

}  // namespace benzer
