#include "features/word_scanner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string>
#include <utility>

#include <unicode/utf16.h>

#include "benzer/runtime.h"

namespace benzer::internal {
namespace {

// Bytes of input between two checks of the room for the output.
constexpr std::size_t kPiece = 1024;

// The most bytes of output per byte of input: the 3 bytes of U+FDFA become 33, in 18 code points.
constexpr std::size_t kMaxGrowth = 12;

// ASCII runs of at least this many bytes go to the kernel, shorter ones through the table.
constexpr std::size_t kRun = 4;

std::uint32_t load(const std::uint8_t* bytes) noexcept {
  std::uint32_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

void store(std::uint32_t value, std::uint8_t* bytes) noexcept {
  if constexpr (std::endian::native == std::endian::big) value = __builtin_bswap32(value);
  std::memcpy(bytes, &value, sizeof value);
}

}  // namespace

constexpr WordScanner::Step WordScanner::kSteps[3][kCharClasses] = {
    // other, word, mark, cut
    {{kOutside, 0, 0}, {kInWord, 0, 1}, {kInWord, 0, 1}, {kInCut, 0, 1}},
    {{kOutside, 1, 0}, {kInWord, 0, 0}, {kInWord, 0, 0}, {kInCut, 1, 1}},
    {{kOutside, 1, 0}, {kInWord, 1, 1}, {kInCut, 0, 0}, {kInCut, 1, 1}},
};

void WordScanner::skip_ascii(std::size_t ascii, std::size_t edges) {
  at_ = size_ = ascii;
  edges_ = edges;
  state_ = edges_ & 1 ? kInWord : kOutside;
  if (ascii > 0) mark_after_ascii(1 < ascii);
}

bool WordScanner::next() {
  if (finished_) return false;
  drop_taken();
  const std::size_t piece = std::min(kPiece, piece_bytes_);
  while (at_ < text_.size()) {
    throw_if_stopped(stop_);
    const std::size_t end = std::min(text_.size(), at_ + piece);
    make_room((end - at_ + kPiece) * kMaxGrowth);
    while (at_ < end) {
      plain_run(end);
      if (at_ < end) step();
    }
    if (at_ < text_.size() && size_ >= piece_bytes_ && ends_piece()) return true;
  }
  finished_ = true;
  out_.size = size_;
  if (state_ != kOutside) out_.edges.data()[edges_++] = static_cast<std::uint32_t>(size_);
  out_.words = edges_ / 2;
  return true;
}

// Makes the words that cannot change any more the output, and returns true if they are at least
// half of the bytes. (If they are few, moving the others to the front again and again would cost
// more than reading them.)
bool WordScanner::ends_piece() noexcept {
  const std::uint32_t* edges = out_.edges.data();
  std::size_t words = edges_ / 2;
  while (words > 0 && edges[2 * words - 1] >= marked_size_) --words;
  const std::size_t open = 2 * words < edges_ ? edges[2 * words] : size_;
  out_.words = words;
  out_.size = std::min(open, marked_size_);
  return out_.size >= size_ / 2;
}

// Moves to the front what was not yet part of the last piece.
void WordScanner::drop_taken() noexcept {
  if (!std::exchange(started_, true)) return;
  const std::size_t taken = out_.size;
  std::memmove(out_.bytes.data(), out_.bytes.data() + taken, size_ - taken);
  std::uint32_t* edges = out_.edges.data();
  const std::size_t first = 2 * out_.words;
  for (std::size_t i = first; i < edges_; ++i)
    edges[i - first] = edges[i] - static_cast<std::uint32_t>(taken);
  edges_ -= first;
  size_ -= taken;
  marked_size_ -= taken;
  dropped_ += taken;
}

void WordScanner::make_room(std::size_t more) {
  check_text_size(dropped_ + size_);
  out_.bytes.grow(size_ + more + kTextPadding, size_);
  out_.edges.grow(edges_ + more + kEdgePadding, edges_);
}

// The hot loop of text that is not ASCII: reads code points of up to three bytes that become one
// code point each, up to the first one that is different. It keeps all state in local variables, so
// in registers, because the compiler must assume that writing any byte may change a member.
void WordScanner::plain_run(std::size_t end) {
  const std::uint8_t* source = this->source();
  std::uint8_t* bytes = out_.bytes.data();
  std::uint32_t* edges = out_.edges.data();
  const std::size_t last = std::min(end, text_.size() - std::min(text_.size(), kRun - 1));
  std::size_t at = at_;
  std::size_t size = size_;
  std::size_t edge_count = edges_;
  State state = state_;
  std::uint8_t combines = combines_;
  std::size_t marked = marked_source_;
  std::size_t marked_size = marked_size_;
  State marked_state = marked_state_;
  while (at < last) {
    const std::uint8_t* p = source + at;
    char32_t c = p[0];
    std::size_t length = 1;
    if (c < 0x80) {
      if ((load(p) & 0x80808080) == 0) break;
    } else if (c < 0xE0) {
      if (c < 0xC2 || (p[1] & 0xC0) != 0x80) break;
      c = (c & 0x1F) << 6 | (p[1] & 0x3F);
      length = 2;
    } else {
      if ((p[1] & 0xC0) != 0x80 || (p[2] & 0xC0) != 0x80 || c >= 0xF0) break;
      c = (c & 0x0F) << 12 | static_cast<char32_t>(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
      if (c < 0x800 || (c & 0xF800) == 0xD800) break;
      length = 3;
    }
    const CodePoint entry = table_.block(c).entries[c & 0xFF];
    if (entry.kind == Kind::kPlain) [[likely]] {
      marked = at;
      marked_size = size;
      marked_state = state;
    } else if (entry.kind != Kind::kMark || combines > entry.combines) {
      break;
    }
    // Inside a word, the most frequent case by far, nothing happens. The branch is predicted, so
    // that the next code point need not wait for the state after this one.
    if (entry.char_class != CharClass::kWord || state != kInWord) {
      const Step step = kSteps[state][static_cast<std::size_t>(entry.char_class)];
      edges[edge_count] = static_cast<std::uint32_t>(size);
      edge_count += step.ends;
      edges[edge_count] = static_cast<std::uint32_t>(size);
      edge_count += step.starts;
      state = step.next;
    }
    store(entry.bytes, bytes + size);
    size += entry.size;
    combines = entry.combines;
    at += length;
  }
  at_ = at;
  size_ = size;
  edges_ = edge_count;
  state_ = state;
  combines_ = combines;
  marked_source_ = marked;
  marked_size_ = marked_size;
  marked_state_ = marked_state;
}

void WordScanner::step() {
  if (text_.size() - at_ >= kRun && (load(source() + at_) & 0x80808080) == 0) {
    ascii_run();
    return;
  }
  const std::size_t start = at_;
  const char32_t c = decode();
  const CodePoints::Block& block = table_.block(c);
  const CodePoint entry = block.entries[c & 0xFF];
  if (entry.kind == Kind::kPlain) [[likely]] {
    mark(start);
    append(entry);
    return;
  }
  switch (entry.kind) {
    case Kind::kMany:
      mark(start);
      for (std::size_t i = 0; i < entry.size; ++i) append(block.many[entry.bytes + i]);
      break;
    case Kind::kMark:
      if (combines_ <= entry.combines) {
        append(entry);
      } else {
        segment();
      }
      break;
    case Kind::kOpen:
      segment();
      break;
    default:
      break;
  }
}

// Reads the code point at at_ and moves at_ past it.
char32_t WordScanner::decode() noexcept {
  const std::uint8_t* p = source() + at_;
  const std::size_t left = text_.size() - at_;
  const std::uint32_t lead = p[0];
  if (lead < 0x80) {
    ++at_;
    return lead;
  }
  if (lead < 0xE0) {
    if (left >= 2 && lead >= 0xC2 && (p[1] & 0xC0) == 0x80) {
      at_ += 2;
      return (lead & 0x1F) << 6 | (p[1] & 0x3F);
    }
  } else if (lead < 0xF0) {
    if (left >= 3 && (p[1] & 0xC0) == 0x80 && (p[2] & 0xC0) == 0x80) {
      const std::uint32_t c =
          (lead & 0x0F) << 12 | static_cast<std::uint32_t>(p[1] & 0x3F) << 6 | (p[2] & 0x3F);
      if (c >= 0x800 && (c & 0xF800) != 0xD800) {
        at_ += 3;
        return c;
      }
    }
  }
  return next_code_point(text_, at_, out_.replaced);
}

// Remembers where the code point that is about to be appended begins: nothing that follows can
// change the output before this place.
void WordScanner::mark(std::size_t start) noexcept {
  marked_source_ = start;
  marked_size_ = size_;
  marked_state_ = state_;
}

// Does the same for the last byte of an ASCII run that was just copied.
void WordScanner::mark_after_ascii(bool has_more) noexcept {
  marked_source_ = at_ - 1;
  marked_size_ = size_ - 1;
  if (has_more) {
    const std::uint8_t before = out_.bytes.data()[size_ - 2];
    const bool word = (before >= 'a' && before <= 'z') || (before >= '0' && before <= '9');
    marked_state_ = word ? kInWord : kOutside;
  }
  combines_ = 0;
}

void WordScanner::ascii_run() noexcept {
  if (state_ == kInCut) {
    out_.edges.data()[edges_++] = static_cast<std::uint32_t>(size_);
    state_ = kOutside;
  }
  SplitState split{out_.edges.data(), edges_};
  const std::size_t room = std::min(text_.size() - at_, kPiece);
  const std::size_t taken = kernels_.split_ascii(source() + at_, room, out_.bytes.data() + size_,
                                                 static_cast<std::uint32_t>(size_), split);
  at_ += taken;
  size_ += taken;
  edges_ = split.count;
  state_ = edges_ & 1 ? kInWord : kOutside;
  mark_after_ascii(true);
}

void WordScanner::edge(CharClass char_class) noexcept {
  const Step step = kSteps[state_][static_cast<std::size_t>(char_class)];
  std::uint32_t* edges = out_.edges.data();
  edges[edges_] = static_cast<std::uint32_t>(size_);
  edges_ += step.ends;
  edges[edges_] = static_cast<std::uint32_t>(size_);
  edges_ += step.starts;
  state_ = step.next;
}

void WordScanner::append(const CodePoint& entry) noexcept {
  edge(entry.char_class);
  store(entry.bytes, out_.bytes.data() + size_);
  size_ += entry.size;
  combines_ = entry.combines;
}

// Appends a code point of a normalised text, which normalisation leaves as it is.
void WordScanner::append(char32_t c) { append(table_.block(c).entries[c & 0xFF]); }

// Handles a code point (just before at_) that may change with what is before it: takes back what
// was appended since the last mark, and lets ICU normalise from there up to the next code point
// that has a boundary before it.
void WordScanner::segment() {
  at_ = marked_source_;
  size_ = marked_size_;
  state_ = marked_state_;
  while (edges_ > 0 && out_.edges.data()[edges_ - 1] >= size_) --edges_;

  std::u16string segment;
  bool first = true;
  while (at_ < text_.size()) {
    const std::size_t here = at_;
    const std::uint64_t replaced = out_.replaced;
    const char32_t c = decode();
    const Kind kind = table_.block(c).entries[c & 0xFF].kind;
    if (!first && (kind == Kind::kPlain || kind == Kind::kMany)) {
      at_ = here;
      out_.replaced = replaced;
      break;
    }
    if (first) out_.replaced = replaced;  // it was counted when it was read the first time
    append_utf16(c, segment);
    if (segment.size() % kPiece == 0) throw_if_stopped(stop_);
    first = false;
  }
  const std::u16string result = nfkc_casefold(segment, stop_);
  std::u16string().swap(segment);
  for (std::size_t i = 0; i < result.size();) {
    make_room(2 * kPiece * kMaxGrowth);
    const std::size_t end = std::min(result.size(), i + kPiece);
    while (i < end) {
      UChar32 c;
      U16_NEXT(result.data(), i, result.size(), c);
      append(static_cast<char32_t>(c));
    }
  }
}

}  // namespace benzer::internal
