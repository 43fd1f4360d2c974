// Times text -> features -> signature in one thread. A driver (bench/speed.py) tells it when to
// run, so that it takes turns with other tools.
//
//   sketch_speed text FILE      FILE: one document a line
//   sketch_speed tokens FILE    FILE: one document a line, its tokens separated by tabs
//   sketch_speed features FILE  like text, but only the features, without the sketch
//
// Reads everything into memory. Then, for each number N on standard input, it makes N passes and
// prints "DOCUMENTS CPU_SECONDS CHECKSUM", with the seconds of one pass. BENZER_CPU forces a CPU
// level: baseline, avx2, avx512.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <time.h>

#include "benzer/config.h"
#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/runtime.h"
#include "benzer/sketch.h"

namespace {

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

class Job {
 public:
  Job(const std::string& kind, const char* path)
      : tokens_(kind == "tokens"),
        sketch_(kind != "features"),
        config_(benzer::Config::parse(tokens_ ? "values | fss:128" : "text:word5 | fss:128")),
        extractor_(config_.features),
        hasher_(config_.sketch, config_.features),
        slots_(static_cast<std::size_t>(hasher_.slots())) {
    std::ifstream file(path, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(file), {});
    documents_ = split(bytes_, '\n');
    if (tokens_) {
      for (const std::string_view document : documents_) sets_.push_back(split(document, '\t'));
    }
  }

  std::size_t size() const { return documents_.size(); }
  const benzer::Config& config() const { return config_; }

  // One pass over all documents. The checksum keeps the work from being optimised away, and shows
  // that every CPU level gives the same signatures.
  std::uint64_t pass() {
    std::uint64_t checksum = 0;
    for (std::size_t i = 0; i < documents_.size(); ++i) {
      if (tokens_) {
        extractor_.extract_values(sets_[i], buffer_);
      } else {
        extractor_.extract(documents_[i], buffer_);
      }
      if (sketch_) {
        hasher_.sketch(buffer_.features(), slots_);
        for (const std::uint64_t slot : slots_) checksum ^= slot;
      } else {
        checksum ^= buffer_.features().back();
      }
      checksum *= 0x9e3779b97f4a7c15u;
    }
    return checksum;
  }

 private:
  bool tokens_;
  bool sketch_;
  benzer::Config config_;
  benzer::FeatureExtractor extractor_;
  benzer::MinHasher hasher_;
  benzer::FeatureBuffer buffer_;
  std::vector<std::uint64_t> slots_;
  std::string bytes_;
  std::vector<std::string_view> documents_;
  std::vector<std::vector<std::string_view>> sets_;
};

int run(const std::string& kind, const char* path) {
  if (const char* name = std::getenv("BENZER_CPU"); name != nullptr && *name != '\0') {
    const auto level = benzer::cpu_level_by_name(name);
    if (!level)
      throw benzer::Error(benzer::ErrorCode::kInvalidArgument, "BENZER_CPU names no CPU level.");
    benzer::force_cpu_level(*level);
  }
  Job job(kind, path);
  const std::string_view level = benzer::cpu_level_name(benzer::active_cpu_level());
  std::printf("%.*s %s\n", static_cast<int>(level.size()), level.data(),
              job.config().str().c_str());
  std::fflush(stdout);
  for (int passes = 0; std::cin >> passes && passes > 0;) {
    const double started = cpu_seconds();
    std::uint64_t checksum = 0;
    for (int i = 0; i < passes; ++i) checksum = job.pass();
    std::printf("%zu %.9f %016llx\n", job.size(), (cpu_seconds() - started) / passes,
                static_cast<unsigned long long>(checksum));
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: sketch_speed text|tokens|features FILE\n", stderr);
    return 2;
  }
  try {
    return run(arguments[1], arguments[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "sketch_speed: %s\n", error.what());
    return 1;
  }
}
