#include "features/shingler.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "base/secret.h"
#include "base/white_space.h"

namespace benzer::internal {
namespace {

bool counts_repeats(const FeatureSpec& spec) noexcept {
  if (const TextFeatures* text = spec.text()) return text->bag;
  return spec.values() && spec.values()->bag;
}

}  // namespace

Shingler::Shingler(const FeatureSpec& spec, std::size_t piece_bytes)
    : bag_(counts_repeats(spec)),
      shingle_(spec.text() ? static_cast<std::size_t>(spec.text()->shingle) : 1),
      piece_bytes_(piece_bytes),
      keys_(spec.seed),
      kernels_(text_kernels(active_cpu_level())) {
  if (!spec.text()) return;
  text_ = *spec.text();
  if (!text_->stop.empty()) stop_words_ = StopFilter(text_->stop, keys_);
  if (text_->kind == TextFeatures::Kind::kShingles)
    raw_ = extension_for("features " + spec.str()).raw_text_rules(spec);
  if (text_->kind == TextFeatures::Kind::kOwn) own_ = text_rule(text_->rule, spec.str());
}

WordReader::Rule Shingler::rule() const {
  if (!text_)
    throw Error(ErrorCode::kInvalidArgument,
                "Features of values were asked of a text; text:* or truth:* read texts.");
  switch (text_->kind) {
    case TextFeatures::Kind::kWords:
    case TextFeatures::Kind::kDictionaryWords:
    case TextFeatures::Kind::kChars:
      return WordReader::Rule::kWords;
    case TextFeatures::Kind::kTruthW3:
    case TextFeatures::Kind::kTruthC5:
      return WordReader::Rule::kTruthRuns;
    case TextFeatures::Kind::kTerms004:
    case TextFeatures::Kind::kTruthW1:
      return WordReader::Rule::kTruthTerms;
    case TextFeatures::Kind::kShingles:
    case TextFeatures::Kind::kOwn:
      break;  // they are read by raw_ and own_
  }
  return WordReader::Rule::kWords;
}

bool Shingler::run(std::string_view text, const std::atomic<bool>* stop, ShingleScratch& scratch,
                   const Visit& visit) const {
  scratch.before = scratch.count = scratch.carried = scratch.slots = scratch.used = 0;
  scratch.any_joined = scratch.any_made = scratch.after_white_space = false;
  scratch.text.replaced = 0;
  if (raw_) {
    run_raw_text(text, stop, scratch, visit);
  } else if (own_) {
    run_own_rule(text, stop, scratch, visit);
  } else {
    run_words(text, stop, scratch, visit);
  }
  const bool is_short = finish(scratch);
  hand_over(scratch, visit);
  return is_short;
}

void Shingler::hand_over(ShingleScratch& scratch, const Visit& visit) const {
  if (scratch.count == 0) return;
  scratch.any_made = true;
  if (bag_) count_occurrences(scratch);
  if (visit) {
    visit(scratch.piece());
  } else {
    scratch.before += scratch.count;
  }
  scratch.count = 0;
}

void Shingler::run_raw_text(std::string_view text, const std::atomic<bool>* stop,
                            ShingleScratch& scratch, const Visit& visit) const {
  if (text.size() > kMaxTextBytes)
    throw Error(ErrorCode::kBadInput,
                fmt::format("the text has {} bytes; allowed are {}", text.size(), kMaxTextBytes));
  while (!text.empty()) {
    throw_if_stopped(stop);
    // A piece ends where a code point begins.
    std::size_t size = std::min(piece_bytes_, text.size());
    while (size < text.size() && (text[size] & 0xC0) == 0x80) ++size;
    shingle_raw_text(text.substr(0, size), scratch);
    text.remove_prefix(size);
    hand_over(scratch, visit);
  }
}

void Shingler::run_own_rule(std::string_view text, const std::atomic<bool>* stop,
                            ShingleScratch& scratch, const Visit& visit) const {
  const std::size_t most = shingle_ + piece_bytes_ / sizeof(std::uint64_t);
  scratch.hashes.reserve(most + 1);
  std::uint64_t* sums = scratch.hashes.data();
  sums[0] = 0;
  std::size_t words = 0;
  const auto shingle = [&] {
    shingle_sums(words, scratch);
    hand_over(scratch, visit);
    words = scratch.carried;
  };
  cut_by_rule(*own_, text, stop, [&](std::string_view piece, std::size_t, std::size_t) {
    sums[words + 1] = sums[words] * kBase + hash_unit(piece, keys_);
    if (++words == most) shingle();
  });
  shingle();
}

void Shingler::run_words(std::string_view text, const std::atomic<bool>* stop,
                         ShingleScratch& scratch, const Visit& visit) const {
  const bool by_dictionary = text_ && text_->kind == TextFeatures::Kind::kDictionaryWords;
  if (by_dictionary) {
    if (!scratch.dictionary) scratch.dictionary = std::make_unique<DictionaryWords>();
    scratch.dictionary->start();
  }
  WordReader words(rule(), text, kernels_, piece_bytes_, stop, scratch.text);
  while (words.next()) {
    switch (text_->kind) {
      case TextFeatures::Kind::kChars:
      case TextFeatures::Kind::kTruthC5:
        shingle_chars(scratch);
        break;
      case TextFeatures::Kind::kTerms004:
      case TextFeatures::Kind::kTruthW1:
        single_words(scratch);
        break;
      case TextFeatures::Kind::kWords:
      case TextFeatures::Kind::kTruthW3:
      case TextFeatures::Kind::kShingles:  // read by raw_, never here
      case TextFeatures::Kind::kOwn:       // read by own_, never here
        shingle_words(scratch.text, scratch);
        break;
      case TextFeatures::Kind::kDictionaryWords:
        shingle_words(*scratch.dictionary->take(&scratch.text), scratch);
    }
    hand_over(scratch, visit);
  }
  if (!by_dictionary) return;
  shingle_words(scratch.dictionary->finish(), scratch);
  hand_over(scratch, visit);
}

void Shingler::run_values(std::span<const std::string_view> values, ShingleScratch& scratch) const {
  scratch.before = scratch.slots = scratch.used = 0;
  std::uint64_t* features = scratch.make_features(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) features[i] = hash_unit(values[i], keys_);
  kernels_.finish_hashes(features, values.size(), 1, keys_, features);
  if (bag_) count_occurrences(scratch);
}

StemHashes* Shingler::stems(ShingleScratch& scratch) const {
  if (text_->stem.empty()) return nullptr;
  std::unique_ptr<StemHashes>& stems = scratch.stems;
  if (!stems || stems->language() != text_->stem || stems->seed() != keys_.seed)
    stems = std::make_unique<StemHashes>(text_->stem, keys_);
  return stems.get();
}

std::size_t Shingler::sum_kept_words(const WordText& text, StemHashes* stems,
                                     std::uint64_t* sums) const {
  kernels_.hash_words(text.bytes.data(), text.edges.data(), text.words, keys_, sums + 1);
  std::size_t kept = 0;
  std::uint64_t sum = sums[0];
  if (stems != nullptr) {
    for (std::size_t i = 0; i < text.words; ++i) {
      const std::uint64_t hash = sums[i + 1];
      if (!stop_words_.empty() && stop_words_.contains(hash)) continue;
      sum = sum * kBase + stems->of(text.word(i), hash);
      sums[++kept] = sum;
    }
    return kept;
  }
  for (std::size_t i = 0; i < text.words; ++i) {
    const std::uint64_t hash = sums[i + 1];
    const bool keep = !stop_words_.contains(hash);
    const std::uint64_t with = sum * kBase + hash;
    sums[kept + 1] = with;  // at most place i + 1; overwritten by the next word if not kept
    sum = keep ? with : sum;
    kept += keep;
  }
  return kept;
}

void Shingler::shingle_words(const WordText& text, ShingleScratch& scratch) const {
  const std::size_t sums_before = scratch.carried == 0 ? 0 : scratch.carried + 1;
  scratch.hashes.grow(scratch.carried + text.words + 1, sums_before);
  std::uint64_t* sums = scratch.hashes.data();
  if (scratch.carried == 0) sums[0] = 0;
  std::size_t words = text.words;
  StemHashes* stems = this->stems(scratch);
  if (stop_words_.empty() && stems == nullptr) {
    kernels_.sum_words(text.bytes.data(), text.edges.data(), words, keys_, sums + scratch.carried);
  } else {
    words = sum_kept_words(text, stems, sums + scratch.carried);
  }
  shingle_sums(words + scratch.carried, scratch);
}

// The hash of some words is the sum after them minus the sum before them times a power of kBase. So
// the next piece needs only the sums of the last words of this one.
void Shingler::shingle_sums(std::size_t words, ShingleScratch& scratch) const {
  std::uint64_t* sums = scratch.hashes.data();
  if (words >= shingle_) {
    const std::size_t count = words - shingle_ + 1;
    kernels_.finish_sums(sums, count, shingle_, keys_, scratch.make_features(count));
  }
  scratch.carried = std::min(words, shingle_ - 1);
  std::memmove(sums, sums + words - scratch.carried, (scratch.carried + 1) * sizeof *sums);
}

void Shingler::shingle_chars(ShingleScratch& scratch) const {
  const WordText& text = scratch.text;
  if (text.words == 0) return;
  const std::size_t room = scratch.carried + 1 + text.size + text.words;
  scratch.joined.grow(room + kTextPadding, scratch.carried);
  std::size_t size = scratch.carried;
  if (scratch.any_joined) scratch.joined.data()[size++] = ' ';
  size += kernels_.join_words(text.bytes.data(), text.edges.data(), text.words,
                              scratch.joined.data() + size);
  shingle_joined(size, scratch);
}

void Shingler::shingle_raw_text(std::string_view piece, ShingleScratch& scratch) const {
  scratch.joined.grow(scratch.carried + piece.size() + kTextPadding, scratch.carried);
  auto* joined = reinterpret_cast<char*>(scratch.joined.data());
  const std::size_t added =
      raw_->append(piece, scratch.after_white_space, joined + scratch.carried);
  if (added > 0) shingle_joined(scratch.carried + added, scratch);
}

void Shingler::shingle_joined(std::size_t size, ShingleScratch& scratch) const {
  scratch.any_joined = true;
  scratch.positions.reserve(size + 1 + kEdgePadding);
  std::uint8_t* joined = scratch.joined.data();
  std::uint32_t* positions = scratch.positions.data();
  const std::size_t units = kernels_.find_starts(joined, size, positions);
  positions[units] = static_cast<std::uint32_t>(size);
  scratch.carried = size;
  if (units < shingle_) return;
  const std::size_t count = units - shingle_ + 1;
  hash_windows(joined, positions, count, shingle_, scratch.make_features(count));
  const std::size_t rest = positions[count];
  scratch.carried = size - rest;
  std::memmove(joined, joined + rest, scratch.carried);
}

void Shingler::hash_windows(const std::uint8_t* joined, const std::uint32_t* positions,
                            std::size_t windows, std::size_t n, std::uint64_t* features) const {
  if (raw_) return raw_->hash_windows(joined, positions, windows, n, features);
  kernels_.hash_windows(joined, positions, windows, n, keys_, features);
  kernels_.finish_hashes(features, windows, n, keys_, features);
}

void Shingler::single_words(ShingleScratch& scratch) const {
  const WordText& text = scratch.text;
  std::uint64_t* features = scratch.make_features(text.words);
  kernels_.hash_words(text.bytes.data(), text.edges.data(), text.words, keys_, features);
  kernels_.finish_hashes(features, text.words, 1, keys_, features);
}

bool Shingler::finish(ShingleScratch& scratch) const {
  if (scratch.any_made || scratch.carried == 0) return false;
  if (!scratch.any_joined) {
    kernels_.finish_sums(scratch.hashes.data(), 1, scratch.carried, keys_,
                         scratch.make_features(1));
    return true;
  }
  std::uint32_t* positions = scratch.positions.data();
  const std::uint8_t* joined = scratch.joined.data();
  const std::size_t units = kernels_.find_starts(joined, scratch.carried, positions);
  if (units == 0) return false;
  // The whole text is one shingle, with any bytes 10xxxxxx before its first code point, which
  // truth:c5 does not replace.
  positions[0] = 0;
  positions[units] = static_cast<std::uint32_t>(scratch.carried);
  hash_windows(joined, positions, 1, units, scratch.make_features(1));
  return true;
}

void Shingler::make_table(std::size_t features, ShingleScratch& scratch) const {
  const std::size_t slots = std::bit_ceil(2 * features);
  const SecretPlaces place_of(slots);
  RawBuffer<std::uint64_t> seen, times;
  const bool first = scratch.slots == 0;
  if (!first) {
    std::swap(seen, scratch.seen);
    std::swap(times, scratch.times);
  }
  scratch.seen.reserve(slots);
  scratch.times.reserve(slots);
  std::memset(scratch.times.data(), 0, slots * sizeof(std::uint64_t));
  for (std::size_t i = 0; !first && i < scratch.slots; ++i) {
    if (times.data()[i] == 0) continue;
    std::size_t slot = place_of(seen.data()[i]);
    while (scratch.times.data()[slot] != 0) slot = (slot + 1) & (slots - 1);
    scratch.seen.data()[slot] = seen.data()[i];
    scratch.times.data()[slot] = times.data()[i];
  }
  scratch.slots = slots;
}

void Shingler::count_occurrences(ShingleScratch& scratch) const {
  if (scratch.count == 0) return;
  const std::size_t most = scratch.used + scratch.count;
  if (2 * most > scratch.slots) make_table(most, scratch);
  std::uint64_t* seen = scratch.seen.data();
  std::uint64_t* times = scratch.times.data();
  const std::size_t mask = scratch.slots - 1;
  const SecretPlaces place_of(scratch.slots);
  for (std::size_t i = 0; i < scratch.count; ++i) {
    const std::uint64_t feature = scratch.made()[i];
    std::size_t slot = place_of(feature);
    while (times[slot] != 0 && seen[slot] != feature) slot = (slot + 1) & mask;
    scratch.used += times[slot] == 0;
    seen[slot] = feature;
    scratch.made()[i] = occurrence(feature, ++times[slot], keys_);
  }
}

}  // namespace benzer::internal
