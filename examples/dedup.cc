// Finds near-duplicates among texts in memory: the smallest complete program.
#include <iostream>

#include <benzer/dedup.h>

int main() {
  benzer::MemoryCorpus corpus;
  corpus.add_text("fox", "The quick brown fox jumps over the lazy dog near the old river bank.");
  corpus.add_text("copy", "The quick brown fox jumps over the lazy dog near the old river bend.");
  corpus.add_text("cat", "A cat sleeps on the warm stones of the harbour wall all afternoon.");

  benzer::DedupOptions options;
  options.threshold = benzer::Threshold::parse("0.7");
  const benzer::DedupResult result = benzer::deduplicate(corpus, options);

  for (const benzer::Removal& removal : result.removed) {
    std::cout << corpus.label(removal.document).id_json << " is a near-copy of "
              << corpus.label(*removal.keeper).id_json << ", J = " << removal.score << '\n';
  }
  std::cout << result.kept << " kept, configuration " << result.counts.config.str() << '\n';
}
