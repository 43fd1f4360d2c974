#include "io/arrow_column.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"

#include "base/file.h"
#include "base/number_text.h"
#include "base/utc_time.h"

namespace benzer {
namespace {

using Kind = ArrowType::Kind;

struct FormatRow {
  std::string_view format;
  Kind kind;
  std::size_t width;
  std::string_view name;
  bool has_sign = true;
};

// A format that ends with ':' has parameters behind it.
constexpr FormatRow kFormats[] = {
    {"n", Kind::kNull, 0, "null"},
    {"b", Kind::kBoolean, 0, "bool"},
    {"c", Kind::kInteger, 1, "int8"},
    {"C", Kind::kInteger, 1, "uint8", false},
    {"s", Kind::kInteger, 2, "int16"},
    {"S", Kind::kInteger, 2, "uint16", false},
    {"i", Kind::kInteger, 4, "int32"},
    {"I", Kind::kInteger, 4, "uint32", false},
    {"l", Kind::kInteger, 8, "int64"},
    {"L", Kind::kInteger, 8, "uint64", false},
    {"e", Kind::kOther, 2, "halffloat"},
    {"f", Kind::kFloat, 4, "float"},
    {"g", Kind::kFloat, 8, "double"},
    {"u", Kind::kText, 4, "string"},
    {"U", Kind::kText, 8, "large_string"},
    {"vu", Kind::kTextView, 0, "string_view"},
    {"z", Kind::kText, 4, "binary"},
    {"Z", Kind::kText, 8, "large_binary"},
    {"vz", Kind::kTextView, 0, "binary_view"},
    {"tdD", Kind::kTime, 4, "date32"},
    {"tdm", Kind::kTime, 8, "date64"},
    {"tts", Kind::kOther, 4, "time32"},
    {"ttm", Kind::kOther, 4, "time32"},
    {"ttu", Kind::kOther, 8, "time64"},
    {"ttn", Kind::kOther, 8, "time64"},
    {"tDs", Kind::kOther, 8, "duration"},
    {"tDm", Kind::kOther, 8, "duration"},
    {"tDu", Kind::kOther, 8, "duration"},
    {"tDn", Kind::kOther, 8, "duration"},
    {"tiM", Kind::kOther, 4, "interval"},
    {"tiD", Kind::kOther, 8, "interval"},
    {"tin", Kind::kOther, 16, "interval"},
    {"tss:", Kind::kTime, 8, "timestamp"},
    {"tsm:", Kind::kTime, 8, "timestamp"},
    {"tsu:", Kind::kTime, 8, "timestamp"},
    {"tsn:", Kind::kTime, 8, "timestamp"},
    {"+l", Kind::kList, 4, "list"},
    {"+L", Kind::kList, 8, "large_list"},
    {"+m", Kind::kList, 4, "map"},
    {"+w:", Kind::kFixedList, 0, "fixed_size_list"},
    {"+s", Kind::kStruct, 0, "struct"},
    {"+vl", Kind::kOther, 0, "list_view"},
    {"+vL", Kind::kOther, 0, "large_list_view"},
    {"+r", Kind::kOther, 0, "run_end_encoded"},
    {"+ud:", Kind::kOther, 0, "union"},
    {"+us:", Kind::kOther, 0, "union"},
    {"w:", Kind::kOther, 0, "fixed_size_binary"},
    {"d:", Kind::kDecimal, 16, "decimal"},
};

std::int64_t ticks_of(std::string_view format) {
  if (format == "tdD") return 0;
  if (format == "tdm") return 1'000;
  constexpr std::string_view kUnits = "smun";
  std::int64_t ticks = 1;
  for (std::size_t unit = kUnits.find(format[2]); unit > 0; --unit) ticks *= 1'000;
  return ticks;
}

// Reads "PRECISION,SCALE" or "PRECISION,SCALE,BITS" into a type of decimals.
void read_decimal(std::string_view parameters, ArrowType& out) {
  int numbers[3] = {0, 0, 128};
  const char* at = parameters.data();
  const char* const end = at + parameters.size();
  int count = 0;
  while (count < 3) {
    const auto [stop, error] = std::from_chars(at, end, numbers[count]);
    if (error != std::errc()) break;
    ++count;
    at = stop;
    if (at == end || *at != ',') break;
    ++at;
  }
  out.scale = numbers[1];
  out.width = static_cast<std::size_t>(numbers[2]) / 8;
  const bool is_known =
      numbers[2] == 32 || numbers[2] == 64 || numbers[2] == 128 || numbers[2] == 256;
  constexpr int kMostScale = 127;
  if (count < 2 || at != end || !is_known || std::abs(out.scale) > kMostScale)
    out.kind = Kind::kOther;
}

// Returns how many buffers an array of this type has at least.
std::int64_t buffers_of(const ArrowType& type) {
  switch (type.kind) {
    case Kind::kNull:
      return 0;
    case Kind::kStruct:
    case Kind::kFixedList:
      return 1;
    case Kind::kBoolean:
    case Kind::kInteger:
    case Kind::kFloat:
    case Kind::kDecimal:
    case Kind::kTime:
    case Kind::kList:
      return 2;
    case Kind::kText:
      return 3;
    case Kind::kTextView:
      return 3;
    case Kind::kOther:
      return 0;
  }
  return 0;
}

// The layout of a value of a view: short texts are in it, others in one of the data buffers.
struct View {
  std::int32_t size;
  char prefix[4];
  std::int32_t buffer;
  std::int32_t offset;
};
static_assert(sizeof(View) == 16);
constexpr std::int32_t kInline = 12;

constexpr std::int64_t kSecondsOfDay = 86'400;

Number seconds(std::int64_t ticks, std::int64_t per_second) {
  if (per_second == 0) return ticks * kSecondsOfDay;  // days have 32 bits
  int digits = 0;
  for (; per_second > 1; per_second /= 10) ++digits;
  return Number::in(fmt::format("{}e-{}", ticks, digits));
}
constexpr std::int64_t kMicroseconds = 1'000'000;  // of a second

std::int32_t take_int32(const char*& at) {
  std::int32_t out = 0;
  std::memcpy(&out, at, sizeof out);
  at += sizeof out;
  return out;
}

// Returns the name of the extension type in the metadata of a field, or nothing. Metadata is the
// number of pairs, then the keys and values, each after its length.
std::string_view extension_in(const char* metadata) {
  if (!metadata) return {};
  const auto take_text = [&] {
    const auto size = static_cast<std::size_t>(std::max(take_int32(metadata), 0));
    const std::string_view out(metadata, size);
    metadata += size;
    return out;
  };
  for (std::int32_t pairs = take_int32(metadata); pairs > 0; --pairs) {
    const std::string_view key = take_text(), value = take_text();
    if (key == "ARROW:extension:name") return value;
  }
  return {};
}

}  // namespace

ArrowType ArrowType::of(const ArrowSchema& schema) {
  ArrowType out;
  const std::string_view format = schema.format ? schema.format : "";
  out.name = schema.name ? schema.name : "";
  out.format = format;
  out.spelled = "of the format '" + std::string(format) + "'";
  for (const FormatRow& row : kFormats) {
    if (row.format.ends_with(':') ? !format.starts_with(row.format) : format != row.format)
      continue;
    out.kind = row.kind;
    out.width = row.width;
    out.has_sign = row.has_sign;
    out.spelled = row.name;
    out.is_map = row.name == "map";
    if (row.kind == Kind::kTime) out.ticks_per_second = ticks_of(format);
    if (row.kind == Kind::kDecimal) read_decimal(format.substr(row.format.size()), out);
    if (row.kind == Kind::kFixedList) {
      const std::string_view width = format.substr(row.format.size());
      std::int32_t number = -1;
      std::from_chars(width.data(), width.data() + width.size(), number);
      if (number < 0) out.kind = Kind::kOther;
      out.width = static_cast<std::size_t>(std::max(number, 0));
    }
  }
  out.has_group_names = extension_in(schema.metadata) == kGroupNames;
  for (std::int64_t i = 0; i < schema.n_children; ++i)
    out.children.push_back(of(*schema.children[i]));
  const std::size_t needed = out.kind == Kind::kList || out.kind == Kind::kFixedList ? 1 : 0;
  if (needed > out.children.size()) out.kind = Kind::kOther;
  if (needed > 0 && out.kind != Kind::kOther) out.spelled += "<" + out.children[0].spelled + ">";
  if (schema.dictionary) {
    out.dictionary = std::make_unique<ArrowType>(of(*schema.dictionary));
    out.spelled = "dictionary of " + out.dictionary->spelled;
    if (out.kind != Kind::kInteger || out.dictionary->dictionary) out.kind = Kind::kOther;
  }
  return out;
}

bool ArrowType::is_value_set() const noexcept {
  if (kind == Kind::kNull) return true;
  return (kind == Kind::kList || kind == Kind::kFixedList) && !is_map && children[0].is_text();
}

bool ArrowType::is_weighted_set() const noexcept {
  if (kind == Kind::kNull) return true;
  if (kind != Kind::kList || !is_map || children[0].kind != Kind::kStruct) return false;
  const std::vector<ArrowType>& entry = children[0].children;
  return entry.size() == 2 && entry[0].is_text() && entry[1].is_number();
}

ArrowColumn::ArrowColumn(const ArrowType& type, const ArrowArray& array)
    : type_(&type), array_(&array) {
  // The data of texts may be null if all are empty.
  const bool fits = array.length >= 0 && array.offset >= 0 && array.n_buffers >= buffers_of(type) &&
                    array.n_children >= static_cast<std::int64_t>(type.children.size()) &&
                    (!type.dictionary || array.dictionary) &&
                    (array.length == 0 || buffers_of(type) < 2 || array.buffers[1]);
  if (!fits)
    throw Error(ErrorCode::kBadInput,
                fmt::format("the column '{}' is damaged: it lacks buffers of its type, {}",
                            type.name, type.spelled));
}

void ArrowColumn::throw_damaged(std::int64_t row) const {
  throw Error(ErrorCode::kBadInput,
              fmt::format("the column '{}' is damaged at row {} of a batch: its offsets cannot be",
                          type_->name, row));
}

template <class T>
T ArrowColumn::at(std::size_t buffer, std::int64_t place) const noexcept {
  T value;  // buffers need not be aligned
  std::memcpy(&value,
              static_cast<const char*>(array_->buffers[buffer]) +
                  place * static_cast<std::int64_t>(sizeof(T)),
              sizeof value);
  return value;
}

std::int64_t ArrowColumn::integer(std::int64_t row) const noexcept {
  const std::int64_t place = array_->offset + shift_ + row;
  switch (type_->width) {
    case 1:
      return type_->has_sign ? at<std::int8_t>(1, place) : at<std::uint8_t>(1, place);
    case 2:
      return type_->has_sign ? at<std::int16_t>(1, place) : at<std::uint16_t>(1, place);
    case 4:
      return type_->has_sign ? at<std::int32_t>(1, place)
                             : static_cast<std::int64_t>(at<std::uint32_t>(1, place));
    default:
      return at<std::int64_t>(1, place);
  }
}

std::string_view ArrowColumn::bytes(std::int64_t row) const noexcept {
  const std::int64_t place = array_->offset + shift_ + row;
  const auto width = static_cast<std::int64_t>(type_->width);
  return {static_cast<const char*>(array_->buffers[1]) + place * width, type_->width};
}

std::int64_t ArrowColumn::offset_at(std::int64_t place) const noexcept {
  return type_->width == 4 ? at<std::int32_t>(1, place) : at<std::int64_t>(1, place);
}

bool ArrowColumn::is_null(std::int64_t row) const {
  if (type_->kind == Kind::kNull) return true;
  if (array_->null_count != 0 && array_->n_buffers > 0 && array_->buffers[0] != nullptr &&
      !bit(array_->buffers[0], array_->offset + shift_ + row))
    return true;
  if (!type_->dictionary) return false;
  const std::int64_t value = integer(row);
  if (value < 0 || value >= array_->dictionary->length) throw_damaged(row);
  return ArrowColumn(*type_->dictionary, *array_->dictionary).is_null(value);
}

std::string_view ArrowColumn::text(std::int64_t row) const {
  if (is_null(row)) return {};
  if (type_->dictionary)
    return ArrowColumn(*type_->dictionary, *array_->dictionary).text(integer(row));
  const std::int64_t place = array_->offset + shift_ + row;
  if (type_->kind == Kind::kText) {
    const std::int64_t begin = offset_at(place);
    const std::int64_t end = offset_at(place + 1);
    if (begin < 0 || end < begin) throw_damaged(row);
    if (begin == end) return {};
    if (array_->buffers[2] == nullptr) throw_damaged(row);
    return {static_cast<const char*>(array_->buffers[2]) + begin,
            static_cast<std::size_t>(end - begin)};
  }
  const auto* views = static_cast<const char*>(array_->buffers[1]) + place * 16;
  View view;
  std::memcpy(&view, views, sizeof view);
  if (view.size < 0) throw_damaged(row);
  if (view.size <= kInline) return {views + 4, static_cast<std::size_t>(view.size)};
  // The last buffer has the sizes of the data buffers.
  const std::int64_t data = array_->n_buffers - 3;
  if (view.buffer < 0 || view.buffer >= data || view.offset < 0) throw_damaged(row);
  const auto sizes = static_cast<std::size_t>(array_->n_buffers - 1);
  if (!array_->buffers[sizes] || !array_->buffers[2 + view.buffer]) throw_damaged(row);
  const auto size = at<std::int64_t>(sizes, view.buffer);
  if (std::int64_t{view.offset} + view.size > size) throw_damaged(row);
  return {static_cast<const char*>(array_->buffers[2 + view.buffer]) + view.offset,
          static_cast<std::size_t>(view.size)};
}

Number ArrowColumn::number(std::int64_t row) const {
  if (is_null(row)) return {};
  if (type_->kind == Kind::kFloat) return value(row);
  if (type_->kind == Kind::kDecimal) {
    std::string decimal;
    append_decimal(decimal, bytes(row), type_->scale);
    return Number::in(decimal);
  }
  const std::int64_t whole = integer(row);
  if (type_->kind == Kind::kTime) return seconds(whole, type_->ticks_per_second);
  return is_unsigned_64() ? Number(static_cast<std::uint64_t>(whole)) : Number(whole);
}

double ArrowColumn::value(std::int64_t row) const {
  if (is_null(row)) return std::numeric_limits<double>::quiet_NaN();
  const std::int64_t place = array_->offset + shift_ + row;
  if (type_->kind == Kind::kFloat)
    return type_->width == 4 ? double{at<float>(1, place)} : at<double>(1, place);
  if (type_->kind == Kind::kDecimal) return number(row).value();
  const std::int64_t whole = integer(row);
  return is_unsigned_64() ? static_cast<double>(static_cast<std::uint64_t>(whole))
                          : static_cast<double>(whole);
}

UtcTime ArrowColumn::time(std::int64_t row) const {
  const std::int64_t ticks = integer(row);
  const std::int64_t per_second = type_->ticks_per_second;
  UtcTime out = 0;
  bool fits = true;
  if (per_second <= kMicroseconds) {
    const std::int64_t unit =
        per_second == 0 ? kSecondsOfDay * kMicroseconds : kMicroseconds / per_second;
    fits = !__builtin_mul_overflow(ticks, unit, &out);
  } else {
    // Towards the past, as for times since 1970.
    const std::int64_t unit = per_second / kMicroseconds;
    out = ticks / unit - (ticks % unit < 0 ? 1 : 0);
  }
  if (fits && is_writable_utc_time(out)) return out;
  throw Error(ErrorCode::kBadInput,
              fmt::format("the column '{}' has a time outside the years 1 to 9999 at row {} of a "
                          "batch",
                          type_->name, row));
}

void ArrowColumn::append_moment(std::int64_t row, std::string& out) const {
  std::string text = utc_text(time(row));
  const std::int64_t unit = std::max<std::int64_t>(type_->ticks_per_second / kMicroseconds, 1);
  if (const std::int64_t rest = (integer(row) % unit + unit) % unit; rest > 0) {
    constexpr std::string_view kWhole = "1970-01-01T00:00:00.";
    text.pop_back();  // the Z
    if (text.size() < kWhole.size()) text += '.';
    text.append(kWhole.size() + 6 - text.size(), '0');
    text += fmt::format("{:03}", rest);  // of a thousand nanoseconds
    text.erase(text.find_last_not_of('0') + 1);
    text += 'Z';
  }
  out += text;
}

void ArrowColumn::append_plain(std::int64_t row, std::string& out) const {
  if (is_null(row)) return;
  if (type_->is_text()) {
    out += text(row);
    return;
  }
  const std::int64_t place = array_->offset + shift_ + row;
  switch (type_->kind) {
    case Kind::kBoolean:
      out += bit(array_->buffers[1], place) ? "true" : "false";
      return;
    case Kind::kFloat:
      // A float is written by its own digits: 0.1, and not 0.10000000149011612. Whether NaN has a
      // sign depends on the machine that computed it.
      if (std::isnan(value(row)))
        out += "nan";
      else if (type_->width == 4)
        fmt::format_to(std::back_inserter(out), "{}", at<float>(1, place));
      else
        fmt::format_to(std::back_inserter(out), "{}", at<double>(1, place));
      return;
    case Kind::kDecimal:
      append_decimal(out, bytes(row), type_->scale);
      return;
    case Kind::kTime:
      out += utc_text(time(row));
      return;
    default:
      if (is_unsigned_64())
        fmt::format_to(std::back_inserter(out), "{}", static_cast<std::uint64_t>(integer(row)));
      else
        fmt::format_to(std::back_inserter(out), "{}", integer(row));
  }
}

ArrowColumn::Range ArrowColumn::list(std::int64_t row) const {
  if (is_null(row)) return {};
  const std::int64_t place = array_->offset + shift_ + row;
  Range range;
  if (type_->kind == Kind::kFixedList) {
    const auto width = static_cast<std::int64_t>(type_->width);
    if (__builtin_mul_overflow(place, width, &range.begin)) throw_damaged(row);
    range.end = range.begin + width;
  } else {
    range = {offset_at(place), offset_at(place + 1)};
  }
  if (range.begin < 0 || range.end < range.begin || range.end > array_->children[0]->length)
    throw_damaged(row);
  return range;
}

ArrowColumn ArrowColumn::child(std::size_t i) const {
  const ArrowArray* array = array_->children[i];
  if (!array) throw_damaged(0);
  ArrowColumn out(type_->children[i], *array);
  if (type_->kind == Kind::kStruct) {
    out.shift_ = array_->offset + shift_;
    if (array->length - array_->offset < array_->length) throw_damaged(0);
  }
  return out;
}

std::string table_named(const std::string& name) {
  return name.empty() ? "the table" : "the table '" + name + "'";
}

ArrowReader::ArrowReader(const ArrowInput& input) : name_(input.name) {
  input.open(&stream_);
  if (!stream_.release) fail("its stream has been released, or read before");
  Owned<ArrowSchema> schema;
  if (const int error = stream_.get_schema(&stream_, &schema)) fail(error);
  if (!schema.release) fail("its stream gave no type");
  type_ = std::make_shared<ArrowType>(ArrowType::of(schema));
}

void ArrowReader::fail(const std::string& why) const {
  throw Error(ErrorCode::kBadInput, fmt::format("{} cannot be read: {}", table_named(name_), why));
}

void ArrowReader::fail(int error) {
  const char* message = stream_.get_last_error(&stream_);
  std::string why;
  append_valid_utf8(why, message ? message : system_message(error));
  // pyarrow appends the traceback of an exception of Python, which says nothing to a user.
  why = why.substr(0, why.find(". Detail: Python exception:"));
  fail(why);
}

std::shared_ptr<const ArrowArray> ArrowReader::next() {
  // The batch may outlive the stream, as the interface says.
  const auto batch = std::make_shared<Owned<ArrowArray>>();
  if (const int error = stream_.get_next(&stream_, batch.get())) fail(error);
  if (!batch->release) return nullptr;
  return batch;
}

}  // namespace benzer
