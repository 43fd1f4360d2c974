#include "features/text_rules.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <utility>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "features/config_text.h"
#include "features/scan.h"

namespace benzer::internal {
namespace {

constexpr std::size_t kLongestRuleName = 64;
constexpr std::size_t kLongestVersion = 32;
constexpr std::string_view kAllowedNames =
    "1 to 64 lower-case letters, digits, - and _, of which the first is a letter and the last is "
    "no digit";

// How many pieces a text may have, and how many bytes they may have together.
constexpr std::size_t kPiecesPerByte = 16, kMorePieces = 1024;
constexpr std::size_t kBytesPerByte = 64, kMoreBytes = 65'536;
// The number of features of a document must fit into 32 bits.
constexpr std::size_t kMostPieces = kMaxTextBytes;

constexpr std::size_t kPiecesBetweenStops = 4096;

constexpr std::size_t kShownBytes = 40;  // of the text, in messages

bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_version(std::string_view version) {
  return !version.empty() && version.size() <= kLongestVersion &&
         std::ranges::all_of(version, [](char c) {
           return is_lower(c) || (c >= 'A' && c <= 'Z') || is_digit(c) || c == '.' || c == '-' ||
                  c == '_';
         });
}

// The rules of this process. They are never removed, so that a spelling stays valid.
class Registry {
 public:
  void add(std::shared_ptr<const NamedTextRule> rule) {
    const std::lock_guard lock(mutex_);
    const auto [at, is_new] = rules_.try_emplace(rule->name, rule);
    if (!is_new)
      fail("the text rule {} is registered already, with the version {}: take another name",
           in_quotes(rule->name), at->second->version);
  }

  std::shared_ptr<const NamedTextRule> find(std::string_view name) const {
    const std::lock_guard lock(mutex_);
    const auto found = rules_.find(name);
    return found == rules_.end() ? nullptr : found->second;
  }

  std::string names() const {
    const std::lock_guard lock(mutex_);
    std::string out;
    for (const auto& rule : rules_) out += ", own:" + rule.first;
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<const NamedTextRule>, std::less<>> rules_;
};

Registry& registry() {
  static Registry all;
  return all;
}

// Checks the pieces of one text against the limits.
class PieceChecker {
 public:
  explicit PieceChecker(std::string_view text) : text_(text) {}

  // Returns what the rule did wrong; empty if nothing.
  std::string add(std::string_view piece, std::size_t begin, std::size_t end) {
    if (begin > end || end > text_.size() || begin < begin_ || end < end_)
      return fmt::format(
          "it gives a piece the place [{}, {}) after [{}, {}); neither number may go down, and "
          "none is above the {} bytes of the text",
          begin, end, begin_, end_, text_.size());
    begin_ = begin;
    end_ = end;
    const std::size_t most = std::min(kPiecesPerByte * text_.size() + kMorePieces, kMostPieces);
    if (++pieces_ > most)
      return fmt::format(
          "it makes more than {} pieces of {} bytes; allowed are {} for each byte and {} more, and "
          "at most {}",
          most, text_.size(), kPiecesPerByte, kMorePieces, kMostPieces);
    bytes_ += piece.size();
    if (bytes_ > kBytesPerByte * text_.size() + kMoreBytes)
      return fmt::format(
          "it makes pieces with more than {} bytes of {} bytes; allowed are {} for each byte and "
          "{} more",
          kBytesPerByte * text_.size() + kMoreBytes, text_.size(), kBytesPerByte, kMoreBytes);
    return {};
  }

  std::size_t pieces() const noexcept { return pieces_; }

 private:
  std::string_view text_;
  std::size_t begin_ = 0, end_ = 0;
  std::size_t pieces_ = 0, bytes_ = 0;
};

// Passes through a rule when its text is to be cut no further.
class CutEnded : public std::exception {
 public:
  const char* what() const noexcept override { return "the text is to be cut no further"; }
};

[[noreturn]] void fail_for(const NamedTextRule& named, std::string_view text,
                           std::string_view problem) {
  throw Error(ErrorCode::kBadInput,
              fmt::format("the text rule {} (version {}) fails on a text that begins with {}: {}",
                          in_quotes(named.name), named.version,
                          in_quotes(text.substr(0, kShownBytes)), problem));
}

}  // namespace

std::shared_ptr<const NamedTextRule> find_text_rule(std::string_view name) {
  return registry().find(name);
}

std::shared_ptr<const NamedTextRule> text_rule(std::string_view name, std::string_view whole) {
  std::shared_ptr<const NamedTextRule> found = find_text_rule(name);
  if (found == nullptr)
    fail(
        "features {} need the text rule {}, which this program does not have: a program in C++ "
        "registers its rules with register_text_rule() (benzer/text_rule.h), and the command line "
        "and the server have none",
        in_quotes(whole), in_quotes(name));
  return found;
}

bool is_text_rule_name(std::string_view name) noexcept {
  return !name.empty() && name.size() <= kLongestRuleName && is_lower(name.front()) &&
         !is_digit(name.back()) && std::ranges::all_of(name, [](char c) {
           return is_lower(c) || is_digit(c) || c == '-' || c == '_';
         });
}

std::string_view allowed_text_rule_names() noexcept { return kAllowedNames; }

std::string registered_text_rules() { return registry().names(); }

// What take() throws must not be lost if the rule catches it, and must not be taken for a failure
// of the rule.
void cut_by_rule(const NamedTextRule& named, std::string_view text, const std::atomic<bool>* stop,
                 const PieceVisitor& take) {
  check_text_size(text.size());
  throw_if_stopped(stop);
  PieceChecker checker(text);
  std::string problem;
  std::exception_ptr ended;
  const auto goes_on = [&] { return problem.empty() && ended == nullptr; };
  const auto visit = [&](std::string_view piece, std::size_t begin, std::size_t end) {
    if (goes_on()) problem = checker.add(piece, begin, end);
    if (!goes_on()) throw CutEnded();
    try {
      if (checker.pieces() % kPiecesBetweenStops == 0) throw_if_stopped(stop);
      if (!piece.empty()) take(piece, begin, end);
    } catch (...) {
      ended = std::current_exception();
      throw CutEnded();
    }
  };
  try {
    named.rule->cut(text, visit);
  } catch (const std::bad_alloc&) {
    if (goes_on()) throw;
  } catch (const std::exception& error) {
    if (goes_on()) problem = fmt::format("it throws {}", in_quotes(error.what()));
  } catch (...) {
    if (goes_on()) problem = "it throws something that is no std::exception";
  }
  if (ended) std::rethrow_exception(ended);
  if (!problem.empty()) fail_for(named, text, problem);
}

}  // namespace benzer::internal

namespace benzer {

void register_text_rule(std::string_view name, std::string_view version,
                        std::shared_ptr<const TextRule> rule) {
  using namespace internal;
  if (!is_text_rule_name(name))
    fail("the name {} of a text rule is not allowed: give {}", in_quotes(name),
         allowed_text_rule_names());
  if (!is_version(version))
    fail(
        "the version {} of the text rule {} is not allowed: give 1 to {} letters, digits, ., - "
        "and _",
        in_quotes(version), in_quotes(name), kLongestVersion);
  if (rule == nullptr) fail("the text rule {} is null: give a rule", in_quotes(name));
  registry().add(std::make_shared<const NamedTextRule>(
      NamedTextRule{std::string(name), std::string(version), std::move(rule)}));
}

}  // namespace benzer
