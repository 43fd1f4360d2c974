#include "store/disk/log_record.h"

#include "benzer/error.h"

#include "base/record_log.h"
#include "store/sampled_keys.h"

namespace benzer {

std::string LogRecord::payload(std::uint64_t number, std::uint64_t synced, bool is_removal,
                               const DocumentHashes& document) {
  std::string out;
  FieldWriter fields(out);
  fields.number(number);
  fields.number(synced);
  fields.text(document.id);
  if (is_removal) return out;
  fields.number(document.fields.size());
  for (const FieldHashes& field : document.fields) {
    fields.number(field.field);
    fields.list(field.features);
    fields.list(field.keys);
    fields.list(field.cut);
  }
  if (!document.attributes.empty()) fields.text(document.attributes);
  return out;
}

bool LogRecord::parse(std::uint32_t kind, std::string_view payload, const HashLayout& layout) {
  try {
    return parse_document(kind, payload, layout);
  } catch (const Error&) {
    return false;  // one of its lengths is too large
  }
}

bool LogRecord::parse_document(std::uint32_t kind, std::string_view payload,
                               const HashLayout& layout) {
  FieldReader fields(payload);
  number = fields.number();
  synced = fields.number();
  document.id = fields.text();
  document.fields.clear();
  document.attributes.clear();
  if (kind != kPut && kind != kRemoval) return false;
  if (document.id.empty() || document.id.size() > kLongestId) return false;
  is_removal = kind == kRemoval;
  if (is_removal) return fields.at_end();
  const std::uint64_t count = fields.number();
  for (std::uint64_t i = 0; i < count; ++i) {
    FieldHashes& field = document.fields.emplace_back();
    const std::uint64_t place = fields.number();
    if (place >= layout.fields || (i > 0 && place <= document.fields[i - 1].field)) return false;
    field.field = static_cast<std::uint32_t>(place);
    fields.list(field.features);
    fields.list(field.keys);
    fields.list(field.cut);
    if (field.features.empty() || field.cut.size() != layout.cut_bytes()) return false;
    if (layout.sampling ? field.keys != sampled_keys(field.features, *layout.sampling)
                        : field.keys.size() != layout.bands)
      return false;
  }
  if (layout.attributes && !fields.at_end()) document.attributes = fields.text();
  return fields.at_end() && document.attributes.size() <= kLongestAttributes;
}

}  // namespace benzer
