// Turns attributes into the bytes that a store keeps, and decides by them which documents a query
// is about.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/attributes.h"
#include "benzer/schema.h"

#include "base/utc_time.h"
#include "store/store.h"

namespace benzer {

// A value of an attribute, as values of one kind are compared.
struct AttributeValue {
  std::string_view string;  // of a string
  double number = 0;        // of a number
  std::int64_t whole = 0;   // microseconds of a time; 1 and 0 for true and false
};

// Reads the values of the attributes of a schema, and writes them. Threads: immutable.
//
// Bytes: the time of expiry, then for each attribute that is there, ascending, its number in one
// byte and its value: two bytes of length and a string, or 8 bytes of a number or time, or a byte
// of a boolean. No bytes if there is no attribute.
class AttributeCodec {
 public:
  static constexpr UtcTime kNever = std::numeric_limits<UtcTime>::max();

  explicit AttributeCodec(const Schema& schema);

  // Returns what is wrong with the attributes, as a sentence; empty if nothing is. `out` receives
  // their bytes. now: a document without expires_at expires the schema's ttl later; absent: it
  // never does.
  std::string encode(const std::vector<Attribute>& attributes, std::optional<UtcTime> now,
                     std::string& out) const;
  // Returns the attributes; of damaged bytes those in front of the damage.
  std::vector<Attribute> decode(std::string_view bytes) const;

  // Returns the sentence that says what is wrong with a change; empty if nothing is. `bytes` are
  // those of the document, and become those with the attributes that are set and without the others
  // that are named.
  std::string change(const std::vector<Attribute>& set, const std::vector<std::string>& removed,
                     std::string& bytes) const;

  // Whether documents may expire, and when one does; perhaps kNever.
  bool may_expire() const noexcept { return expiry_.has_value(); }
  static UtcTime expiry(std::string_view bytes) noexcept;

  // Reads a value; nothing if it is not one of that kind.
  static std::optional<AttributeValue> read(AttributeKind kind, std::string_view text);
  const AttributeSpec& spec(std::size_t number) const noexcept {
    return schema_.attributes[number];
  }

  // Calls visit(number, value) for each attribute; returns false if the bytes are damaged.
  template <class Visit>
  bool for_each(std::string_view bytes, Visit visit) const;

 private:
  const Schema& schema_;
  std::optional<std::size_t> expiry_;  // the number of expires_at
};

// Decides which documents a query is about: those that meet all conditions and have not expired
// when the filter is made. Without conditions these are the live documents. Threads: immutable.
class AttributeFilter {
 public:
  // Throws Error(kInvalidArgument) for a condition on an attribute that the schema does not have,
  // and for a value of another kind.
  explicit AttributeFilter(const Schema& schema, const std::vector<Condition>& conditions = {});

  // False if all documents pass.
  bool is_needed() const noexcept { return !tests_.empty() || codec_.may_expire(); }
  bool passes(StoreReader& reader, DocumentNumber document) const {
    return !is_needed() || passes(reader.attributes(document));
  }
  bool passes(std::string_view bytes) const;
  const AttributeCodec& codec() const noexcept { return codec_; }

 private:
  struct Test {
    std::size_t attribute;
    Condition::Operator compare;
    std::vector<std::string> texts;
    std::vector<AttributeValue> values;
  };
  bool meets(const Test& test, const AttributeValue& value) const;

  AttributeCodec codec_;
  UtcTime now_ = utc_now();
  std::vector<Test> tests_;
};

}  // namespace benzer
