// Features of one's own: compares source code by its tokens, so that a copy with other names,
// comments and line breaks is found, and keeps the result in an index.
#include <algorithm>
#include <array>
#include <cctype>
#include <iostream>
#include <memory>
#include <string_view>

#include <benzer/dedup.h>
#include <benzer/index.h>
#include <benzer/text_rule.h>

namespace {

// Cuts source code like C's into tokens. Keywords and operators are pieces as they are; every other
// name is the piece "name", and every number "0". Comments are no pieces.
class CodeTokens : public benzer::TextRule {
 public:
  void cut(std::string_view code, const benzer::PieceVisitor& visit) const override {
    for (std::size_t begin = 0; begin < code.size();) {
      std::size_t end = begin + 1;
      if (code.substr(begin, 2) == "//") {
        end = std::min(code.find('\n', begin), code.size());
      } else if (is_word(code[begin])) {
        while (end < code.size() && is_word(code[end])) ++end;
        visit(word_piece(code.substr(begin, end - begin)), begin, end);
      } else if (!std::isspace(static_cast<unsigned char>(code[begin]))) {
        visit(code.substr(begin, 1), begin, end);
      }
      begin = end;
    }
  }

 private:
  static bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  static std::string_view word_piece(std::string_view word) {
    constexpr std::array<std::string_view, 6> kKeywords = {"int", "double", "for",
                                                           "if",  "while",  "return"};
    if (std::isdigit(static_cast<unsigned char>(word[0]))) return "0";
    return std::find(kKeywords.begin(), kKeywords.end(), word) == kKeywords.end() ? "name" : word;
  }
};

const char* const kSum =
    "double sum(int count) {  // adds them up\n"
    "  double total = 0;\n"
    "  for (int i = 0; i < count; ++i) total = total + prices[i];\n"
    "  return total;\n"
    "}\n";
const char* const kCopy =
    "double add(int n) {\n"
    "  double s = 0;\n"
    "  for (int k = 0; k < n; ++k)\n"
    "    s = s + list[k];  // my own work\n"
    "  return s;\n"
    "}\n";
const char* const kOther =
    "int greatest(int a, int b) {\n"
    "  while (b) { int rest = a % b; a = b; b = rest; }\n"
    "  return a;\n"
    "}\n";

}  // namespace

int main() {
  // Before the first configuration with it is read, and before an index with it is opened.
  benzer::register_text_rule("code", "1", std::make_shared<CodeTokens>());

  benzer::MemoryCorpus corpus;
  corpus.add_text("sum", kSum);
  corpus.add_text("copy", kCopy);
  corpus.add_text("other", kOther);
  for (const char* features : {"text:word4", "own:code4"}) {
    benzer::DedupOptions options;
    options.config.features = benzer::FeatureSpec::parse(features);
    const benzer::DedupResult result = benzer::deduplicate(corpus, options);
    std::cout << result.counts.config.features.str() << " removes " << result.removed.size()
              << '\n';
  }

  // A second run of this program opens the index that the first one has made.
  const benzer::Schema schema = benzer::Schema::parse("code=own:code4 | min:0.5");
  benzer::Index index = benzer::Index::open("code.benzer", {.create_with = schema});
  std::cout << index.size() << " documents in an index of " << index.schema().fields[0].str()
            << '\n';
  index.index_documents({{"sum", {benzer::Field::of_text("code", kSum)}},
                         {"other", {benzer::Field::of_text("code", kOther)}}});
  const benzer::Document copy{"copy", {benzer::Field::of_text("code", kCopy)}};
  for (const benzer::Match& match : index.find_similar_documents(copy, {.explain = true}))
    std::cout << "copy is like " << match.id << ", J = " << match.score
              << ", from: " << match.fields[0].explanation->passages[0].text << '\n';
  index.close();
}
