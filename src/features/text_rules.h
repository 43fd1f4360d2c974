// Keeps the text rules that the program has registered, and cuts texts by them within limits.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "benzer/text_rule.h"

namespace benzer::internal {

struct NamedTextRule {
  std::string name, version;
  std::shared_ptr<const TextRule> rule;
};

// Returns null if no rule has the name.
std::shared_ptr<const NamedTextRule> find_text_rule(std::string_view name);
// Does the same, but throws Error(kInvalidArgument) if no rule has the name. whole: the spelling of
// the features, for the message.
std::shared_ptr<const NamedTextRule> text_rule(std::string_view name, std::string_view whole);

bool is_text_rule_name(std::string_view name) noexcept;
// What a name may be, for messages.
std::string_view allowed_text_rule_names() noexcept;
// Returns ", own:NAME" for each registered rule, for messages.
std::string registered_text_rules();

// Calls take() for each piece of a text that is not empty. Throws Error(kBadInput) if the rule
// fails or exceeds a limit, Error(kInterrupted) if `stop` (may be null) becomes true, and what
// take() throws, whether or not the rule lets it pass.
void cut_by_rule(const NamedTextRule& named, std::string_view text, const std::atomic<bool>* stop,
                 const PieceVisitor& take);

}  // namespace benzer::internal
