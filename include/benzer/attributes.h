// Attributes: what an index keeps of a document beside its hashes, such as a language, a price or a
// date. They are declared in the schema, returned with matches, and a query can be limited to
// documents with some of them.
//
//     const benzer::Schema schema =
//         benzer::Schema::parse("text=text:word5 | lang=string | price=number | min:0.7");
//     benzer::Document document{"a", {benzer::Field::of_text("text", "A storm hit the coast")}};
//     document.attributes = {{"lang", "en"}, {"price", "9.50"}};
//     benzer::SimilarOptions options;
//     options.where = {benzer::Condition::parse("lang in en,de"),
//                      benzer::Condition::parse("price < 10")};
//
// An attribute with the name expires_at is the moment from which on the document is as if it were
// not there. Threads: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace benzer {

// What the values of an attribute are.
enum class AttributeKind {
  // UTF-8, compared by its bytes.
  kString,
  // A double; infinite ones and NaN are not allowed.
  kNumber,
  // A moment, in microseconds: "2026-11-22" or "2026-11-22T21:03:00.5+01:00" (RFC 3339), from the
  // year 1 to 9999. Returned in UTC.
  kTime,
  // "true" or "false".
  kBoolean,
};

// An attribute of a schema, spelled "lang=string", "price=number", "seen=time" or "live=boolean".
struct AttributeSpec {
  // The attribute that says when a document expires; its kind must be kTime.
  static constexpr std::string_view kExpiry = "expires_at";

  // 1 to 64 letters, digits, '_', '-' and '.' of ASCII.
  std::string name;
  AttributeKind kind = AttributeKind::kString;
  // Only for expires_at, spelled "expires_at=time;ttl=30d": how many seconds after it was put in a
  // document expires that does not have the attribute; 0: never. Units are s, m, h and d; at most
  // 36,500 days.
  std::int64_t ttl_seconds = 0;

  // Returns whether a part of a schema, such as "lang=string", is an attribute and not a field.
  static bool is_one(std::string_view part);
  // Reads the spelling. Throws Error(kInvalidArgument) that says what is allowed.
  static AttributeSpec parse(std::string_view text);
  std::string str() const;
  friend bool operator==(const AttributeSpec&, const AttributeSpec&) = default;
};

// Reads a length of time such as "90s", "15m", "12h" or "30d". Returns seconds, from 1 second to
// 36,500 days. Throws Error(kInvalidArgument).
std::int64_t parse_ttl(std::string_view text);

// The attribute of a document: its name in the schema, and its value as text.
struct Attribute {
  std::string name;
  // A string as it is, and other kinds as described there. The index returns numbers with the
  // fewest digits that give the same double.
  std::string value;
  // Set by the index in what it returns; ignored in what it takes.
  AttributeKind kind = AttributeKind::kString;
  friend bool operator==(const Attribute&, const Attribute&) = default;
};

// A change of a document's attributes.
struct AttributeChange {
  // The id of the document.
  std::string id;
  // Attributes that get a value.
  std::vector<Attribute> set;
  // The names of attributes that are removed.
  std::vector<std::string> removed = {};
};

// Which documents of an index have expired.
struct ExpiredDocuments {
  // Their ids, in no particular order.
  std::vector<std::string> ids;
  // When the next document expires: microseconds since 1970 in UTC; absent if none does.
  std::optional<std::int64_t> next = {};
};

// A condition on one attribute, spelled
//   lang = en    lang != en    lang in en,de    price < 10    price <= 10    seen >= 2026-11-01
//
// Spaces around the operator do not count. A value in double quotes is read as JSON has strings, so
// that it may have a comma or spaces at its ends. A document without the attribute meets no
// condition on it, not even "!=".
struct Condition {
  // The values that all conditions of a query may have together.
  static constexpr std::size_t kMostValues = 10'000;
  enum class Operator { kEqual, kNotEqual, kLess, kLessOrEqual, kGreater, kGreaterOrEqual, kIn };

  std::string attribute;
  Operator compare = Operator::kEqual;
  // One value; for kIn one or more, of which one must be equal.
  std::vector<std::string> values;

  // Reads the spelling. Throws Error(kInvalidArgument) that says what is allowed, also for more
  // than kMostValues values. Whether the schema has the attribute, and values of that kind, is
  // checked by the query.
  static Condition parse(std::string_view text);
  std::string str() const;
  friend bool operator==(const Condition&, const Condition&) = default;
};

}  // namespace benzer
