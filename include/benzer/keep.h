// Which document of a family of similar ones stays.
//
// Spelling: rules separated by commas, each breaking the ties of the one before; documents that all
// rules find equal stay in input order.
//   first, last              input order, or its reverse; ends the list
//   longest, shortest        by bytes of the text (or of all values)
//   max:FIELD, min:FIELD     by a number in the record; records without one come last
//   source:NAME[,NAME...]    by input, in the order given; inputs that are not named come last
// "source:wiki.jsonl,news.jsonl,max:score,longest" is a list of three rules. An input that has the
// name of a rule is written with its folder: ./first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace benzer {

struct KeepRule {
  enum class Kind { kFirst, kLast, kLongest, kShortest, kMax, kMin, kSource };

  Kind kind = Kind::kFirst;
  std::string field;               // of kMax and kMin
  std::vector<std::string> names;  // of kSource: inputs as they were named, or their last part

  friend bool operator==(const KeepRule&, const KeepRule&) = default;
};

struct KeepOrder {
  std::vector<KeepRule> rules = {KeepRule{}};

  // Throws Error(kInvalidArgument) that names the rule and what is allowed.
  static KeepOrder parse(std::string_view text);
  std::string str() const;

  // The fields of kMax and kMin, in order and each once: InputOptions::number_fields wants them.
  std::vector<std::string> fields() const;

  friend bool operator==(const KeepOrder&, const KeepOrder&) = default;
};

}  // namespace benzer
