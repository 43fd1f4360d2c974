#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/features.h"

#include "base/weight.h"
#include "features/frequency_counter.h"
#include "features/image_features.h"
#include "features/readable_text.h"
#include "features/reference.h"
#include "features/shingler.h"

namespace benzer {

using internal::RawBuffer;

struct FeatureBuffer::Scratch {
  RawBuffer<char> readable;  // +html
  internal::ShingleScratch shingles;

  // The features that were last noted in `told` as left out, by their last bits: a cache, so that
  // most are not noted again.
  std::vector<std::uint64_t> noted;
  const internal::FrequencyCounter* told = nullptr;

  // A feature with its place among the values, and a sum of weights in millionths.
  struct Weighted {
    std::uint64_t feature;
    std::uint32_t place;
    std::uint64_t weight;
  };
  std::vector<Weighted> weighted;
  std::vector<std::uint64_t> sorted;             // occurrences in the order of their bits
  std::vector<std::uint64_t> weighted_features;  // the result
};

FeatureBuffer::FeatureBuffer() : scratch_(std::make_unique<Scratch>()) {}
FeatureBuffer::FeatureBuffer(const std::atomic<bool>* stop)
    : scratch_(std::make_unique<Scratch>()), stop_(stop) {}
FeatureBuffer::~FeatureBuffer() = default;
FeatureBuffer::FeatureBuffer(FeatureBuffer&&) noexcept = default;
FeatureBuffer& FeatureBuffer::operator=(FeatureBuffer&&) noexcept = default;

struct FeatureExtractor::Impl {
  using Scratch = FeatureBuffer::Scratch;

  Impl(const FeatureSpec& s, std::shared_ptr<const internal::FrequencyCounter> f)
      : spec(s), shingler(s), frequencies(std::move(f)) {
    if (spec.needs_frequencies() != (frequencies != nullptr))
      throw Error(ErrorCode::kInvalidArgument,
                  fmt::format("{} needs a corpus, which tells what is common: leave it out of the "
                              "features {}{}",
                              spec.tf_idf ? "+tf-idf" : "+drop-common", spec.str(),
                              spec.tf_idf ? ", or give document frequencies" : ""));
    if (spec.image()) pictures = std::make_unique<internal::PictureFeatures>(spec);
  }

  // With +tf-idf: what each occurrence of the feature weighs.
  std::uint64_t weight(std::uint64_t feature) const noexcept {
    return spec.frequencies ? spec.frequencies->weight(feature) : frequencies->weight(feature);
  }

  // Removes the common ones of `count` features and returns how many are left. Sets only_common if
  // all are common; then all are kept.
  std::size_t drop_common(Scratch& scratch, std::size_t count, bool& only_common) const;

  FeatureSpec spec;
  internal::Shingler shingler;
  std::shared_ptr<const internal::FrequencyCounter> frequencies;  // null: not needed
  std::unique_ptr<const internal::PictureFeatures> pictures;      // null: not features of images
};

// A text that has only common shingles keeps them all. Without them it would be similar to nothing,
// and a notice that a thousand documents repeat word for word would be kept a thousand times.
std::size_t FeatureExtractor::Impl::drop_common(Scratch& scratch, std::size_t all,
                                                bool& only_common) const {
  constexpr std::size_t kRemembered = 4096;
  std::uint64_t* features = scratch.shingles.features.data();
  const auto is_own = [&](std::uint64_t feature) { return !frequencies->is_common(feature); };
  const std::size_t first =
      static_cast<std::size_t>(std::find_if(features, features + all, is_own) - features);
  only_common = first == all && all > 0;
  if (first == all) return all;
  if (std::exchange(scratch.told, frequencies.get()) != frequencies.get())
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
    frequencies->note(feature);
    last = feature;
  }
  return kept;
}

// The grammar accepts exactly what can be extracted, so parsing its spelling checks a spec.
FeatureExtractor::FeatureExtractor(const FeatureSpec& spec,
                                   std::shared_ptr<const internal::FrequencyCounter> frequencies)
    : impl_(std::make_unique<const Impl>(FeatureSpec::parse(spec.str()), std::move(frequencies))) {}
