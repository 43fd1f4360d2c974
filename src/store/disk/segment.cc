#include "store/disk/segment.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/int128.h"
#include "store/disk/id_order.h"
#include "store/disk/segment_bytes.h"
#include "store/id_hash.h"

namespace benzer {
namespace {

using namespace segment_bytes;

constexpr std::uint64_t kHeadBytes = kHeadNumbers * sizeof(std::uint64_t);
constexpr std::uint64_t kBandBytes = 4 * sizeof(std::uint64_t);
constexpr std::uint64_t kTextLength = sizeof(std::uint16_t);  // before each text of a record
constexpr std::uint64_t kMostLoaded = 64u << 10;              // of a record, before it is read

// The place of a key among `count` keys, if they are random.
std::uint64_t usual_place(std::uint32_t key, std::uint64_t count) noexcept {
  return static_cast<std::uint64_t>(static_cast<Uint128>(key) * count >> 32);
}

}  // namespace

// The places of a record's parts, all of them inside of the record.
struct Segment::Record {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t present = 0;
  std::uint64_t field_bytes = 0;  // of keys and cut signature
  bool is_copy = false;           // then its original and its id are where others have the id

  std::uint64_t fields() const noexcept {
    return static_cast<std::uint64_t>(std::popcount(present));
  }
  bool has(std::uint32_t field) const noexcept { return (present >> field & 1) != 0; }
  // The place of a field among those that the record has.
  std::uint64_t place(std::uint32_t field) const noexcept {
    return static_cast<std::uint64_t>(std::popcount(present & ((std::uint64_t{1} << field) - 1)));
  }
  std::uint64_t keys(std::uint32_t field) const noexcept {
    return begin + kRecordHead + place(field) * field_bytes;
  }
  std::uint64_t counts() const noexcept { return begin + kRecordHead + fields() * field_bytes; }
  std::uint64_t original() const noexcept { return begin + kRecordHead + 2; }
  std::uint64_t id_length() const noexcept {
    return is_copy ? begin + kCopyHead - 2 : counts() + 4 * fields();
  }
  std::uint64_t head_end() const noexcept { return id_length() + 2; }
};

Segment::Segment(const std::string& path, const HashLayout& layout, std::uint64_t fingerprint)
    : layout_(layout), file_(path) {
  if (file_.size() < kSegmentMagic.size() + kHeadBytes ||
      std::memcmp(file_.bytes(0, kSegmentMagic.size()).data(), kSegmentMagic.data(),
                  kSegmentMagic.size()) != 0)
    file_.fail(0, "is not where a segment begins");
  const std::uint64_t head = file_.size() - kHeadBytes;
  std::uint64_t numbers[kHeadNumbers];
  std::memcpy(numbers, file_.bytes(head, kHeadBytes).data(), kHeadBytes);
  if (numbers[0] < 1 || numbers[0] > kVersion)
    throw Error(ErrorCode::kInvalidArgument, Subject::file(path),
                fmt::format("it has the version {} of segments, and this program reads 1 to {}",
                            numbers[0], kVersion),
                "use the program that made it");
  if (numbers[1] != fingerprint || numbers[2] != layout.fields || numbers[3] != layout.bands ||
      numbers[4] != layout.slots)
    file_.fail(head, "belongs to a segment of another schema");
  if (numbers[5] >= kNoDocument) file_.fail(head, "has more documents than can be numbered");
  documents_ = static_cast<DocumentNumber>(numbers[5]);
  records_ = numbers[6];
  starts_ = numbers[7];
  ids_ = numbers[8];
  records_end_ = starts_;
  if (records_ > starts_) file_.fail(head, "has records that end before they begin");
  check_section(starts_, documents_ + std::uint64_t{1}, 8);
  check_section(ids_, documents_, 8);

  const std::uint64_t bands = std::uint64_t{layout.fields} * layout.tables();
  std::uint64_t bands_end = head;
  if (numbers[0] > 1) {
    if (head < sizeof id_seed_) file_.fail(head, "leaves no room for the seed of the ids");
    bands_end -= sizeof id_seed_;
    id_seed_ = file_.number<std::uint64_t>(bands_end);
  }
  if (numbers[0] > 2) {
    std::uint64_t more[3];
    if (bands_end < sizeof more) file_.fail(head, "leaves no room for the place of the copies");
    bands_end -= sizeof more;
    std::memcpy(more, file_.bytes(bands_end, sizeof more).data(), sizeof more);
    copies_ = more[0];
    copies_count_ = more[1];
    origin_.number = more[2];
    check_section(copies_, copies_count_, 8);
  }
  if (bands_end < bands * kBandBytes) file_.fail(head, "leaves no room for the bands");
  for (std::uint64_t i = 0; i < bands; ++i) {
    Band& band = bands_.emplace_back();
    std::memcpy(&band, file_.bytes(bands_end - (bands - i) * kBandBytes, kBandBytes).data(),
                kBandBytes);
    check_section(band.entries, band.count, 8);
    check_section(band.filter, band.blocks, kFilterBlock);
    if (band.blocks == 0) file_.fail(head, "has a band without a filter");
  }
  origin_.newest = numbers[9];
  origin_.log = numbers[10];
  origin_.first_record = numbers[11];
  const std::uint64_t contents = bands_end - bands * kBandBytes;
  if (numbers[12] > contents / 8) file_.fail(head, "names more segments than there is room for");
  for (std::uint64_t i = numbers[12]; i > 0; --i)
    origin_.merged.push_back(file_.number<std::uint64_t>(contents - 8 * i));
  if (numbers[0] <= 2 && origin_.merged.empty()) origin_.number = origin_.newest;
  file_.throw_if_more(0);
}

std::optional<std::uint64_t> Segment::fingerprint_of(const std::string& path) {
  try {
    const SealedFile file(path);
    if (file.size() < kSegmentMagic.size() + kHeadBytes ||
        std::memcmp(file.bytes(0, kSegmentMagic.size()).data(), kSegmentMagic.data(),
                    kSegmentMagic.size()) != 0)
      return std::nullopt;  // another file in its place
    const auto out = file.number<std::uint64_t>(file.size() - kHeadBytes + sizeof(std::uint64_t));
    file.throw_if_more(0);
    return out;
  } catch (const UnreadablePage&) {
    return std::nullopt;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;
    return std::nullopt;
  }
}

void Segment::check_section(std::uint64_t begin, std::uint64_t count, std::uint64_t width) const {
  if (begin > file_.size() || count > (file_.size() - begin) / width)
    file_.fail(begin, fmt::format("is where {} entries of {} bytes should be, which do not fit",
                                  count, width));
}

DocumentNumber Segment::check_number(DocumentNumber document, std::uint64_t offset) const {
  if (document >= documents_) file_.fail(offset, "names a document that is not there");
  return document;
}

bool Segment::may_have(const Band& band, std::uint32_t key) const {
  const std::byte* block =
      file_.bytes(band.filter + kFilterBlock * block_of(band, key), kFilterBlock).data();
  const FilterBits bits(key);
  for (int i = 0; i < kFilterBits; ++i)
    if ((std::to_integer<unsigned>(block[bits.bit(i) / 8]) >> bits.bit(i) % 8 & 1) == 0)
      return false;
  return true;
}

bool Segment::start_look_up(std::uint32_t field, std::uint32_t band, std::uint32_t key) const {
  const Band& keys = table(field, band);
  if (!layout_.is_key(key) || !may_have(keys, key)) return false;
  const std::uint64_t guess = usual_place(key, keys.count);
  // The place of a key among `count` random ones has a standard deviation of sqrt(count) / 2 at
  // most, so it is nearly always between these.
  const auto around = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(keys.count)));
  const std::uint64_t place = keys.entries + 8 * guess;
  file_.load(place, place - 8 * std::min(guess, around),
             place + 8 * std::min(keys.count - guess, around + 1));
  return true;
}

