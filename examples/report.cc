// The report of 2012: hashes of documents in its database, and both of its minhashers.
#include <iostream>
#include <string>
#include <vector>

#include <benzer/research/classics/report.h>
#include <benzer/research/classics/report_database.h>

namespace report = benzer::classics::report;

int main() {
  constexpr std::size_t kHashes = 50;  // "n_h of about 50 is a good choice"
  const report::LinearHash h = report::linear_hashes(1, 2012).front();
  report::Database database(kHashes);
  const report::Pair pair = report::generate_pair(200, 0.8, 1);
  const report::Pair stranger = report::generate_pair(200, 0, 2);
  const auto hashes_of = [&](const std::vector<std::uint64_t>& set) {
    return report::generate_signatures_with_single_hash_function(h, set, kHashes);
  };
  database.add_hashes("a", hashes_of(pair.a));
  database.add_hashes("stranger", hashes_of(stranger.a));

  const report::Signature query = hashes_of(pair.b);
  for (const std::string& id : database.get_ids(query)) {
    const report::Signature found = database.get_hashes(id).value();
    std::cout << id << ": J = " << pair.jaccard() << ", estimated "
              << report::jaccard_of_single(query, found, kHashes) << ", as written "
              << report::similarity_of_single(query, found, kHashes) << '\n';
  }

  const std::vector<report::LinearHash> many = report::linear_hashes(kHashes, 2012);
  std::cout << "many functions: "
            << report::similarity_of_multiple(
                   report::generate_signatures_with_multiple_hash_functions(many, pair.a),
                   report::generate_signatures_with_multiple_hash_functions(many, pair.b))
            << '\n';
}
