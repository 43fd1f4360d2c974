// Shares among the C++ programs of bench/: clocks, inputs and answers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <time.h>

#include "benzer/error.h"
#include "benzer/input.h"

namespace benzer::bench {

inline constexpr const char* kTexts = "text=text:word5 | fss:128 | bands:16x6 | min:0.8";
inline constexpr const char* kTokens = "tokens=values | fss:128 | bands:16x6 | min:0.8";

inline double seconds_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

// CPU seconds of this thread, so that other work on the machine does not count.
inline double cpu() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
inline double process_cpu() { return seconds_of(CLOCK_PROCESS_CPUTIME_ID); }
inline double wall() { return seconds_of(CLOCK_MONOTONIC); }

class Lines {
 public:
  Lines(const char* path, InputField field) : file_(path), fields_{std::move(field)} {
    if (!file_) throw Error(ErrorCode::kNotFound, std::string(path) + " cannot be read");
  }

  // Reads the next documents, at most `most`. Returns false at the end of the file.
  bool next(std::vector<Document>& out, std::size_t most) {
    out.clear();
    for (std::string line; out.size() < most && std::getline(file_, line);) {
      Document& document = out.emplace_back(document_from_json(line, fields_));
      document.fields[0].name = fields_[0].name == "values" ? "tokens" : "text";
    }
    return !out.empty();
  }

 private:
  std::ifstream file_;
  std::vector<InputField> fields_;
};

inline const InputField kText{"text", false};
inline const InputField kValues{"values", true};

inline std::vector<Document> queries(const char* path) {
  std::vector<Document> out;
  Lines(path, kText).next(out, std::size_t{1} << 20);
  for (Document& document : out) document.id.clear();  // a query does not find its own id
  return out;
}

class Answer {
 public:
  Answer& add(const std::string& name, double value) {
    char text[64];
    std::snprintf(text, sizeof text, "%.12g", value);
    json_ += (json_.empty() ? "{\"" : ", \"") + name + "\": " + text;
    return *this;
  }
  void print() const { std::printf("%s}\n", json_.c_str()); }

 private:
  std::string json_;
};

inline double quantile(std::vector<double> values, double share) {
  const auto at = static_cast<std::size_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(at), values.end());
  return values[at];
}

// Times ask(i), which returns the number of matches, for each query alone, in wall time.
template <class Ask>
void time_each(Answer& answer, const std::string& name, std::size_t count, Ask ask) {
  std::vector<double> micros(count);
  std::size_t matches = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double started = wall();
    matches += ask(i);
    micros[i] = (wall() - started) * 1e6;
  }
  for (const auto& [suffix, share] : {std::pair{"_p50", 0.5}, {"_p99", 0.99}, {"_max", 1.0}})
    answer.add(name + suffix, quantile(micros, share));
  answer.add(name + "_matches", static_cast<double>(matches) / static_cast<double>(count));
}

}  // namespace benzer::bench
