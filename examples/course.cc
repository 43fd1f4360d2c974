// The course report: near-duplicates among texts, and how many estimates are wrong.
#include <array>
#include <iostream>
#include <string>
#include <vector>

#include <benzer/research/classics/course.h>

namespace course = benzer::classics::course;

int main() {
  std::vector<course::NamedText> texts;
  for (int kind = 0; kind < 20; ++kind) {
    std::string text;
    for (int word = 0; word < 100; ++word) text += "word" + std::to_string(70 * kind + word) + ' ';
    texts.push_back({"text" + std::to_string(kind), text});
  }
  texts.push_back({"text3.copy1", texts[3].text + "another few words"});

  const course::NearDuplicates detector(texts, 600, 50, 1);
  std::cout << detector.lsh().near_duplicates_of("text3").size() << " candidates of text3\n";
  for (const std::string& name : detector.near_duplicate_detector(0.9, "text3")) {
    std::cout << "text3 is similar to " << name
              << ", J = " << detector.min_hash().exact_jaccard("text3", name) << '\n';
  }
  const std::array<double, 2> eps = {0.04, 0.07};
  const auto pairs = course::MinHashAccuracy::accuracy(detector.min_hash(), eps);
  std::cout << pairs[0] << " pairs are off by more than 0.04, " << pairs[1]
            << " by more than 0.07\n";
}