void Segment::start_record(DocumentNumber document) const noexcept {
  const std::uint64_t place = starts_ + 8 * std::uint64_t{document};
  file_.load(place, place, place + 16);
}

void Segment::load_record(DocumentNumber document) const {
  std::uint64_t ends[2];
  std::memcpy(ends, file_.bytes(starts_ + 8 * std::uint64_t{document}, sizeof ends).data(),
              sizeof ends);
  if (ends[0] < ends[1]) file_.load(ends[0], ends[0], std::min(ends[1], ends[0] + kMostLoaded));
}

// Keys are hashes, so a key's place can be guessed, and guessed again from the key that is there.
// What remains are a few steps, which double at first; whatever the keys are, there are never more
// than twice those of a binary search.
std::uint64_t Segment::lower_bound(std::uint64_t entries, std::uint64_t count,
                                   std::uint32_t key) const {
  if (count == 0) return 0;
  std::uint64_t guess = usual_place(key, count);
  const double distance = static_cast<double>(key) - static_cast<double>(key_at(entries, guess));
  const double better =
      static_cast<double>(guess) + distance * static_cast<double>(count) * 0x1p-32;
  guess = static_cast<std::uint64_t>(std::clamp(better, 0.0, static_cast<double>(count - 1)));

  std::uint64_t low = guess, high = guess;  // the answer is in [low, high]
  if (key_at(entries, guess) < key) {
    for (std::uint64_t step = 4;; step *= 2) {
      low = high + 1;
      high = std::min(count, guess + step);
      if (high == count || key_at(entries, high) >= key) break;
    }
  } else {
    for (std::uint64_t step = 4; low > 0; step *= 2) {
      low = guess > step ? guess - step : 0;
      if (key_at(entries, low) < key) {
        ++low;
        break;
      }
      high = low;
    }
  }
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (key_at(entries, middle) < key) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

bool Segment::has_entry(std::uint64_t entries, std::uint64_t count, std::uint32_t key,
                        DocumentNumber document) const {
  const auto entry = [&](std::uint64_t at) {
    return file_.number<std::uint64_t>(entries + 8 * at);
  };
  const std::uint64_t wanted = std::uint64_t{key} << 32 | document;
  std::uint64_t low = lower_bound(entries, count, key);
  std::uint64_t high = low;  // the place is in [low, high]
  for (std::uint64_t step = 1; high < count && entry(high) < wanted; step *= 2) {
    low = high + 1;
    high = std::min(count, high + step);
  }
  while (low < high) {
    const std::uint64_t middle = low + (high - low) / 2;
    if (entry(middle) < wanted) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < count && entry(low) == wanted;
}

bool Segment::find(std::string_view wanted,
                   const std::function<bool(DocumentNumber)>& visit) const {
  const std::uint64_t failures = file_.failures();
  const std::uint32_t hash = hash_of_id(wanted, id_seed_);
  bool found = false;
  for (std::uint64_t at = lower_bound(ids_, documents_, hash); at < documents_ && !found; ++at) {
    const auto entry = file_.number<std::uint64_t>(ids_ + 8 * at);
    if (entry >> 32 != hash) break;
    const DocumentNumber document = check_number(static_cast<DocumentNumber>(entry), ids_ + 8 * at);
    found = id(document) == wanted && visit(document);
  }
  file_.throw_if_more(failures);
  return found;
}

void Segment::for_each_earlier(const std::function<void(DocumentNumber)>& visit) const {
  const std::uint64_t failures = file_.failures();
  std::set<std::string_view> later;  // ids of the same hash
  std::uint64_t hash = ~std::uint64_t{0};
  for (std::uint64_t at = documents_; at > 0; --at) {
    const std::uint64_t offset = ids_ + 8 * (at - 1);
    const auto entry = file_.number<std::uint64_t>(offset);
    if (entry >> 32 != hash) later.clear();
    hash = entry >> 32;
    const DocumentNumber document = check_number(static_cast<DocumentNumber>(entry), offset);
    if (!later.insert(id(document)).second) visit(document);
  }
  file_.throw_if_more(failures);
}

void Segment::for_each_same_id(
    const Segment& other, const std::function<void(DocumentNumber, DocumentNumber)>& visit) const {
  const std::uint64_t failures = file_.failures();
  const std::uint64_t others_failures = other.failures();
  if (id_seed_ == other.id_seed_) {
    join_ids(other, visit);
  } else {
    for (DocumentNumber document = 0; document < documents_; ++document)
      other.find(id(document), [&](DocumentNumber others) {
        visit(document, others);
        return false;
      });
  }
  file_.throw_if_more(failures);
  other.throw_if_more(others_failures);
}

void Segment::join_ids(const Segment& other,
                       const std::function<void(DocumentNumber, DocumentNumber)>& visit) const {
  const auto entry = [](const Segment& of, std::uint64_t at) {
    return of.file_.number<std::uint64_t>(of.ids_ + 8 * at);
  };
  std::uint64_t begin = 0;  // of the other's entries with the hash
  for (std::uint64_t at = 0; at < documents_; ++at) {
    const std::uint64_t mine = entry(*this, at);
    while (begin < other.documents_ && entry(other, begin) >> 32 < mine >> 32) ++begin;
    for (std::uint64_t i = begin; i < other.documents_; ++i) {
      const std::uint64_t theirs = entry(other, i);
      if (theirs >> 32 != mine >> 32) break;
      const DocumentNumber document =
          check_number(static_cast<DocumentNumber>(mine), ids_ + 8 * at);
      const DocumentNumber others =
          other.check_number(static_cast<DocumentNumber>(theirs), other.ids_ + 8 * i);
      if (id(document) == other.id(others)) visit(document, others);
    }
  }
}

Segment::Record Segment::record(DocumentNumber document) const {
  const std::uint64_t at = starts_ + 8 * std::uint64_t{document};
  std::uint64_t ends[2];
  std::memcpy(ends, file_.bytes(at, sizeof ends).data(), sizeof ends);
  Record out;
  out.begin = ends[0];
  out.end = ends[1];
  if (out.begin < records_ || out.end > records_end_ || out.begin > out.end ||
      out.end - out.begin < kRecordHead)
    file_.fail(at, "names a record that is elsewhere");
  out.present = file_.number<std::uint64_t>(out.begin + kRecordHead - 8);
  out.field_bytes = layout_.bands * sizeof(std::uint32_t) + layout_.cut_bytes();
  if ((layout_.fields < 64 && out.present >> layout_.fields != 0) || out.head_end() > out.end)
    file_.fail(out.begin, "begins a record that does not fit the schema");
  if (out.present == 0 && copies_count_ > 0 && file_.number<std::uint16_t>(out.id_length()) == 0) {
    out.is_copy = true;
    if (out.head_end() > out.end) file_.fail(out.begin, "begins a copy that is cut off");
  }
  return out;
}

DocumentNumber Segment::original(const Record& record, DocumentNumber document) const {
  if (!record.is_copy) return document;
  const auto out = file_.number<DocumentNumber>(record.original());
  if (out >= document) file_.fail(record.original(), "names an original that is not there");
  return out;
}

DocumentNumber Segment::original(DocumentNumber document) const {
  return has_copies() ? original(record(document), document) : document;
}

void Segment::for_each_copy(DocumentNumber original,
                            const std::function<bool(DocumentNumber)>& visit) const {
  for (std::uint64_t at = lower_bound(copies_, copies_count_, original); at < copies_count_; ++at) {
    const auto entry = file_.number<std::uint64_t>(copies_ + 8 * at);
    if (entry >> 32 != original) return;
    if (!visit(check_number(static_cast<DocumentNumber>(entry), copies_ + 8 * at))) return;
  }
}

Segment::Record Segment::content(DocumentNumber document) const {
  const Record found = record(document);
  if (!found.is_copy) return found;
  const Record out = record(original(found, document));
  if (out.is_copy) file_.fail(found.original(), "names an original that is a copy itself");
  return out;
}

std::string_view Segment::id(DocumentNumber document) const {
  const Record found = record(document);
  return text_at(found, found.id_length());
}

std::span<const DocumentNumber> Segment::by_id() const {
  const std::lock_guard lock(ordering_);
  if (!by_id_) {
    const std::uint64_t failures = file_.failures();
    std::vector<DocumentNumber> sorted =
        order_by_id(documents_, [this](DocumentNumber document) { return id(document); });
    file_.throw_if_more(failures);
    by_id_ = std::move(sorted);
  }
  return *by_id_;
}

// Returns a text inside of a record, whose length is at `place`.
std::string_view Segment::text_at(const Record& record, std::uint64_t place) const {
  if (place + kTextLength > record.end)
    file_.fail(place, "is where a record should have a text, and ends");
  const auto length = file_.number<std::uint16_t>(place);
  if (length > record.end - place - kTextLength)
    file_.fail(place, "begins a text that is longer than its record");
  return {reinterpret_cast<const char*>(file_.bytes(place + kTextLength, length).data()), length};
}

std::string_view Segment::attributes(DocumentNumber document) const {
  if (!layout_.attributes) return {};
  const Record found = record(document);
  return text_at(found, found.head_end() + text_at(found, found.id_length()).size());
}

const std::uint8_t* Segment::cut(DocumentNumber document, std::uint32_t field) const {
  const Record found = content(document);
  if (!found.has(field)) return nullptr;
  // Includes a byte of what follows it: for a signature without bytes there would be no pointer.
  const std::size_t keys = layout_.bands * sizeof(std::uint32_t);
  const auto bytes = file_.bytes(found.keys(field), keys + layout_.cut_bytes() + 1);
  return reinterpret_cast<const std::uint8_t*>(bytes.data()) + keys;
}

void Segment::features(DocumentNumber document, std::uint32_t field,
                       std::vector<std::uint64_t>& out) const {
  out.clear();
  const std::uint64_t failures = file_.failures();
  const Record found = content(document);
  if (!found.has(field)) return file_.throw_if_more(failures);
  std::uint64_t begin = found.head_end() + text_at(found, found.id_length()).size();
  if (layout_.attributes) begin += kTextLength + text_at(found, begin).size();
  std::uint64_t count = 0;
  for (std::uint64_t place = 0; place <= found.place(field); ++place) {
    begin += 8 * count;
    count = file_.number<std::uint32_t>(found.counts() + 4 * place);
  }
  if (count == 0 || begin > found.end || count > (found.end - begin) / 8)
    file_.fail(found.counts(), "begins a record with no features of a field, or more than fit");
  out.resize(static_cast<std::size_t>(count));
  std::memcpy(out.data(), file_.bytes(begin, 8 * count).data(), 8 * out.size());
  file_.throw_if_more(failures);
}

ReadRecord Segment::read_checked(DocumentNumber document) const {
  const Record found = record(document);
  const std::uint64_t length = found.end - found.begin;
  auto out = read_record(file_.bytes(found.begin, length), found.begin, layout_);
  if (!out || out->number != document || out->bytes != length)
    file_.fail(found.begin, "begins a damaged record");
  return *std::move(out);
}

DocumentHashes Segment::get_hashes(DocumentNumber document) const {
  const std::uint64_t failures = file_.failures();
  ReadRecord out = read_checked(document);
  if (out.original) {
    const Record copy = record(document);
    ReadRecord original = read_checked(this->original(copy, document));
    if (original.original) file_.fail(copy.original(), "names an original that is a copy itself");
    out.document.fields = std::move(original.document.fields);
  }
  file_.throw_if_more(failures);
  return std::move(out.document);
}

void Segment::verify() const {
  const std::uint64_t failures = file_.failures();
  check_pages();
  std::vector<std::uint64_t> counts(bands_.size());  // entries that each table should have
  for (DocumentNumber document = 0; document < documents_; ++document) {
    const DocumentHashes hashes = get_hashes(document);
    if (!has_entry(ids_, documents_, hash_of_id(hashes.id, id_seed_), document))
      file_.fail(ids_, "begins a list of ids that lacks one");
    if (record(document).is_copy) continue;  // it has no keys
    for (const FieldHashes& field : hashes.fields) {
      for (std::uint32_t band = 0; band < field.keys.size(); ++band) {
        if (!layout_.is_key(field.keys[band])) continue;
        ++counts[field.field * layout_.tables() + layout_.table(band)];
        const Band& keys = table(field.field, band);
        const std::uint32_t key = field.keys[band];
        if (!may_have(keys, key) || !has_entry(keys.entries, keys.count, key, document))
          file_.fail(keys.entries, "begins a band that lacks a document");
      }
    }
  }
  verify_copies();
  // A repair walks from the first record to the last, and must find the same ones.
  const std::uint64_t end = documents_ == 0 ? kAlignment : record(documents_ - 1).end;
  if ((documents_ > 0 && record(0).begin != kAlignment) ||
      (end + kAlignment - 1) / kAlignment * kAlignment != starts_)
    file_.fail(starts_, "begins a list of records that leaves some out");
  for (std::size_t table = 0; table < bands_.size(); ++table)
    if (bands_[table].count != counts[table])
      file_.fail(bands_[table].entries, "begins a band that has other documents than there are");
  file_.throw_if_more(failures);
}

// Checks that each copy is listed once, with its original.
void Segment::verify_copies() const {
  std::uint64_t copies = 0;
  for (DocumentNumber document = 0; document < documents_ && has_copies(); ++document)
    copies += original(document) != document;
  if (copies != copies_count_)
    file_.fail(copies_, "begins a list that has other copies than there are");
  std::vector<bool> is_listed(documents_);
  std::uint64_t before = 0;
  for (std::uint64_t at = 0; at < copies_count_; ++at) {
    const std::uint64_t place = copies_ + 8 * at;
    const auto entry = file_.number<std::uint64_t>(place);
    const DocumentNumber copy = check_number(static_cast<DocumentNumber>(entry), place);
    const bool has_same = at > 0 && entry >> 32 == before >> 32;
    if (is_listed[copy] || original(copy) == copy || original(copy) != entry >> 32 ||
        (at > 0 && entry >> 32 < before >> 32) ||
        (has_same && id(copy) < id(static_cast<DocumentNumber>(before))))
      file_.fail(place, "is where a copy is listed wrongly");
    is_listed[copy] = true;
    before = entry;
  }
}

}  // namespace benzer