FeatureExtractor::~FeatureExtractor() = default;
FeatureExtractor::FeatureExtractor(FeatureExtractor&&) noexcept = default;
FeatureExtractor& FeatureExtractor::operator=(FeatureExtractor&&) noexcept = default;

const FeatureSpec& FeatureExtractor::spec() const noexcept { return impl_->spec; }

const std::shared_ptr<const internal::FrequencyCounter>& FeatureExtractor::frequencies()
    const noexcept {
  return impl_->frequencies;
}

bool FeatureExtractor::drops(std::uint64_t feature) const noexcept {
  return impl_->spec.drop_common != 0 && impl_->frequencies->is_common(feature);
}

std::uint64_t FeatureExtractor::occurrence_weight(std::uint64_t feature) const noexcept {
  return impl_->spec.tf_idf ? impl_->weight(feature) : kUnitWeight;
}

std::uint64_t FeatureExtractor::dropped() const {
  return impl_->frequencies ? impl_->frequencies->noted() : 0;
}

void FeatureExtractor::extract(std::string_view text, FeatureBuffer& out) const {
  extract_text(text, out, nullptr);
}

void FeatureExtractor::extract(std::string_view text, FeatureBuffer& out,
                               const FeatureVisitor& visit) const {
  // With +drop-common, only the end of the text tells whether anything is dropped, and with +tf-idf
  // how often a feature occurs.
  if (!impl_->frequencies && !impl_->spec.tf_idf && !impl_->pictures)
    return extract_text(text, out, visit);
  extract_text(text, out, nullptr);
  visit(std::exchange(out.features_, {}));
}

void FeatureExtractor::extract_text(std::string_view text, FeatureBuffer& out,
                                    const FeatureVisitor& visit) const {
  FeatureBuffer::Scratch& scratch = *out.scratch_;
  out.features_ = out.occurrences_ = {};
  out.is_short_ = out.only_common_ = false;
  out.replaced_ = out.pixels_ = 0;
  out.problem_.clear();
  if (impl_->pictures) return extract_picture(text, out);
  if (impl_->spec.reads_html()) text = internal::readable_text(text, scratch.readable);
  out.is_short_ = impl_->shingler.run(text, out.stop_, scratch.shingles, visit);
  out.replaced_ = scratch.shingles.text.replaced;
  if (visit) return;
  std::size_t count = scratch.shingles.before;
  if (impl_->spec.drop_common != 0) count = impl_->drop_common(scratch, count, out.only_common_);
  out.features_ = {scratch.shingles.features.data(), count};
  if (impl_->spec.tf_idf) weigh_occurrences(out);
}

void FeatureExtractor::extract_picture(std::string_view bytes, FeatureBuffer& out) const {
  internal::PictureFeatures::Result found = impl_->pictures->extract(bytes);
  out.scratch_->shingles.before = 0;
  std::uint64_t* features = out.scratch_->shingles.make_features(found.features.size());
  std::copy(found.features.begin(), found.features.end(), features);
  out.features_ = {features, found.features.size()};
  out.is_short_ = found.has_little_detail;
  out.pixels_ = found.pixels;
  out.problem_ = std::move(found.problem);
}

// Extracts the features of all values, with the common ones.
void FeatureExtractor::extract_all_values(std::span<const std::string_view> values,
                                          FeatureBuffer& out) const {
  if (!impl_->spec.values()) {
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("Features {} were asked of a set of values; only `values` reads those.",
                            impl_->spec.str()));
  }
  internal::ShingleScratch& scratch = out.scratch_->shingles;
  impl_->shingler.run_values(values, scratch);
  out.features_ = {scratch.features.data(), scratch.count};
  out.occurrences_ = {};
  out.is_short_ = out.only_common_ = false;
  out.replaced_ = out.pixels_ = 0;
}

namespace {

void check_weights(std::span<const std::string_view> values, std::span<const double> weights) {
  if (weights.empty()) return;
  if (weights.size() != values.size())
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} values have {} weights; each value has one, or none has",
                            values.size(), weights.size()));
  if (const auto fault = find_weight_fault(weights))
    throw Error(ErrorCode::kInvalidArgument,
                fault->place
                    ? fmt::format("the weight of value {} {}", *fault->place + 1, fault->problem)
                    : fmt::format("the sum of the weights {}", fault->problem));
}

}  // namespace

