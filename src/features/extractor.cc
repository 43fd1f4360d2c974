#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/features.h"

#include "base/secret.h"
#include "base/white_space.h"
#include "features/common_features.h"
#include "features/hash.h"
#include "features/image_features.h"
#include "features/kernels/text_kernels.h"
#include "features/readable_text.h"
#include "features/reference.h"
#include "features/scan.h"
#include "features/shingle_bytes.h"
#include "features/stop_words.h"

namespace benzer {

using internal::HashKeys;
using internal::RawBuffer;
using internal::StopFilter;
using internal::TextKernels;
using internal::WordText;

struct FeatureBuffer::Scratch {
  RawBuffer<char> readable;  // +html
  WordText text;
  RawBuffer<std::uint64_t> hashes;  // of words or windows, or their sums
  RawBuffer<std::uint64_t> features;
  std::size_t count = 0;  // features

  RawBuffer<std::uint8_t> joined;  // words joined by one blank, then padding
  RawBuffer<std::uint32_t>
      positions;  // of the code points of joined and its end, then kEdgePadding

  // Of a bag: how often a feature was seen, in a table of a power of two slots.
  RawBuffer<std::uint64_t> seen;
  RawBuffer<std::uint64_t> times;  // 0: the slot is empty

  // Features that this thread has told `told` that they were left out, by their last bits.
  std::vector<std::uint64_t> noted;
  const internal::CommonFeatures* told = nullptr;

  std::uint64_t* make_features(std::size_t wanted) {
    features.reserve(wanted);
    count = wanted;
    return features.data();
  }
};

FeatureBuffer::FeatureBuffer() : scratch_(std::make_unique<Scratch>()) {}
FeatureBuffer::~FeatureBuffer() = default;
FeatureBuffer::FeatureBuffer(FeatureBuffer&&) noexcept = default;
FeatureBuffer& FeatureBuffer::operator=(FeatureBuffer&&) noexcept = default;

struct FeatureExtractor::Impl {
  using Scratch = FeatureBuffer::Scratch;

  Impl(const FeatureSpec& s, std::shared_ptr<const internal::CommonFeatures> c)
      : spec(s),
        keys(s.seed),
        kernels(internal::text_kernels(active_cpu_level())),
        common(std::move(c)) {
    if ((spec.drop_common != 0) != (common != nullptr))
      throw Error(ErrorCode::kInvalidArgument,
                  "+drop-common needs a collection of documents, which tells what is common: leave "
                  "it out of the features " +
                      spec.str());
    if (!spec.stop.empty()) stop = StopFilter(spec.stop, keys);
    if (spec.is_image()) pictures = std::make_unique<internal::PictureFeatures>(spec);
  }

  // All return whether the text is short.
  bool shingle_words(Scratch& scratch) const;
  bool shingle_chars(Scratch& scratch) const;
  bool shingle_bytes(std::string_view text, Scratch& scratch) const;
  // The windows of scratch.joined, in which are so many bytes.
  bool shingle_joined(std::size_t size, Scratch& scratch) const;
  void single_words(Scratch& scratch) const;
  void count_occurrences(Scratch& scratch) const;
  bool drop_common(Scratch& scratch) const;  // true: all are common, and stay

  // Hashes the words and drops stop words; returns how many are left.
  std::size_t sum_without_stop_words(Scratch& scratch) const;

