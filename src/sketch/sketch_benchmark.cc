// Measures the way from features to a signature. There are many different sets, so that the branch
// predictor cannot learn them.
#include <benchmark/benchmark.h>

#include "benzer/sketch.h"

#include "base/test_random.h"
#include "sketch/sketch_test_util.h"

namespace benzer {
namespace {

// weighted: the same number of features, with weights from 1 to 10.
void sketch_sets(benchmark::State& state, const char* spec, bool weighted = false) {
  const auto size = static_cast<std::size_t>(state.range(0));
  const std::size_t sets = std::max<std::size_t>(4096, 400'000 / size);
  const auto numbers = TestRandom(1).numbers(sets * size);
  const auto features = weighted ? with_weights(numbers, true) : numbers;
  const MinHasher minhasher(SketchSpec::parse(spec),
                            FeatureSpec::parse(weighted ? "values+weights" : "values"));
  std::vector<std::uint64_t> slots(static_cast<std::size_t>(minhasher.slots()));
  std::size_t next = 0;
  for (auto _ : state) {
    minhasher.sketch(std::span(features).subspan(next * size, size), slots);
    benchmark::DoNotOptimize(slots.data());
    benchmark::ClobberMemory();
    next = next + 1 == sets ? 0 : next + 1;
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
}

BENCHMARK_CAPTURE(sketch_sets, fss, "fss:128")
    ->Arg(10)
    ->Arg(20)
    ->Arg(100)
    ->Arg(171)
    ->Arg(600)
    ->Arg(868)
    ->Arg(1000)
    ->Arg(10000);
BENCHMARK_CAPTURE(sketch_sets, kperm, "kperm:128")->Arg(100)->Arg(1000);
BENCHMARK_CAPTURE(sketch_sets, weights, "fss:128", true)->Arg(10)->Arg(100)->Arg(1000)->Arg(10000);

}  // namespace
}  // namespace benzer
