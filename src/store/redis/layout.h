// Defines which keys a store has in Redis, and what is in them (docs/format.md, "Stores in Redis").
//
//   posting    of a document in a band: a field, with an empty value, of a small hash. Documents
//              whose band keys begin with the same bits share a hash, which Redis keeps as a list
//              of bytes
//   directory  one posting more for each document, by its name
//   record     of a document: its id and all its hashes, in one value. Without it there is no
//              document, whatever postings there are; its SET is the commit
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "store/store.h"

namespace benzer::redis {

// A 64-bit hash of a document's id.
using Name = std::uint64_t;

// Sorts the names and removes repetitions.
inline void keep_once(std::vector<Name>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

// Different for each write, so that removing the postings of a replaced document never removes
// those of the document that replaced it.
using Version = std::uint32_t;

struct Entry {
  Name name = 0;
  Version version = 0;
  friend bool operator==(const Entry&, const Entry&) = default;
};

// What was read of a record.
struct Record {
  Version version = 0;
  DocumentHashes document;
  std::vector<std::uint32_t> counts;  // features of each of its fields
  bool has_features = false;          // false: only its beginning was read
};

// Frees the features of a document, where its postings are all that is needed.
void drop_features(DocumentHashes& document);

struct Meta {
  std::string schema;
  std::uint32_t group_bits = 16;
  std::uint64_t seed = 0;  // of names; also tells one store of this name from another

  std::string str() const;
  // Throws Error(kCorrupt), beginning with `where`.
  static Meta parse(std::string_view text, const std::string& where);
  friend bool operator==(const Meta&, const Meta&) = default;
};

class Layout {
 public:
  static constexpr std::uint32_t kMostGroupBits = 24;
  // How much of a record is read first: this has all of most records, and all but features of the
  // others.
  static constexpr std::size_t kHeadBytes = 4096;
  // The bytes of a record in which its version is.
  static constexpr std::size_t kVersionBegin = 8, kVersionEnd = kVersionBegin + sizeof(Version);

  Layout(const std::string& store, const HashLayout& hashes, const Meta& meta);

  // Chooses the number of groups so that each has about 16 entries.
  static std::uint32_t group_bits_for(std::uint64_t documents) noexcept;
  static std::string meta_key(const std::string& store);
  std::string lock_key() const { return prefix_ + "lock"; }

  Name name_of(std::string_view id) const noexcept;
  std::string record_key(Name name) const;
  std::string record_pattern() const { return prefix_ + "d*"; }  // for SCAN
  std::optional<Name> read_record_key(std::string_view key) const;
  std::string encode(Version version, const DocumentHashes& document) const;
  // Decodes a record, or the beginning of a longer one, whose checksum cannot be checked. Nothing
  // if it is not a record of this name.
  std::optional<Record> decode(std::string_view bytes, Name name) const;
  // Decodes a complete record; nothing for a beginning.
  std::optional<Record> decode_whole(std::string_view bytes, Name name) const {
    std::optional<Record> out = decode(bytes, name);
    return out && out->has_features ? std::move(out) : std::nullopt;
  }
  static bool is_whole(std::string_view beginning) { return beginning.size() < kHeadBytes; }
  static bool is_version(std::string_view bytes, Version version) noexcept;

  // Tables of postings: that of field f and band b is f * tables of a field + b, the last one is
  // the directory.
  std::uint32_t tables() const noexcept { return hashes_.fields * hashes_.tables() + 1; }
  std::uint32_t directory() const noexcept { return tables() - 1; }
  std::uint32_t groups() const noexcept { return std::uint32_t{1} << group_bits_; }
  std::uint32_t group_of(std::uint32_t key) const noexcept {
    return group_bits_ == 0 ? 0 : key >> (32 - group_bits_);
  }
  std::string group_key(std::uint32_t table, std::uint32_t group) const;
  std::string field_of(std::uint32_t key, const Entry& entry) const;
  // The key of a posting in a group, and the document that has it. read_field() returns nothing if
  // the field is not a posting.
  struct Posting {
    std::uint32_t key;
    Entry entry;
  };
  std::optional<Posting> read_field(std::string_view field, std::uint32_t group) const;

  // Calls visit(table, key) for all postings of a document, including the directory's.
  void for_each_posting(
      const DocumentHashes& document, Name name,
      const std::function<void(std::uint32_t table, std::uint32_t key)>& visit) const;

  const HashLayout& hashes() const noexcept { return hashes_; }

 private:
  const HashLayout hashes_;
  const std::uint32_t group_bits_;
  const std::uint64_t seed_;
  const std::string prefix_;  // "benzer:NAME:"
};

}  // namespace benzer::redis