  FeatureSpec spec;
  HashKeys keys;
  const TextKernels& kernels;
  StopFilter stop;
  std::shared_ptr<const internal::CommonFeatures> common;     // null: nothing is dropped
  std::unique_ptr<const internal::PictureFeatures> pictures;  // null: not of images
};

std::size_t FeatureExtractor::Impl::sum_without_stop_words(Scratch& scratch) const {
  const WordText& text = scratch.text;
  std::uint64_t* sums = scratch.hashes.data();
  kernels.hash_words(text.bytes.data(), text.edges.data(), text.words, keys, sums + 1);
  std::size_t kept = 0;
  std::uint64_t sum = 0;
  sums[0] = 0;
  for (std::size_t i = 0; i < text.words; ++i) {
    const std::uint64_t hash = sums[i + 1];
    const bool keep = !stop.contains(hash);
    const std::uint64_t with = sum * internal::kBase + hash;
    sums[kept + 1] = with;  // at most place i + 1; overwritten by the next word if not kept
    sum = keep ? with : sum;
    kept += keep;
  }
  return kept;
}

bool FeatureExtractor::Impl::shingle_words(Scratch& scratch) const {
  const WordText& text = scratch.text;
  scratch.hashes.reserve(text.words + 1);
  std::uint64_t* sums = scratch.hashes.data();
  std::size_t words = text.words;
  if (stop.empty()) {
    kernels.sum_words(text.bytes.data(), text.edges.data(), words, keys, sums);
  } else {
    words = sum_without_stop_words(scratch);
  }
  if (words == 0) {
    scratch.count = 0;
    return false;
  }
  const auto wanted = static_cast<std::size_t>(spec.shingle);
  const std::size_t n = words < wanted ? words : wanted;
  kernels.finish_sums(sums, words - n + 1, n, keys, scratch.make_features(words - n + 1));
  return words < wanted;
}

bool FeatureExtractor::Impl::shingle_chars(Scratch& scratch) const {
  const WordText& text = scratch.text;
  scratch.count = 0;
  if (text.words == 0) return false;
  const std::size_t room = text.size + text.words;
  scratch.joined.reserve(room + internal::kTextPadding);
  scratch.positions.reserve(room + 1 + internal::kEdgePadding);
  std::uint8_t* joined = scratch.joined.data();
  return shingle_joined(
      kernels.join_words(text.bytes.data(), text.edges.data(), text.words, joined), scratch);
}

bool FeatureExtractor::Impl::shingle_bytes(std::string_view text, Scratch& scratch) const {
  if (text.size() > internal::kMaxTextBytes)
    throw Error(ErrorCode::kBadInput, fmt::format("the text has {} bytes; allowed are {}",
                                                  text.size(), internal::kMaxTextBytes));
  scratch.text.replaced = 0;
  scratch.joined.reserve(text.size() + internal::kTextPadding);
  scratch.positions.reserve(text.size() + 1 + internal::kEdgePadding);
  auto* joined = reinterpret_cast<char*>(scratch.joined.data());
  std::size_t size = text.size();
  if (spec.squeeze) {
    size = squeeze_white_space(text, joined);
  } else {
    std::copy(text.begin(), text.end(), joined);
  }
  return shingle_joined(size, scratch);
}

bool FeatureExtractor::Impl::shingle_joined(std::size_t size, Scratch& scratch) const {
  scratch.count = 0;
  const std::uint8_t* joined = scratch.joined.data();
  std::uint32_t* positions = scratch.positions.data();
  const std::size_t units = kernels.find_starts(joined, size, positions);
  positions[units] = static_cast<std::uint32_t>(size);
  if (units == 0) return false;

  const auto wanted = static_cast<std::size_t>(spec.shingle);
  const bool is_short = units < wanted;
  const std::size_t n = is_short ? units : wanted;
  // A short text is taken whole, with what truth:c5 may find before its first code point.
  if (is_short) positions[0] = 0;
  std::uint64_t* features = scratch.make_features(units - n + 1);
  kernels.hash_windows(joined, positions, units - n + 1, n, keys, features);
  if (spec.hash == FeatureSpec::Hash::kDjb2a) {
    for (std::size_t i = 0; i + n <= units; ++i)
      features[i] = internal::of_djb2a(
          {reinterpret_cast<const char*>(joined) + positions[i], positions[i + n] - positions[i]});
    return is_short;
  }
  kernels.finish_hashes(features, units - n + 1, n, keys, features);
  if (spec.hash == FeatureSpec::Hash::kFourBytes)
    for (std::size_t i = 0; i + n <= units; ++i)
      features[i] = internal::of_four_bytes(static_cast<std::uint32_t>(features[i] >> 32));
  return is_short;
}

void FeatureExtractor::Impl::single_words(Scratch& scratch) const {
  const WordText& text = scratch.text;
  std::uint64_t* features = scratch.make_features(text.words);
  kernels.hash_words(text.bytes.data(), text.edges.data(), text.words, keys, features);
  kernels.finish_hashes(features, text.words, 1, keys, features);
}

void FeatureExtractor::Impl::count_occurrences(Scratch& scratch) const {
  if (scratch.count == 0) return;
  const std::size_t slots = std::bit_ceil(2 * scratch.count);
  scratch.seen.reserve(slots);
  scratch.times.reserve(slots);
  std::uint64_t* seen = scratch.seen.data();
  std::uint64_t* times = scratch.times.data();
  std::memset(times, 0, slots * sizeof *times);
  std::uint64_t* features = scratch.features.data();
  const SecretPlaces slot_of(slots);
  for (std::size_t i = 0; i < scratch.count; ++i) {
    const std::uint64_t feature = features[i];
    std::size_t slot = slot_of(feature);
    while (times[slot] != 0 && seen[slot] != feature) slot = (slot + 1) & (slots - 1);
    seen[slot] = feature;
    features[i] = internal::occurrence(feature, ++times[slot], keys);
  }
}

// A text of nothing but common shingles would be similar to nothing, and a notice that a thousand
// documents repeat word for word would stay a thousand times. So such a one keeps them all.
bool FeatureExtractor::Impl::drop_common(Scratch& scratch) const {
  constexpr std::size_t kRemembered = 4096;
  std::uint64_t* features = scratch.features.data();
  const std::size_t all = scratch.count;
  const auto is_own = [&](std::uint64_t feature) { return !common->contains(feature); };
  const std::size_t first =
      static_cast<std::size_t>(std::find_if(features, features + all, is_own) - features);
  if (first == all) return all > 0;
  if (std::exchange(scratch.told, common.get()) != common.get())
    scratch.noted.assign(kRemembered, 0);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all; ++i) {
    const std::uint64_t feature = features[i];
    if (i >= first && is_own(feature)) {
      features[kept++] = feature;
      continue;
    }
    std::uint64_t& last = scratch.noted[feature % kRemembered];
    if (last == feature) continue;
    common->note(feature);
    last = feature;
  }
  scratch.count = kept;
  return false;
}

