#include "engine/stored_schema.h"

#include <memory>
#include <set>
#include <vector>

#include "benzer/error.h"
#include "benzer/features.h"
#include "benzer/internal/base64.h"

#include "features/config_text.h"

namespace benzer {
namespace {

constexpr char kBetween = '\t';  // no spelling has one

}  // namespace

std::string stored_schema(const Schema& completed) {
  std::string out = completed.str();
  std::set<const DocumentFrequencies*> written;
  for (const FieldSpec& field : completed.fields) {
    const DocumentFrequencies* const frequencies = field.features.frequencies.get();
    if (frequencies && written.insert(frequencies).second)
      out += kBetween + encode_base64(frequencies->bytes());
  }
  return out;
}

// Reading frequencies makes them known, so that the spelling can name them.
Schema read_stored_schema(std::string_view text, const std::string& where) {
  const std::vector<std::string_view> parts = internal::split(text, kBetween);
  std::vector<std::shared_ptr<const DocumentFrequencies>> known;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto bytes = decode_base64(parts[i]);
    if (!bytes)
      throw Error(ErrorCode::kCorrupt, Subject::index(where),
                  "the document frequencies in its schema are damaged");
    try {
      known.push_back(DocumentFrequencies::parse(*bytes, where));
    } catch (const Error& error) {
      throw Error(ErrorCode::kCorrupt, Subject::index(where), error.detail());
    }
  }
  return Schema::parse(parts[0]).completed();
}

}  // namespace benzer
