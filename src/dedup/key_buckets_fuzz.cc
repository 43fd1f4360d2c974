// Fuzzes the reading of packed keys: any bytes are read or refused with Error(kCorrupt), and what
// was read can be packed again and gives the same pairs.
#include <cstdint>
#include <string>
#include <vector>

#include "benzer/error.h"
#include "benzer/partition.h"

#include "base/fuzz_require.h"

namespace {

using benzer::KeyBuckets;
using benzer::require;

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  // A copy of exactly this size, so that the address sanitizer sees reads beyond it.
  const std::vector<char> exact(data, data + size);
  KeyBuckets buckets;
  try {
    buckets.add({exact.data(), exact.size()});
  } catch (const benzer::Error& error) {
    require(error.code() == benzer::ErrorCode::kCorrupt);
    return 0;
  }
  // Of a bucket of two documents there is a pair; of a larger one there are its entries.
  const KeyBuckets::Found found = buckets.find(2);
  for (const benzer::DocumentPair& pair : found.pairs) require(pair.a < pair.b);
  std::vector<std::uint64_t> keys, documents;
  for (const benzer::KeyEntry& entry : found.large) {
    keys.push_back(entry.key);
    documents.push_back(entry.document);
  }
  KeyBuckets again;
  for (const std::string& packed : benzer::pack_keys(keys, documents, 3)) again.add(packed);
  const KeyBuckets::Found same = again.find(2);
  require(same.pairs.empty() && same.large.size() == found.large.size());
  return 0;
}
