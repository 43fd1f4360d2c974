#include "store/sampled_keys.h"

namespace benzer {
namespace {

void keep_once(std::vector<std::uint32_t>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

}  // namespace

std::vector<std::uint32_t> sampled_keys(std::span<const std::uint64_t> features,
                                        const KeySampling& sampling) {
  std::vector<std::uint32_t> out;
  for_each_sampled_key(features, sampling, [&](std::uint32_t key) { out.push_back(key); });
  keep_once(out);
  return out;
}

std::vector<std::uint32_t> query_keys(std::span<const std::uint64_t> features) {
  return sampled_keys(features, {.thousandths = 1000});
}

}  // namespace benzer
