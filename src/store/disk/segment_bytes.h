// Defines what the writer and the readers of segments have in common.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "store/store.h"

namespace benzer::segment_bytes {

inline constexpr std::string_view kSegmentMagic = "BENZSEG1";  // the content begins with it
// Version 1 has no seed for the ids' hashes: it is 0. Versions 1 and 2 have no copies.
inline constexpr std::uint64_t kVersion = 3;
inline constexpr std::uint64_t kHeadNumbers = 13;  // at the end of the table of contents
inline constexpr std::size_t kFilterBlock = 64;    // bytes
inline constexpr std::size_t kKeysPerBlock = 64;   // so that each has 8 bits
inline constexpr std::size_t kAlignment = 64;

// A record begins with its checksum, the document's number and the set of its fields.
inline constexpr std::size_t kRecordChecksum = sizeof(std::uint64_t);
inline constexpr std::size_t kRecordHead = kRecordChecksum + sizeof(std::uint32_t) + 8;

// A record without fields and with an id of no bytes is that of a copy: the number of its original,
// and its own id, follow.
inline constexpr std::size_t kCopyHead =
    kRecordHead + sizeof(std::uint16_t) + sizeof(DocumentNumber) + sizeof(std::uint16_t);

// Replaces `out` by the record of a document at this place of the content. If documents may have
// attributes, two bytes of length and these follow each id.
void write_record(std::uint64_t place, DocumentNumber number, const DocumentHashes& document,
                  const HashLayout& layout, std::string& out);

void write_copy(std::uint64_t place, DocumentNumber number, DocumentNumber original,
                const DocumentHashes& document, const HashLayout& layout, std::string& out);
// The id in the record of a copy.
std::string_view id_of_copy(std::string_view record);

// The bytes of a record that equal documents have in common: those before the id, and those after
// it and the attributes.
struct RecordContent {
  std::string_view before, behind;
  friend bool operator==(const RecordContent&, const RecordContent&) = default;
};
RecordContent content_of(std::string_view record, const HashLayout& layout);

struct ReadRecord {
  DocumentNumber number = 0;
  std::size_t bytes = 0;
  DocumentHashes document;
  // Set for a copy; the document then has only its id and its attributes.
  std::optional<DocumentNumber> original;
};
// Returns how many bytes the record that begins the bytes has, as it says itself; 0 if none can
// begin there.
std::uint64_t length_of_record(std::span<const std::byte> bytes, const HashLayout& layout);

// Reads the record that begins the bytes, which are at this place; nothing unless all of it is as
// it was written. It needs nothing else of its segment.
std::optional<ReadRecord> read_record(std::span<const std::byte> bytes, std::uint64_t place,
                                      const HashLayout& layout);

// The four bits of a key in its block of 512. Blocks are chosen by the upper bits of the key, so
// these are taken from a product that depends on all bits.
struct FilterBits {
  explicit FilterBits(std::uint32_t key) noexcept
      : mixed(static_cast<std::uint64_t>(key) * 0x9E3779B97F4A7C15) {}
  std::uint32_t bit(int i) const noexcept {
    return static_cast<std::uint32_t>(mixed >> (28 + 9 * i)) & 511;
  }
  std::uint64_t mixed;
};
inline constexpr int kFilterBits = 4;

}  // namespace benzer::segment_bytes
