#include "dedup/gathered_signatures.h"

#include <cstring>

#include <ips4o/ips4o.hpp>

namespace benzer {

void GatheredSignatures::gather(std::span<const SetNumber> wanted) {
  signatures_.assign(wanted.size(), nullptr);
  std::vector<std::uint32_t> elsewhere;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i] == kNoSet) continue;
    signatures_[i] = table_.resident_cut_signature(sets_.document[wanted[i]]);
    if (signatures_[i] == nullptr) elsewhere.push_back(static_cast<std::uint32_t>(i));
  }
  if (elsewhere.empty()) return;
  const auto document = [&](std::uint32_t i) { return sets_.document[wanted[i]]; };
  ips4o::sort(elsewhere.begin(), elsewhere.end(),
              [&](std::uint32_t x, std::uint32_t y) { return document(x) < document(y); });
  const std::size_t slots = table_.slots();
  if (copies_.size() < elsewhere.size() * slots) {
    copies_ = {};  // frees its memory before more is taken
    copies_.resize(elsewhere.size() * slots);
  }
  auto cut = table_.cut_signatures();
  std::uint8_t* next = copies_.data();
  std::uint32_t last = 0;
  for (const std::uint32_t i : elsewhere) {
    if (next == copies_.data() || document(i) != document(last)) {
      std::memcpy(next, cut.row(document(i)), slots);
      next += slots;
    }
    signatures_[i] = next - slots;
    last = i;
  }
}

}  // namespace benzer
