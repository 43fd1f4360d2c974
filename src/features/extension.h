// Connects the features and sketches of benzer::research, a library of its own, to this one.
//
// The grammar of configurations knows their names, so that messages can name an index or a file
// that was made with them. benzer::research registers the functions that compute them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "benzer/config.h"
#include "benzer/features.h"

namespace benzer::internal {

// Fills the slots of the sketches whose functions are drawn at random (SketchSpec::is_drawn).
// Threads: immutable; share freely.
class SlotFunctions {
 public:
  virtual ~SlotFunctions() = default;
  // Does what MinHasher::sketch does.
  virtual void sketch(std::span<const std::uint64_t> features,
                      std::span<std::uint64_t> slots) const noexcept = 0;
};

// The rules of text:shingleN, which shingles a text without normalising it.
// Threads: immutable; share freely.
class RawTextRules {
 public:
  virtual ~RawTextRules() = default;
  // Writes the part of the next piece of a text that is shingled, and returns its bytes: at most as
  // many as the piece has. after_white_space: whether the piece before ended with white space; it
  // is set for the next one.
  virtual std::size_t append(std::string_view piece, bool& after_white_space, char* out) const = 0;
  // Computes the feature of each window of n code points. Window i is the bytes [positions[i],
  // positions[i + n]).
  virtual void hash_windows(const std::uint8_t* text, const std::uint32_t* positions,
                            std::size_t windows, std::size_t n, std::uint64_t* features) const = 0;
  // Returns the same features by the definition, one step after the other, without +bag.
  virtual TextTrace trace(std::string_view text) const = 0;
};

struct Extension {
  std::unique_ptr<const SlotFunctions> (*slot_functions)(const SketchSpec& sketch);
  std::unique_ptr<const RawTextRules> (*raw_text_rules)(const FeatureSpec& features);
};

// The extension must live until the program ends.
void register_extension(const Extension& extension) noexcept;
bool has_extension() noexcept;
// Returns the registered extension. Throws Error(kInvalidArgument) if there is none; its sentence
// begins with `what`, such as "the sketch linear:128".
const Extension& extension_for(std::string_view what);

}  // namespace benzer::internal
