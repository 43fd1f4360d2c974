// Lets a program cut texts into pieces by a rule of its own, which then is a kind of features like
// those that Benzer has: for runs, comparisons and indexes.
//
//     class Lines : public benzer::TextRule {
//       void cut(std::string_view text, const benzer::PieceVisitor& visit) const override {
//         for (std::size_t begin = 0; begin < text.size();) {
//           const std::size_t end = std::min(text.find('\n', begin), text.size());
//           visit(text.substr(begin, end - begin), begin, end);
//           begin = end + 1;
//         }
//       }
//     };
//     benzer::register_text_rule("line", "1", std::make_shared<Lines>());
//     const auto schema = benzer::Schema::parse("log=own:line | min:0.7");
//
// The spelling is own:NAME for features of one piece each, and own:NAMEN for shingles of N
// consecutive pieces (2 <= N <= 32), with the modifiers of text:charN.
// Pieces are hashed as words are (docs/format.md), so a rule that finds the words of text:wordN has
// the features of text:wordN. examples/own_features.cc compares source code by its tokens.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

namespace benzer {

// Receives the pieces of a text, in the order of the text. piece: any bytes, which need not be in
// the text and are not read after the call; an empty piece is left out. [begin, end): the bytes of
// the text that the piece comes from, which explanations and reports show. Pieces may overlap, but
// neither begin nor end may be less than that of the piece before.
//
// The call throws when the text is to be cut no further, because of a limit, a place that is not
// allowed or a stop. Let the exception pass.
using PieceVisitor =
    std::function<void(std::string_view piece, std::size_t begin, std::size_t end)>;

// A rule that cuts texts into pieces; programs derive from it.
class TextRule {
 public:
  virtual ~TextRule() = default;

  // Calls visit() for each piece of a text, from the thread that it was called from. The text is
  // what the document has, so it may be any bytes (UTF-8 is not checked) up to 1 GiB; with +html it
  // is the readable text. Reports and explanations also give the beginning of a text of more than
  // 16 KiB, cut anywhere: a rule must not refuse that.
  //
  // The same text must always give the same pieces: a document is read again to be compared, and an
  // index keeps features for years. Threads: called from any number of them at a time.
  //
  // A text may have up to 16 pieces a byte and 1,024 more, which together have up to 64 bytes for
  // each of its own and 65,536 more. Beyond that, for a place that is not allowed, and for whatever
  // cut() throws except std::bad_alloc, extraction throws Error(kBadInput) that names the rule and
  // the beginning of the text. It ends a run, which then has written nothing; an index refuses the
  // document alone, with that sentence (IndexResult::problem).
  virtual void cut(std::string_view text, const PieceVisitor& visit) const = 0;
};

// Makes a rule known to this process under a name, until the process ends.
//
// name: 1 to 64 lower-case letters, digits, '-' and '_'; first a letter, and last no digit.
// version: 1 to 32 letters, digits, '.', '-' and '_'. It is part of every spelling, as in
// own:line@1, so an index that was made with one version is refused by a program with another one.
// Change it whenever the rule gives other pieces of some text.
//
// Register a rule before a configuration or schema that names it is read, and before an index with
// it is opened. Any thread may do so, also while others extract. Throws Error(kInvalidArgument) for
// a name or version that is not allowed, for a name that is taken, and for no rule.
void register_text_rule(std::string_view name, std::string_view version,
                        std::shared_ptr<const TextRule> rule);

}  // namespace benzer