// Gives each of the features, which are without repeats afterwards and in the order of their first
// occurrence, the sum of its weights.
void FeatureExtractor::add_weights(std::span<const double> weights, FeatureBuffer& out) const {
  std::vector<FeatureBuffer::Scratch::Weighted>& all = out.scratch_->weighted;
  all.clear();
  for (std::uint32_t i = 0; i < out.features_.size(); ++i)
    all.push_back({out.features_[i] & ~kWeightBits, i,
                   weights.empty() ? kUnitWeight : millionths_of(weights[i])});
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) {
    return x.feature != y.feature ? x.feature < y.feature : x.place < y.place;
  });
  std::size_t kept = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (kept > 0 && all[kept - 1].feature == all[i].feature) {
      all[kept - 1].weight += all[i].weight;
    } else {
      all[kept++] = all[i];
    }
  }
  all.resize(kept);
  std::sort(all.begin(), all.end(), [](const auto& x, const auto& y) { return x.place < y.place; });
  std::vector<std::uint64_t>& features = out.scratch_->weighted_features;
  features.clear();
  for (const FeatureBuffer::Scratch::Weighted& one : all)
    features.push_back(with_weight(one.feature, one.weight));
  out.occurrences_ = std::exchange(out.features_, features);
}

// Features that differ only in their lower bits become one, which weighs as much as both.
void FeatureExtractor::weigh_occurrences(FeatureBuffer& out) const {
  std::vector<std::uint64_t>& sorted = out.scratch_->sorted;
  sorted.assign(out.features_.begin(), out.features_.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<std::uint64_t>& features = out.scratch_->weighted_features;
  features.clear();
  std::uint64_t weight = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    weight += impl_->weight(sorted[i]);
    const bool is_last =
        i + 1 == sorted.size() || (sorted[i] & ~kWeightBits) != (sorted[i + 1] & ~kWeightBits);
    if (is_last) features.push_back(with_weight(sorted[i], std::exchange(weight, 0)));
  }
  out.occurrences_ = std::exchange(out.features_, features);
}

void FeatureExtractor::extract_values(std::span<const std::string_view> values, FeatureBuffer& out,
                                      std::span<const double> weights) const {
  extract_all_values(values, out);
  if (impl_->spec.takes_weights()) {
    check_weights(values, weights);
    return add_weights(weights, out);
  }
  if (!weights.empty())
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the values have weights, and the features {} ignore these; the "
                            "features values+weights compare by them",
                            impl_->spec.str()));
  if (impl_->spec.tf_idf) return weigh_occurrences(out);
  if (impl_->spec.drop_common == 0) return;
  out.features_ = out.features_.first(
      impl_->drop_common(*out.scratch_, out.features_.size(), out.only_common_));
}

std::string FeatureExtractor::readable(std::string_view text) const {
  RawBuffer<char> room;
  return std::string(impl_->spec.reads_html() ? internal::readable_text(text, room) : text);
}

// A feature takes some 400 bytes in a trace, so the features are counted first, at little cost.
void FeatureExtractor::check_can_be_traced(std::string_view text) const {
  if (!impl_->spec.text() || frequencies()) return;
  std::uint64_t features = 0;
  FeatureBuffer buffer;
  // Before they are weighed, so that they come some at a time.
  extract_text(text, buffer, [&](std::span<const std::uint64_t> some) {
    features += some.size();
    if (features > kMostTraced)
      throw Error(
          ErrorCode::kInvalidArgument,
          fmt::format("a text has more than {} features, too many to follow it word by word; "
                      "pairs of texts of any length are compared without that",
                      kMostTraced));
  });
}

TextTrace FeatureExtractor::trace(std::string_view text) const {
  check_can_be_traced(text);
  if (!impl_->spec.reads_html()) return trace_readable(text);
  std::string stripped = readable(text);
  TextTrace trace = trace_readable(stripped);
  trace.readable = std::move(stripped);
  return trace;
}

TextTrace FeatureExtractor::trace_readable(std::string_view text) const {
  if (!impl_->spec.text()) {
    throw Error(ErrorCode::kInvalidArgument,
                "Only texts can be followed word by word; the features are " + impl_->spec.str());
  }
  return internal::reference_trace(text, impl_->spec, impl_->shingler.keys());
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
