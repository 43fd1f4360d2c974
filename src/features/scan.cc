#include "features/scan.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/white_space.h"
#include "features/word_scanner.h"

namespace benzer::internal {
namespace {

// Finds all words of a text, with the faster kernel up to the first byte that is not ASCII. In most
// texts there is none.
void scan_words(std::string_view text, const TextKernels& kernels, const std::atomic<bool>* stop,
                WordText& out) {
  out.bytes.reserve(text.size() + kTextPadding);
  out.edges.reserve(text.size() + 1 + kEdgePadding);
  SplitState split{out.edges.data()};
  const std::size_t ascii = kernels.split_ascii(reinterpret_cast<const std::uint8_t*>(text.data()),
                                                text.size(), out.bytes.data(), 0, split);
  if (ascii < text.size()) {
    WordScanner scanner(text, kernels, kMaxTextBytes, stop, out);
    scanner.skip_ascii(ascii, split.count);
    scanner.next();
    return;
  }
  out.size = text.size();
  if (split.count & 1) split.edges[split.count++] = static_cast<std::uint32_t>(out.size);
  out.words = split.count / 2;
}

void scan_truth_runs(std::string_view text, const TextKernels& kernels, WordText& out) {
  out.bytes.reserve(text.size() + kTextPadding);
  out.edges.reserve(text.size() + 1 + kEdgePadding);
  SplitState split{out.edges.data()};
  out.size = kernels.split_bytes(reinterpret_cast<const std::uint8_t*>(text.data()), text.size(),
                                 out.bytes.data(), 0, split);
  if (split.count & 1) split.edges[split.count++] = static_cast<std::uint32_t>(out.size);
  out.words = split.count / 2;
}

void scan_truth_terms(std::string_view text, WordText& out) {
  out.bytes.reserve(text.size() + kTextPadding);
  out.edges.reserve(text.size() + 2 + kEdgePadding);
  std::uint8_t* bytes = out.bytes.data();
  std::uint32_t* edges = out.edges.data();
  std::size_t size = 0;
  std::size_t start = 0;
  std::size_t words = 0;
  const auto end_word = [&] {
    const bool the = size - start == 3 && std::memcmp(bytes + start, "the", 3) == 0;
    if (size - start >= 3 && !the) {
      edges[2 * words] = static_cast<std::uint32_t>(start);
      edges[2 * words + 1] = static_cast<std::uint32_t>(size);
      ++words;
    }
    start = size;
  };
  for (const char c : text) {
    const auto byte = static_cast<std::uint8_t>(c);
    if (byte == ' ' || (byte >= 9 && byte <= 13)) {
      end_word();
    } else if (byte != '.' && byte != ',' && byte != ':' && byte != ';' && byte != '\'') {
      bytes[size++] = static_cast<std::uint8_t>(byte >= 'A' && byte <= 'Z' ? byte + 32 : byte);
    }
  }
  end_word();
  out.size = size;
  out.words = words;
}

}  // namespace

void check_text_size(std::size_t bytes) {
  if (bytes > kMaxTextBytes) {
    throw Error(ErrorCode::kBadInput, "a text is longer than 1 GiB, the most that is compared");
  }
}

WordReader::WordReader(Rule rule, std::string_view text, const TextKernels& kernels,
                       std::size_t piece_bytes, const std::atomic<bool>* stop, WordText& out)
    : rule_(rule),
      rest_(text),
      kernels_(kernels),
      piece_bytes_(piece_bytes),
      stop_(stop),
      out_(out) {
  check_text_size(text.size());
  out.replaced = 0;
  if (rule == Rule::kWords && text.size() > piece_bytes)
    scanner_ = std::make_unique<WordScanner>(text, kernels, piece_bytes, stop, out);
}

WordReader::~WordReader() = default;

bool WordReader::next() {
  if (scanner_) return scanner_->next();
  if (started_ && rest_.empty()) return false;
  throw_if_stopped(stop_);
  started_ = true;
  switch (rule_) {
    case Rule::kWords:
      scan_words(std::exchange(rest_, {}), kernels_, stop_, out_);
      break;
    case Rule::kTruthRuns:
      scan_truth_runs(next_bytes(), kernels_, out_);
      break;
    case Rule::kTruthTerms:
      scan_truth_terms(next_bytes(), out_);
      break;
  }
  return true;
}

// Returns the next piece, extended to the first white space after it: words end there by both rules
// for bytes.
std::string_view WordReader::next_bytes() {
  std::size_t size = std::min(piece_bytes_, rest_.size());
  while (size < rest_.size() && !is_white_space(rest_[size])) ++size;
  const std::string_view piece = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return piece;
}

}  // namespace benzer::internal
