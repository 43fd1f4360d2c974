// Reads and writes the spellings of sketches and bands.
#include <limits>

#include <fmt/ranges.h>

#include "benzer/config.h"

#include "features/config_text.h"
#include "features/extension.h"

namespace benzer {
namespace {

using namespace internal;

constexpr int kMaxSlots = 4096;

struct SchemeName {
  SketchSpec::Scheme scheme;
  std::string_view name;
};
constexpr SchemeName kSchemes[] = {{SketchSpec::Scheme::kFss, "fss"},
                                   {SketchSpec::Scheme::kKperm, "kperm"},
                                   {SketchSpec::Scheme::kLinear, "linear"},
                                   {SketchSpec::Scheme::kModPrime, "mod-prime"},
                                   {SketchSpec::Scheme::kMultiplyShift, "multiply-shift"},
                                   {SketchSpec::Scheme::kJavaRandom, "java-random"},
                                   {SketchSpec::Scheme::kBottomK, "bottomk"},
                                   {SketchSpec::Scheme::kSingle, "single"}};

const SchemeName* scheme_of(std::string_view part) {
  for (const SchemeName& row : kSchemes)
    if (part.starts_with(row.name) && part.substr(row.name.size()).starts_with(':')) return &row;
  return nullptr;
}

}  // namespace

namespace internal {

bool is_sketch(std::string_view part) { return scheme_of(part) != nullptr; }

std::string sketch_names() {
  std::vector<std::string> names;
  for (const SchemeName& row : kSchemes)
    if (has_extension() || !SketchSpec{row.scheme}.is_drawn())
      names.push_back(std::string(row.name) + ":SLOTS");
  const std::string last = std::move(names.back());
  names.pop_back();
  return fmt::format("{} and {}", fmt::join(names, ", "), last);
}

void check_bands(const SketchSpec& sketch, const Banding& banding) {
  if (!sketch.has_positions() && banding != Banding{sketch.slots, 1})
    fail(
        "the values of the sketch {} have no positions, and so no bands: every one is a key of its "
        "own; leave out the bands {}",
        sketch.str(), banding.str());
}

void check_sketch(const SketchSpec& sketch, const FeatureSpec& features) {
  // Programs may set what they like; parse() refuses numbers of slots that are not allowed.
  if (SketchSpec::parse(sketch.str()) != sketch)
    fail("the sketch {} has a seed or a maximum, which it does not take", sketch.str());
  if (features.is_weighted() && sketch.scheme != SketchSpec::Scheme::kFss)
    fail("the features {} have weights, which the sketch {} cannot read: take fss:{}",
         features.str(), sketch.str(), sketch.slots);
}

}  // namespace internal

SketchSpec SketchSpec::parse(std::string_view text) {
  const std::string_view whole = trim(text);
  const std::vector<std::string_view> parts = split(whole, '+');
  const SchemeName* row = scheme_of(parts[0]);
  if (row == nullptr)
    fail("the sketch {} is unknown; allowed are {} (SLOTS from 1 to {})", in_quotes(whole),
         sketch_names(), kMaxSlots);
  SketchSpec spec;
  spec.scheme = row->scheme;
  if (spec.is_drawn()) extension_for(fmt::format("the sketch {}", in_quotes(whole)));
  const auto slots = read_number(parts[0].substr(row->name.size() + 1), 1, kMaxSlots);
  if (!slots) {
    fail("the sketch {} needs a number of slots from 1 to {}, as in {}:128", in_quotes(whole),
         kMaxSlots, row->name);
  }
  spec.slots = *slots;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    std::string_view modifier = parts[i];
    bool repeated = false;
    if (modifier == "max" && spec.is_drawn() && spec.has_positions()) {
      repeated = spec.maximum;
      spec.maximum = true;
    } else if (spec.is_drawn() && take_prefix(modifier, "seed:")) {
      // The random generator of .NET takes no larger seed.
      const std::uint64_t most = spec.scheme == Scheme::kMultiplyShift
                                     ? std::numeric_limits<std::int32_t>::max()
                                     : std::numeric_limits<std::uint64_t>::max();
      repeated = spec.seed.has_value();
      spec.seed = read_number<std::uint64_t>(modifier, 0, most);
      if (!spec.seed)
        fail("the seed {} of the sketch {} is not a whole number from 0 to {}", in_quotes(modifier),
             in_quotes(whole), most);
    } else {
      if (!spec.is_drawn())
        fail(
            "the sketch {} has a modifier {}; allowed is none (another seed goes with the "
            "features)",
            in_quotes(whole), in_quotes(parts[i]));
      fail("the modifier {} is not one of {}, which the sketch {} can have", in_quotes(parts[i]),
           spec.has_positions() ? "+max and +seed:NUMBER" : "+seed:NUMBER", in_quotes(parts[0]));
    }
    if (repeated)
      fail("the modifier {} of the sketch {} is given twice; once is allowed", in_quotes(parts[i]),
           in_quotes(whole));
  }
  // A sketch has one spelling, so a seed that is the default is not kept.
  SketchSpec plain = spec;
  plain.seed.reset();
  if (spec.seed == plain.seed_or_default()) spec.seed.reset();
  return spec;
}

std::string SketchSpec::str() const {
  std::string out;
  for (const SchemeName& row : kSchemes)
    if (row.scheme == scheme) out = fmt::format("{}:{}", row.name, slots);
  if (maximum) out += "+max";
  if (seed) out += fmt::format("+seed:{}", *seed);
  return out;
}

std::uint64_t SketchSpec::seed_or_default() const noexcept {
  return seed.value_or(scheme == Scheme::kJavaRandom      ? 1337
                       : scheme == Scheme::kMultiplyShift ? 10
                                                          : 0);
}

Banding parse_banding(std::string_view text) {
  const std::string_view part = trim(text);
  std::string_view rest = part;
  take_prefix(rest, "bands:");
  const std::vector<std::string_view> sides = split(rest, 'x');
  std::optional<int> bands;
  std::optional<int> rows;
  if (sides.size() == 2) {
    bands = read_number(sides[0], 1, kMaxSlots);
    rows = read_number(sides[1], 1, kMaxSlots);
  }
  if (!bands || !rows) {
    fail("the bands {} are not of the form BANDSxROWS, as in 16x6, with numbers from 1 to {}",
         in_quotes(part), kMaxSlots);
  }
  const Banding banding{*bands, *rows};
  if (banding.slots() > kMaxSlots) {
    fail("the bands {} use {} slots; a signature has at most {}", in_quotes(part), banding.slots(),
         kMaxSlots);
  }
  return banding;
}

}  // namespace benzer
