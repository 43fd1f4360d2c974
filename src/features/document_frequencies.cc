#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/features.h"

#include "base/file.h"
#include "features/config_text.h"
#include "features/inverse_frequency.h"

namespace benzer {
namespace {

using internal::fail;

constexpr std::string_view kMagic = "BENZFRQ1";
constexpr std::size_t kLongestSpelling = 1024;
constexpr std::size_t kHead = kMagic.size() + 8 + 3 * 4;
constexpr std::size_t kMostBytes =
    kHead + kLongestSpelling + DocumentFrequencies::kMostFeatures * (8 + 4) + 8;

static_assert(std::endian::native == std::endian::little);  // numbers are copied as they are

template <class Number>
void append(Number number, std::string& out) {
  out.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <class Number>
Number take(std::string_view& from) {
  Number number;
  std::memcpy(&number, from.data(), sizeof number);
  from.remove_prefix(sizeof number);
  return number;
}

// The frequencies that are alive, by their marks, so that equal ones are one object and a spelling
// can name them.
class Registry {
 public:
  // Never destroyed: objects may live longer than static ones do.
  static Registry& the() {
    static Registry& registry = *new Registry();
    return registry;
  }

  std::shared_ptr<const DocumentFrequencies> find(std::string_view mark) {
    const std::lock_guard lock(mutex_);
    const auto found = alive_.find(mark);
    return found == alive_.end() ? nullptr : found->second.lock();
  }
  // Returns the one that is alive already, if there is one.
  std::shared_ptr<const DocumentFrequencies> add(std::shared_ptr<const DocumentFrequencies> one) {
    const std::lock_guard lock(mutex_);
    std::weak_ptr<const DocumentFrequencies>& place = alive_[one->mark()];
    if (auto other = place.lock()) return other;
    place = one;
    return one;
  }
  void remove(const std::string& mark) {
    const std::lock_guard lock(mutex_);
    const auto found = alive_.find(mark);
    // Another object of this mark may have come meanwhile.
    if (found != alive_.end() && found->second.expired()) alive_.erase(found);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<const DocumentFrequencies>, std::less<>> alive_;
};

}  // namespace

struct DocumentFrequencies::Impl {
  // Features are hashes, so those with the same first bits are few.
  static constexpr int kFirstBits = 16;

  std::string spelling;
  std::string mark;
  std::uint64_t documents = 0;
  std::uint32_t rest = 0;
  std::vector<std::uint64_t> features;  // ascending
  std::vector<std::uint32_t> frequencies;
  std::vector<std::uint32_t> weights;  // in millionths; below 2^25
  std::uint32_t weight_of_rest = 0;
  std::vector<std::uint32_t> starts;  // of the features with each value of the first bits

  // Throws Error(kInvalidArgument) for what is not allowed.
  void check() const;
  void fill();
  std::string bytes() const;
  // Returns features.size() if it is not named.
  std::size_t place(std::uint64_t feature) const noexcept;
};

void DocumentFrequencies::Impl::check() const {
  if (documents == 0 || documents >> 32 != 0)
    fail("frequencies of {} documents are not possible; allowed are 1 to 4294967295", documents);
  if (features.size() > kMostFeatures)
    fail("the frequencies of {} features are too many; allowed are {}", features.size(),
         kMostFeatures);
  const auto is_possible = [&](std::uint32_t having) { return having > 0 && having <= documents; };
  if (!is_possible(rest) || !std::all_of(frequencies.begin(), frequencies.end(), is_possible))
    fail("a frequency is not from 1 to the number of documents, {}", documents);
  if (std::adjacent_find(features.begin(), features.end(), std::greater_equal<>()) !=
      features.end())
    fail("two frequencies are of one feature, or they are not in order");
  // What can have +tf-idf has neither weights nor +drop-common of its own.
  FeatureSpec weighed = FeatureSpec::parse(spelling + "+tf-idf");
  weighed.tf_idf = false;
  if (weighed.str() != spelling || spelling.size() > kLongestSpelling)
    fail("the features {} of frequencies are not spelled as they are printed",
         internal::in_quotes(spelling));
}

void DocumentFrequencies::Impl::fill() {
  std::map<std::uint32_t, std::uint32_t> known;  // most features have one of few frequencies
  const auto weight = [&](std::uint32_t having) {
    const auto [at, is_new] = known.try_emplace(having, 0);
    if (is_new)
      at->second = static_cast<std::uint32_t>(internal::inverse_frequency(documents, having));
    return at->second;
  };
  for (const std::uint32_t having : frequencies) weights.push_back(weight(having));
  weight_of_rest = weight(rest);
  starts.assign((std::size_t{1} << kFirstBits) + 1, 0);
  for (const std::uint64_t feature : features) ++starts[(feature >> (64 - kFirstBits)) + 1];
  for (std::size_t i = 1; i < starts.size(); ++i) starts[i] += starts[i - 1];
  const std::string content = bytes();
  std::string_view checksum = std::string_view(content).substr(content.size() - 8);
  mark = fmt::format("{:016x}", take<std::uint64_t>(checksum));
}

std::string DocumentFrequencies::Impl::bytes() const {
  std::string out(kMagic);
  append(documents, out);
  append(rest, out);
  append(static_cast<std::uint32_t>(features.size()), out);
  append(static_cast<std::uint32_t>(spelling.size()), out);
  out += spelling;
  for (const std::uint64_t feature : features) append(feature, out);
  for (const std::uint32_t frequency : frequencies) append(frequency, out);
  append(std::uint64_t{XXH3_64bits(out.data(), out.size())}, out);
  return out;
}

std::size_t DocumentFrequencies::Impl::place(std::uint64_t feature) const noexcept {
  const std::size_t first = feature >> (64 - kFirstBits);
  const auto begin = features.begin() + starts[first], end = features.begin() + starts[first + 1];
  const auto found = std::lower_bound(begin, end, feature);
  return found != end && *found == feature ? static_cast<std::size_t>(found - features.begin())
                                           : features.size();
}

DocumentFrequencies::DocumentFrequencies(std::unique_ptr<const Impl> impl)
    : impl_(std::move(impl)) {}

DocumentFrequencies::~DocumentFrequencies() { Registry::the().remove(impl_->mark); }

// Two of one mark that differ were made to be confused.
std::shared_ptr<const DocumentFrequencies> DocumentFrequencies::share(
    std::unique_ptr<const Impl> impl) {
  const std::shared_ptr<const DocumentFrequencies> made(new DocumentFrequencies(std::move(impl)));
  auto kept = Registry::the().add(made);
  if (kept != made && kept->bytes() != made->bytes())
    fail("other frequencies that are in use have the same mark, {}", made->mark());
  return kept;
}

std::shared_ptr<const DocumentFrequencies> DocumentFrequencies::make(const FeatureSpec& features,
                                                                     std::uint64_t documents,
                                                                     std::uint32_t rest,
                                                                     std::vector<Entry> entries) {
  std::sort(entries.begin(), entries.end(),
            [](const Entry& x, const Entry& y) { return x.feature < y.feature; });
  auto impl = std::make_unique<Impl>();
  impl->spelling = features.str();
  impl->documents = documents;
  impl->rest = rest;
  for (const Entry& entry : entries) {
    impl->features.push_back(entry.feature);
    impl->frequencies.push_back(entry.documents);
  }
  impl->check();
  impl->fill();
  return share(std::move(impl));
}

std::shared_ptr<const DocumentFrequencies> DocumentFrequencies::parse(std::string_view bytes,
                                                                      std::string_view where) {
  const auto refuse = [&](std::string_view problem) {
    throw Error(ErrorCode::kBadInput, Subject::file(std::string(where)), problem);
  };
  if (!bytes.starts_with(kMagic))
    refuse("it does not hold document frequencies of this version: it begins with other bytes");
  if (bytes.size() < kHead + 8) refuse("the document frequencies end too early");
  const std::size_t content = bytes.size() - 8;
  std::string_view checksum = bytes.substr(content);
  if (take<std::uint64_t>(checksum) != XXH3_64bits(bytes.data(), content))
    refuse("the document frequencies are damaged: their checksum does not fit");
  std::string_view left = bytes.substr(kMagic.size(), content - kMagic.size());
  auto impl = std::make_unique<Impl>();
  impl->documents = take<std::uint64_t>(left);
  impl->rest = take<std::uint32_t>(left);
  const auto count = take<std::uint32_t>(left);
  const auto spelling = take<std::uint32_t>(left);
  if (count > kMostFeatures || spelling > kLongestSpelling ||
      left.size() != spelling + std::size_t{count} * (8 + 4))
    refuse("the document frequencies have another size than they say");
  impl->spelling = left.substr(0, spelling);
  left.remove_prefix(spelling);
  for (std::uint32_t i = 0; i < count; ++i) impl->features.push_back(take<std::uint64_t>(left));
  for (std::uint32_t i = 0; i < count; ++i) impl->frequencies.push_back(take<std::uint32_t>(left));
  try {
    impl->check();
    impl->fill();
    return share(std::move(impl));
  } catch (const Error& error) {
    throw Error(ErrorCode::kBadInput, Subject::file(std::string(where)), error.what());
  }
}

std::shared_ptr<const DocumentFrequencies> DocumentFrequencies::load(const std::string& path) {
  std::string bytes;
  if (const int error = read_whole(path, kMostBytes, bytes))
    throw Error(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kBadInput, Subject::file(path),
                fmt::format("the document frequencies cannot be read: {}", system_message(error)));
  try {
    return parse(bytes, path);
  } catch (const Error& error) {
    if (!bytes.starts_with(kMagic)) throw;
    throw Error(ErrorCode::kCorrupt, Subject::file(path), error.detail());
  }
}

std::shared_ptr<const DocumentFrequencies> DocumentFrequencies::find(std::string_view mark) {
  return Registry::the().find(mark);
}

std::string DocumentFrequencies::bytes() const { return impl_->bytes(); }
const std::string& DocumentFrequencies::mark() const noexcept { return impl_->mark; }
const std::string& DocumentFrequencies::features() const noexcept { return impl_->spelling; }
std::string DocumentFrequencies::weighed() const {
  FeatureSpec out = FeatureSpec::parse(features());
  out.tf_idf = true;
  return out.str();
}

std::uint64_t DocumentFrequencies::documents() const noexcept { return impl_->documents; }
std::uint32_t DocumentFrequencies::rest() const noexcept { return impl_->rest; }
std::size_t DocumentFrequencies::size() const noexcept { return impl_->features.size(); }

bool DocumentFrequencies::fits(const FeatureSpec& weighed) const {
  FeatureSpec counted = weighed;
  counted.tf_idf = false;
  return weighed.tf_idf && counted.str() == features();
}

std::size_t use_frequencies(std::span<const std::shared_ptr<const DocumentFrequencies>> all,
                            std::span<FeatureSpec* const> features) {
  std::size_t first_unused = all.size();
  for (std::size_t i = all.size(); i-- > 0;) {
    bool is_used = false;
    for (FeatureSpec* const one : features) {
      if (!one->frequencies && all[i]->fits(*one)) one->frequencies = all[i];
      is_used |= one->frequencies == all[i];
    }
    if (!is_used) first_unused = i;
  }
  return first_unused;
}

std::uint32_t DocumentFrequencies::frequency(std::uint64_t feature) const noexcept {
  const std::size_t place = impl_->place(feature);
  return place == impl_->features.size() ? impl_->rest : impl_->frequencies[place];
}

std::uint64_t DocumentFrequencies::weight(std::uint64_t feature) const noexcept {
  const std::size_t place = impl_->place(feature);
  return place == impl_->features.size() ? impl_->weight_of_rest : impl_->weights[place];
}

}  // namespace benzer
