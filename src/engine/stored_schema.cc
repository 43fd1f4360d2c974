#include "engine/stored_schema.h"

#include <algorithm>
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

// Returns the different marks of +tf-idf@MARK in the features of all fields, in their order.
std::vector<std::string_view> marks_in(std::string_view spelling) {
  std::vector<std::string_view> out;
  for (const std::string_view part : internal::split(spelling, '|')) {
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view features = internal::split(part.substr(equals + 1), ';')[0];
    for (std::string_view modifier : internal::split(features, '+')) {
      modifier = internal::trim(modifier);
      if (internal::take_prefix(modifier, "tf-idf@") &&
          std::find(out.begin(), out.end(), modifier) == out.end())
        out.push_back(modifier);
    }
  }
  return out;
}

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

// Only what is stored with the spelling counts, and not what else is known in this process.
Schema read_stored_schema(std::string_view text, const std::string& where) {
  const auto fail_corrupt = [&](const ErrorText& problem) {
    throw Error(ErrorCode::kCorrupt, Subject::index(where), problem);
  };
  const std::vector<std::string_view> parts = internal::split(text, kBetween);
  const std::vector<std::string_view> marks = marks_in(parts[0]);
  if (parts.size() - 1 != marks.size() || marks.size() > Schema::kMostFields)
    fail_corrupt(fmt::format("its schema names {} document frequencies and holds {}: it is damaged",
                             marks.size(), parts.size() - 1));
  std::vector<std::shared_ptr<const DocumentFrequencies>> known;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const auto bytes = decode_base64(parts[i + 1]);
    if (!bytes) fail_corrupt("the document frequencies in its schema are damaged");
    try {
      known.push_back(DocumentFrequencies::parse(*bytes, where));
    } catch (const Error& error) {
      fail_corrupt(error.detail());
    }
    if (known.back()->mark() != marks[i])
      fail_corrupt(
          fmt::format("its schema names the document frequencies {} and holds {}: it is "
                      "damaged",
                      internal::in_quotes(marks[i]), known.back()->mark()));
  }
  return Schema::parse(parts[0]).completed();
}

}  // namespace benzer
