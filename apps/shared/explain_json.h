// Formats as JSON what each step makes of a text or a set of values, and gives the parts of that
// which are also printed for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/config.h"
#include "benzer/features.h"

#include "single_text.h"

namespace benzer::apps {

// The 16 hexadecimal digits of a feature, a slot or a band key.
std::string hex_number(std::uint64_t number);

// A different value of a set, and its feature; of a bag an occurrence of a value.
struct ExplainedValue {
  std::string_view value;
  std::uint64_t feature;
  std::size_t times = 0;  // how often it is in the set
};

// Returns the values in the order of the set. The document must outlive them.
std::vector<ExplainedValue> explained_values(const SingleText& document,
                                             const FeatureSpec& features);

// What a value weighs, and an occurrence of a shingle. Texts have weights by +tf-idf alone.
double weight_of(const ExplainedValue& value);
double weight_of(const TextTrace::Shingle& shingle, const FeatureSpec& features);

// Returns one line. config: complete, that with which the document was followed.
std::string explain_json(const SingleText& document, const Config& config);

}  // namespace benzer::apps