// What the grammar accepts is exactly what can be extracted, so it is what checks a spec.
FeatureExtractor::FeatureExtractor(const FeatureSpec& spec,
                                   std::shared_ptr<const internal::CommonFeatures> common)
    : impl_(std::make_unique<const Impl>(FeatureSpec::parse(spec.str()), std::move(common))) {}
FeatureExtractor::~FeatureExtractor() = default;
FeatureExtractor::FeatureExtractor(FeatureExtractor&&) noexcept = default;
FeatureExtractor& FeatureExtractor::operator=(FeatureExtractor&&) noexcept = default;

const FeatureSpec& FeatureExtractor::spec() const noexcept { return impl_->spec; }

const std::shared_ptr<const internal::CommonFeatures>& FeatureExtractor::common() const noexcept {
  return impl_->common;
}

bool FeatureExtractor::drops(std::uint64_t feature) const noexcept {
  return impl_->common && impl_->common->contains(feature);
}

std::uint64_t FeatureExtractor::dropped() const {
  return impl_->common ? impl_->common->noted() : 0;
}

void FeatureExtractor::extract(std::string_view text, FeatureBuffer& out) const {
  using enum FeatureSpec::Kind;
  FeatureBuffer::Scratch& scratch = *out.scratch_;
  out.features_ = {};
  out.is_short_ = out.only_common_ = false;
  out.replaced_ = 0;
  out.problem_.clear();
  if (impl_->pictures) return extract_picture(text, out);
  if (impl_->spec.html) text = internal::readable_text(text, scratch.readable);
  switch (impl_->spec.kind) {
    case kWords:
      internal::scan_words(text, impl_->kernels, scratch.text);
      out.is_short_ = impl_->shingle_words(scratch);
      break;
    case kChars:
      internal::scan_words(text, impl_->kernels, scratch.text);
      out.is_short_ = impl_->shingle_chars(scratch);
      break;
    case kShingles:
      out.is_short_ = impl_->shingle_bytes(text, scratch);
      break;
    case kTerms004:
    case kTruthW1:
      internal::scan_truth_terms(text, scratch.text);
      impl_->single_words(scratch);
      break;
    case kTruthW3:
      internal::scan_truth_runs(text, impl_->kernels, scratch.text);
      out.is_short_ = impl_->shingle_words(scratch);
      break;
    case kTruthC5:
      internal::scan_truth_runs(text, impl_->kernels, scratch.text);
      out.is_short_ = impl_->shingle_chars(scratch);
      break;
    default:
      throw Error(ErrorCode::kInvalidArgument,
                  "Features of values were asked of a text; text:* or truth:* read texts.");
  }
  if (impl_->spec.bag) impl_->count_occurrences(scratch);
  out.only_common_ = impl_->common && impl_->drop_common(scratch);
  out.replaced_ = scratch.text.replaced;
  out.features_ = {scratch.features.data(), scratch.count};
}

