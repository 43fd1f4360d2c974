// What computes the features and sketches of benzer::research, which is a library of its own.
//
// The grammar of configurations knows their names, so that a store or a file that was made with
// them can be named in a message. The functions behind the names come from here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "benzer/config.h"
#include "benzer/features.h"

namespace benzer::internal {

// Fills the slots of the sketches whose functions are drawn (SketchSpec::is_drawn).
// Threads: immutable; share freely.
class SlotFunctions {
 public:
  virtual ~SlotFunctions() = default;
  // As MinHasher::sketch.
  virtual void sketch(std::span<const std::uint64_t> features,
                      std::span<std::uint64_t> slots) const noexcept = 0;
};

// The rules of text:shingleN: shingles of a text as it is.
// Threads: immutable; share freely.
class RawTextRules {
 public:
  virtual ~RawTextRules() = default;
  // Writes what is shingled of the next piece of a text, and returns how many bytes that is: at
  // most as many as the piece has. after_white_space: whether the piece before it ended with white
  // space.
  virtual std::size_t append(std::string_view piece, bool& after_white_space, char* out) const = 0;
  // The feature of each window of n code points, which begin at the positions.
  virtual void hash_windows(const std::uint8_t* text, const std::uint32_t* positions,
                            std::size_t windows, std::size_t n, std::uint64_t* features) const = 0;
  // The same features by the definition, one step after the other, but for +bag.
  virtual TextTrace trace(std::string_view text) const = 0;
};

struct Extension {
  std::unique_ptr<const SlotFunctions> (*slot_functions)(const SketchSpec& sketch);
  std::unique_ptr<const RawTextRules> (*raw_text_rules)(const FeatureSpec& features);
};

// extension: must live as long as the program.
void register_extension(const Extension& extension) noexcept;
bool has_extension() noexcept;
// Throws Error(kInvalidArgument), which names what was asked for, as "the sketch linear:128", if
// nothing is registered.
const Extension& extension_for(std::string_view what);

}  // namespace benzer::internal
