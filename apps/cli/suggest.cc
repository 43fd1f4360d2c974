#include "suggest.h"

#include <algorithm>
#include <vector>

namespace benzer::cli {
namespace {

// Counts the edits of one character that lead from a to b. Swapping two neighbours is one edit
// (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string_view suggest(std::string_view written, std::span<const std::string_view> known) {
  std::string_view nearest;
  std::size_t least = std::max<std::size_t>(2, written.size() / 3) + 1;
  for (std::string_view word : known) {
    if (written.size() >= 4 && word.starts_with(written)) return word;
    const std::size_t distance = edit_distance(written, word);
    if (distance < least) {
      least = distance;
      nearest = word;
    }
  }
  return nearest;
}

}  // namespace benzer::cli
