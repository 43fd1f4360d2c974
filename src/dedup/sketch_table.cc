#include "dedup/sketch_table.h"

#include <algorithm>
#include <iterator>

namespace benzer {
namespace {

std::vector<std::size_t> column_widths(std::size_t bands, std::size_t slots,
                                       std::size_t number_fields) {
  std::vector<std::size_t> widths{sizeof(DocumentFacts), number_fields * sizeof(Number), slots};
  widths.insert(widths.end(), bands, sizeof(std::uint64_t));
  return widths;
}

}  // namespace

void SketchRows::clear() {
  facts.clear();
  numbers.clear();
  cut.clear();
  for (auto& band : keys) band.clear();
  sets.clear();
  problems.clear();
  replaced = 0;
  only_common = 0;
}

std::uint64_t SketchRows::shrink() {
  std::uint64_t bytes = 0;
  const auto shrink = [&](auto& list) {
    list.shrink_to_fit();
    bytes += list.size() * sizeof *list.data();
  };
  shrink(facts);
  shrink(numbers);
  shrink(cut);
  for (auto& band : keys) shrink(band);
  shrink(sets);
  for (const FeatureSet& set : sets) bytes += set.size() * sizeof(std::uint64_t);
  return bytes;
}

SketchTable::SketchTable(int bands, int slots, std::size_t number_fields, Workspace& workspace)
    : bands_(static_cast<std::size_t>(bands)),
      slots_(static_cast<std::size_t>(slots)),
      number_fields_(number_fields),
      workspace_(workspace),
      rows_(column_widths(bands_, slots_, number_fields_), workspace) {}

void SketchTable::append(SketchRows& rows) {
  std::vector<const void*> columns{rows.facts.data(), rows.numbers.data(), rows.cut.data()};
  for (const auto& band : rows.keys) columns.push_back(band.data());
  columns.resize(kKeys + bands_);
  rows_.append(columns, rows.facts.size());
  std::move(rows.sets.begin(), rows.sets.end(), std::back_inserter(sets));
  for (const DocumentFacts& facts : rows.facts) {
    most_features = std::max(most_features, facts.features);
    most_bytes = std::max(most_bytes, facts.bytes);
  }
  replaced += rows.replaced;
  only_common += rows.only_common;
}

std::vector<std::uint32_t> SketchTable::feature_counts() const {
  auto rows = numbers();
  std::vector<std::uint32_t> out(size());
  for (std::uint32_t document = 0; document < size(); ++document)
    out[document] = static_cast<std::uint32_t>(rows.row(document)[number_fields_ - 1].whole());
  return out;
}

}  // namespace benzer
