// Works through the example of docs/classics.md, step by step: from sets of words to similar pairs.
#include <array>
#include <iostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <benzer/research/classics/report.h>
#include <benzer/research/classics/slides.h>

namespace report = benzer::classics::report;
namespace slides = benzer::classics::slides;

namespace {

// Whether documents a and b agree in both rows of a band.
bool same_band(const auto& signatures, std::size_t band, std::size_t a, std::size_t b) {
  return signatures[2 * band][a] == signatures[2 * band][b] &&
         signatures[2 * band + 1][a] == signatures[2 * band + 1][b];
}

// The pairs of documents that agree in a band: the candidates.
std::vector<std::pair<std::size_t, std::size_t>> candidates_of(const auto& signatures) {
  std::vector<std::pair<std::size_t, std::size_t>> out;
  for (std::size_t a = 0; a < 4; ++a)
    for (std::size_t b = a + 1; b < 4; ++b)
      if (same_band(signatures, 0, a, b) || same_band(signatures, 1, a, b)) out.emplace_back(a, b);
  return out;
}

}  // namespace

int main() {
  const std::vector<std::string> words = {"ant", "bee", "cat", "dog", "eel", "fox"};
  const std::vector<std::vector<std::string>> documents = {{"ant", "bee", "dog"},
                                                           {"cat", "eel", "fox"},
                                                           {"ant", "bee", "dog", "fox"},
                                                           {"bee", "cat", "fox"}};
  const report::CharacteristicMatrix matrix(words, documents);
  std::cout << "D1 D3: " << matrix.row_types(0, 2).similarity() << '\n';

  const std::vector<std::size_t> order = {3, 2, 0, 5, 1, 4};  // dog cat ant fox bee eel
  std::cout << "D4: " << matrix.min_hash(3, order).value() << '\n';

  const std::vector<std::vector<std::size_t>> orders = {
      order, {1, 5, 4, 0, 2, 3}, {4, 0, 1, 3, 5, 2}, {5, 2, 3, 4, 1, 0}};
  std::vector<std::vector<std::string>> signatures;  // a row for each order
  for (const auto& one : orders) {
    signatures.emplace_back();
    for (std::size_t document = 0; document < 4; ++document)
      signatures.back().push_back(matrix.min_hash(document, one).value());
  }
  int equal = 0;
  for (const auto& row : signatures) equal += row[0] == row[2] ? 1 : 0;
  std::cout << "D1 D3, estimated: " << equal / 4.0 << '\n';

  std::cout << candidates_of(signatures).size() << " candidate\n";

  const slides::BooleanMatrix rows(
      std::array<std::string_view, 6>{"1010", "1011", "0101", "1010", "0100", "0111"});
  // Each function by its a, b, p and n.
  const std::vector<slides::UniversalHash> hashes = {
      {2, 0, 7, 7}, {3, 1, 7, 7}, {1, 2, 7, 7}, {4, 3, 7, 7}};
  const slides::SignatureMatrix hashed = slides::signatures(rows, hashes);
  std::cout << "D3 D4, estimated: " << slides::similarity(hashed, 2, 3) << '\n';

  auto similar = candidates_of(hashed);
  std::cout << similar.size() << " candidates\n";
  std::erase_if(similar, [&](const auto& pair) {
    return matrix.row_types(pair.first, pair.second).similarity() < 0.7;
  });
  for (const auto& [a, b] : similar) std::cout << "D" << a + 1 << " D" << b + 1 << " are similar\n";
}
