// Times the search among hashes of images, without the rest of the program.
//
//   hash_speed COUNT QUERIES      hashes of 256 bits, all within 31 bits of each query
//
// There are two sets of COUNT hashes: random ones, and ones like those of real images, whose chunks
// have favoured values and which come in clusters. Queries are hashes of the set with up to 40 bits
// flipped. Prints one JSON object, with times in microseconds. The results of a sample of queries
// are compared with those of a full scan.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/splitmix.h"
#include "speed_program.h"
#include "verify/hash_index.h"

namespace {

using namespace benzer;  // this program uses internals of the library
using namespace benzer::bench;

constexpr int kBits = 256;
constexpr int kDistance = 31;
constexpr std::size_t kChecked = 200;
constexpr std::uint64_t kFamilies = 20'000;

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(splitmix64(seed)) {}
  std::uint64_t next() { return splitmix64(state_ += kSplitmixStep); }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_;
};

ImageHash random_hash(Draws& draws) {
  ImageHash out;
  for (std::uint64_t& word : out.words) word = draws.next();
  return out;
}

ImageHash near(ImageHash hash, std::uint64_t most, Draws& draws) {
  for (std::uint64_t bits = draws.below(most + 1); bits > 0; --bits) {
    const std::uint64_t bit = draws.below(kBits);
    hash.words[bit / 64] ^= std::uint64_t{1} << bit % 64;
  }
  return hash;
}

// Half of the values of a chunk are among 64 favoured ones: in real images, neighbouring
// frequencies are correlated.
ImageHash uneven_hash(Draws& draws) {
  ImageHash out;
  for (int place = 0; place < kBits / kChunkBits; ++place) {
    const bool favoured = draws.below(2) == 0;
    const std::uint64_t value =
        favoured ? splitmix64(static_cast<std::uint64_t>(place) << 8 | draws.below(64))
                 : draws.next();
    set_chunk(out, place, static_cast<std::uint16_t>(value));
  }
  return out;
}

std::vector<ImageHash> random_hashes(std::size_t count) {
  Draws draws(1);
  std::vector<ImageHash> out;
  out.reserve(count);
  while (out.size() < count) out.push_back(random_hash(draws));
  return out;
}

std::vector<ImageHash> hashes_alike(std::size_t count) {
  Draws draws(2);
  std::vector<ImageHash> families, out;
  while (families.size() < kFamilies) families.push_back(uneven_hash(draws));
  out.reserve(count);
  while (out.size() < count)
    out.push_back(draws.below(2) == 0 ? uneven_hash(draws)
                                      : near(families[draws.below(kFamilies)], 40, draws));
  return out;
}

double resident_bytes() {
  std::ifstream file("/proc/self/statm");
  double all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

struct Checked {
  std::size_t queries = 0, different = 0;
};

// Times the queries, and compares the results of a sample with a full scan.
void time_set(Answer& answer, const std::string& name, const std::vector<ImageHash>& hashes,
              std::size_t queries, Checked& checked) {
  Draws draws(3);
  std::vector<ImageHash> asked;
  while (asked.size() < queries)
    asked.push_back(near(hashes[draws.below(hashes.size())], 40, draws));
  const double before = resident_bytes();
  const double started = wall();
  const HashIndex index(hashes, kBits);
  if (name == "random") {
    answer.add("build_seconds", wall() - started);
    answer.add("bytes", resident_bytes() - before);
  }
  std::vector<std::uint32_t> found;
  time_each(answer, name, asked.size(), [&](std::size_t i) {
    found.clear();
    index.find(asked[i], kDistance, found);
    return found.size();
  });
  std::vector<double> micros;
  for (std::size_t i = 0; i < std::min(kChecked, asked.size()); ++i) {
    std::vector<std::uint32_t> all;
    const double from = wall();
    for (std::uint32_t j = 0; j < hashes.size(); ++j)
      if (distance(asked[i], hashes[j]) <= kDistance) all.push_back(j);
    micros.push_back((wall() - from) * 1e6);
    found.clear();
    index.find(asked[i], kDistance, found);
    ++checked.queries;
    checked.different += found != all ? 1 : 0;
  }
  if (name == "random") answer.add("scan_p50", quantile(micros, 0.5));
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 3) {
    std::fputs("hash_speed COUNT QUERIES\n", stderr);
    return 2;
  }
  const std::size_t count = std::strtoull(argv[1], nullptr, 10);
  const std::size_t queries = std::strtoull(argv[2], nullptr, 10);
  Answer answer;
  Checked checked;
  time_set(answer, "random", random_hashes(count), queries, checked);
  time_set(answer, "alike", hashes_alike(count), queries, checked);
  answer.add("checked", static_cast<double>(checked.queries));
  answer.add("different", static_cast<double>(checked.different));
  answer.print();
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "hash_speed: %s\n", error.what());
  return 1;
}
