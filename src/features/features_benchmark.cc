// Measures the way from text to features. Every benchmark cycles through some thousands of distinct
// documents: a few repeated ones are learnt by the branch predictor and look up to twice as fast.
//
// BENZER_BENCH_TEXTS names a folder of plain-text files (or one file) to cut documents from;
// without it, seeded sentences are used.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <benchmark/benchmark.h>

#include "benzer/features.h"
#include "benzer/runtime.h"

#include "features/readable_text.h"
#include "features/unicode.h"

namespace benzer {
namespace {

constexpr std::size_t kDocuments = 4096;

// Makes a text of words whose lengths and frequencies are distributed as in English.
std::string seeded_text(std::size_t bytes) {
  std::mt19937_64 random(7);
  std::vector<std::string> words(5000);
  for (std::string& word : words) {
    const std::size_t length = 1 + (random() % 7 + random() % 6 + random() % 4) / 2;
    for (std::size_t i = 0; i < length; ++i) word += static_cast<char>('a' + random() % 26);
  }
  std::string text;
  while (text.size() < bytes) {
    const double u = static_cast<double>(random() % 1000003) / 1000003;
    std::string word = words[static_cast<std::size_t>(u * u * u * 5000)];
    if (random() % 12 == 0) word[0] = static_cast<char>(word[0] - 32);
    text += word;
    text += random() % 11 == 0 ? ", " : random() % 17 == 0 ? ".\n" : " ";
  }
  return text;
}

std::string read_texts() {
  const char* place = std::getenv("BENZER_BENCH_TEXTS");
  std::string all;
  const auto read = [&](const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    all.append(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  };
  if (place != nullptr && std::filesystem::is_directory(place)) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(place)) {
      if (entry.is_regular_file()) read(entry.path());
    }
  } else if (place != nullptr) {
    read(place);
  }
  return all.empty() ? seeded_text(std::size_t{24} << 20) : all;
}

// Returns distinct documents of about `bytes` bytes, cut at code points. They overlap if the text
// is short.
std::vector<std::string> documents(std::size_t bytes) {
  static const std::string all = read_texts();
  const std::size_t step = std::max<std::size_t>(1, (all.size() - bytes) / kDocuments);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < kDocuments; ++i) {
    std::size_t start = i * step;
    while (start < all.size() && (all[start] & 0xC0) == 0x80) ++start;
    out.push_back(all.substr(start, bytes));
  }
  return out;
}

void extract(benchmark::State& state, const std::string& spec, CpuLevel level) {
  const auto bytes = static_cast<std::size_t>(state.range(0));
  const std::vector<std::string> texts = documents(bytes);
  const CpuLevel before = active_cpu_level();
  force_cpu_level(level);
  const FeatureExtractor extractor(FeatureSpec::parse(spec));
  force_cpu_level(before);
  FeatureBuffer buffer;
  std::size_t i = 0;
  std::size_t features = 0;
  for (auto _ : state) {
    extractor.extract(texts[i++ % kDocuments], buffer);
    features += buffer.features().size();
    benchmark::DoNotOptimize(buffer.features().data());
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) * state.range(0));
  state.counters["features"] =
      static_cast<double>(features) / static_cast<double>(state.iterations());
}

// Builds the table up to a code point; a run pays only for the blocks of 256 that its texts touch.
void build_unicode_table(benchmark::State& state) {
  const auto end = static_cast<char32_t>(state.range(0));
  for (auto _ : state) {
    const internal::CodePoints table;
    for (char32_t c = 0; c < end; c += 256) benchmark::DoNotOptimize(&table.block(c));
  }
}
BENCHMARK(build_unicode_table)
    ->Arg(0x600)     // Latin, Greek, Cyrillic, Hebrew
    ->Arg(0x10000)   // plane 0
    ->Arg(0x110000)  // all
    ->Unit(benchmark::kMillisecond);

void feature_set(benchmark::State& state) {
  std::vector<std::vector<std::uint64_t>> sets(1024);
  std::mt19937_64 random(3);
  for (auto& set : sets) {
    for (int i = 0; i < state.range(0); ++i) set.push_back(random());
  }
  std::size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(FeatureSet(sets[i++ % sets.size()]).size());
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(feature_set)->Arg(170)->Arg(1000)->Arg(20000);

// Strips pages with a tag for every third word.
void strip_markup(benchmark::State& state) {
  std::vector<std::string> pages;
  std::size_t bytes = 0;
  for (const std::string& text : documents(5120)) {
    std::string page = "<!DOCTYPE html><html><body>";
    std::size_t blanks = 0;
    for (const char c : text) {
      page += c == '<' || c == '&' ? '.' : c;
      if (c == ' ' && ++blanks % 6 == 0) page += "<a href=\"/some/where.html\" class='link'>";
      if (c == ' ' && blanks % 6 == 3) page += "</a>";
      if (c == '.') page += "</p>\n<p>";
    }
    bytes += page.size();
    pages.push_back(std::move(page));
  }
  internal::RawBuffer<char> room;
  std::size_t i = 0;
  for (auto _ : state)
    benchmark::DoNotOptimize(internal::readable_text(pages[i++ % pages.size()], room).size());
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes / pages.size()));
}
BENCHMARK(strip_markup);

const bool kRegistered = [] {
  for (const CpuLevel level : available_cpu_levels()) {
    for (const char* spec : {"text:word5", "text:word1", "text:word5+stop:en", "text:word5+bag",
                             "text:char5", "truth:w1", "truth:w3", "truth:c5"}) {
      const std::string name =
          "extract/" + std::string(spec) + "/" + std::string(cpu_level_name(level));
      benchmark::RegisterBenchmark(name.c_str(),
                                   [=](benchmark::State& state) { extract(state, spec, level); })
          ->Arg(1024)
          ->Arg(5120);
    }
  }
  return true;
}();

}  // namespace
}  // namespace benzer
