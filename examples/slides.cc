// The lecture slides: documents become shingles, a boolean matrix, and signatures by hash
// functions.
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <benzer/research/classics/slides.h>

namespace slides = benzer::classics::slides;

int main() {
  const std::vector<std::string> documents = {"The plane was ready for touch   down",
                                              "The plane was ready to touch down",
                                              "The quarterback scored a touchdown"};
  slides::Dictionary dictionary;
  std::vector<std::set<std::uint32_t>> sets;
  for (const std::string& document : documents) {
    std::set<std::uint32_t>& set = sets.emplace_back();
    for (const std::string& shingle : slides::shingles(slides::squeeze_white_space(document), 5))
      set.insert(dictionary.number(shingle));
  }

  std::vector<std::string> rows(dictionary.size());
  for (std::uint32_t number = 0; number < rows.size(); ++number)
    for (const auto& set : sets) rows[number] += set.contains(number) ? '1' : '0';
  const slides::BooleanMatrix matrix(std::vector<std::string_view>(rows.begin(), rows.end()));

  auto hashes = slides::universal_hashes(200, static_cast<std::uint32_t>(matrix.rows()), 1);
  // Without "mod N", under which the values N and 0 are one: many rows would share the least
  // values.
  for (slides::UniversalHash& hash : hashes) hash.n = hash.p;
  const slides::SignatureMatrix signatures = slides::signatures(matrix, hashes);
  std::cout << matrix.rows() << " shingles\n";
  for (const std::size_t other : {1, 2}) {
    std::cout << "document 0 and " << other << ": J = " << matrix.similarity(0, other)
              << ", estimated " << slides::similarity(signatures, 0, other) << '\n';
  }
}