void FeatureExtractor::extract_picture(std::string_view bytes, FeatureBuffer& out) const {
  internal::PictureFeatures::Result found = impl_->pictures->extract(bytes);
  std::copy(found.features.begin(), found.features.end(),
            out.scratch_->make_features(found.features.size()));
  out.features_ = {out.scratch_->features.data(), found.features.size()};
  out.is_short_ = found.has_little_detail;
  out.problem_ = std::move(found.problem);
}

// Common ones among them.
void FeatureExtractor::extract_all_values(std::span<const std::string_view> values,
                                          FeatureBuffer& out) const {
  if (impl_->spec.kind != FeatureSpec::Kind::kValues) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("Features {} were asked of a set of values; only `values` reads those.",
                            impl_->spec.str()));
  }
  FeatureBuffer::Scratch& scratch = *out.scratch_;
  std::uint64_t* features = scratch.make_features(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    features[i] = internal::hash_unit(values[i], impl_->keys);
  }
  impl_->kernels.finish_hashes(features, values.size(), 1, impl_->keys, features);
  if (impl_->spec.bag) impl_->count_occurrences(scratch);
  out.features_ = {features, scratch.count};
  out.is_short_ = out.only_common_ = false;
  out.replaced_ = 0;
}

void FeatureExtractor::extract_values(std::span<const std::string_view> values,
                                      FeatureBuffer& out) const {
  extract_all_values(values, out);
  if (!impl_->common) return;
  out.only_common_ = impl_->drop_common(*out.scratch_);
  out.features_ = out.features_.first(out.scratch_->count);
}

std::string FeatureExtractor::readable(std::string_view text) const {
  RawBuffer<char> room;
  return std::string(impl_->spec.html ? internal::readable_text(text, room) : text);
}

TextTrace FeatureExtractor::trace(std::string_view text) const {
  if (!impl_->spec.html) return trace_readable(text);
  std::string stripped = readable(text);
  TextTrace trace = trace_readable(stripped);
  trace.readable = std::move(stripped);
  return trace;
}

TextTrace FeatureExtractor::trace_readable(std::string_view text) const {
  if (!impl_->spec.is_text()) {
    throw Error(ErrorCode::kInvalidArgument,
                "Only texts can be followed word by word; the features are " + impl_->spec.str());
  }
  return internal::reference_trace(text, impl_->spec, impl_->keys);
}

TextTrace FeatureExtractor::trace_values(std::span<const std::string_view> values) const {
  FeatureBuffer buffer;
  extract_all_values(values, buffer);
  TextTrace trace;
  trace.shingles.reserve(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t begin = trace.readable.size();
    trace.readable += values[i];
    trace.shingles.push_back(
        {std::string(values[i]), buffer.features()[i], begin, trace.readable.size()});
    trace.readable += '\n';
  }
  return trace;
}

}  // namespace benzer
