#include <algorithm>

#include <ips4o/ips4o.hpp>

#include "store/disk/segment.h"
#include "store/disk/segment_bytes.h"
#include "store/id_hash.h"

namespace benzer {
namespace {

using namespace segment_bytes;

void append_number(SealedFileWriter& file, std::uint64_t number) {
  file.append(&number, sizeof number);
}

std::uint64_t entry_of(std::uint32_t key, DocumentNumber document) {
  return std::uint64_t{key} << 32 | document;
}

class Writer {
 public:
  Writer(const std::string& path, const HashLayout& layout, std::uint64_t fingerprint,
         std::span<const SegmentSource* const> sources)
      : file_(path), layout_(layout), fingerprint_(fingerprint), sources_(sources) {}

  WrittenSegment run() {
    file_.append(kMagic.data(), kMagic.size());
    write_records();
    write_starts();
    write_ids();
    for (std::uint32_t field = 0; field < layout_.fields; ++field)
      for (std::uint32_t band = 0; band < layout_.bands; ++band) write_band(field, band);
    write_contents();
    file_.seal();
    out_.bytes = file_.size();
    return std::move(out_);
  }

 private:
  void write_records() {
    file_.align(kAlignment);
    records_ = file_.size();
    for (const SegmentSource* source : sources_) {
      std::vector<DocumentNumber>& numbers = out_.numbers.emplace_back(source->end(), kNoDocument);
      for (DocumentNumber document = 0; document < source->end(); ++document) {
        if (!source->is_live(document)) continue;
        numbers[document] = out_.documents++;
        write_record(source->get_hashes(document));
      }
    }
    starts_.push_back(file_.size());
  }

  void write_record(const DocumentHashes& document) {
    starts_.push_back(file_.size());
    ids_.push_back(entry_of(hash_of_id(document.id), out_.documents - 1));
    std::uint64_t present = 0;
    for (const FieldHashes& field : document.fields) present |= std::uint64_t{1} << field.field;
    append_number(file_, present);
    for (const FieldHashes& field : document.fields) {
      file_.append(field.keys.data(), field.keys.size() * sizeof field.keys[0]);
      file_.append(field.cut.data(), field.cut.size());
    }
    for (const FieldHashes& field : document.fields) {
      const auto count = static_cast<std::uint32_t>(field.features.size());
      file_.append(&count, sizeof count);
    }
    const auto length = static_cast<std::uint16_t>(document.id.size());
    file_.append(&length, sizeof length);
    file_.append(document.id.data(), document.id.size());
    for (const FieldHashes& field : document.fields)
      file_.append(field.features.data(), field.features.size() * sizeof field.features[0]);
  }

  void write_starts() {
    file_.align(kAlignment);
    starts_begin_ = file_.size();
    file_.append(starts_.data(), starts_.size() * sizeof starts_[0]);
    starts_ = {};
  }

  void write_ids() {
    file_.align(kAlignment);
    ids_begin_ = file_.size();
    ips4o::sort(ids_.begin(), ids_.end());
    file_.append(ids_.data(), ids_.size() * sizeof ids_[0]);
    ids_ = {};
  }

  void write_band(std::uint32_t field, std::uint32_t band) {
    entries_.clear();
    for (std::size_t i = 0; i < sources_.size(); ++i) {
      sources_[i]->for_each_key(field, band, [&](std::uint32_t key, DocumentNumber document) {
        const DocumentNumber number = out_.numbers[i][document];
        if (number != kNoDocument) entries_.push_back(entry_of(key, number));
      });
    }
    ips4o::sort(entries_.begin(), entries_.end());
    file_.align(kAlignment);
    contents_.push_back(file_.size());
    contents_.push_back(entries_.size());
    file_.append(entries_.data(), entries_.size() * sizeof entries_[0]);

    const std::uint64_t blocks = entries_.size() / kKeysPerBlock + 1;
    filter_.assign(blocks * kFilterBlock, 0);
    for (const std::uint64_t entry : entries_) {
      const auto key = static_cast<std::uint32_t>(entry >> 32);
      std::uint8_t* block = filter_.data() + (key * blocks >> 32) * kFilterBlock;
      const FilterBits bits(key);
      for (int i = 0; i < kFilterBits; ++i)
        block[bits.bit(i) / 8] =
            static_cast<std::uint8_t>(block[bits.bit(i) / 8] | 1 << bits.bit(i) % 8);
    }
    file_.align(kAlignment);
    contents_.push_back(file_.size());
    contents_.push_back(blocks);
    file_.append(filter_.data(), filter_.size());
  }

  // Its end has a fixed size, so that a reader begins there.
  void write_contents() {
    file_.align(kAlignment);
    for (const std::uint64_t number : contents_) append_number(file_, number);
    for (const std::uint64_t number :
         {kVersion, fingerprint_, std::uint64_t{layout_.fields}, std::uint64_t{layout_.bands},
          std::uint64_t{layout_.slots}, std::uint64_t{out_.documents}, records_, starts_begin_,
          ids_begin_, std::uint64_t{0}})
      append_number(file_, number);
  }

  SealedFileWriter file_;
  HashLayout layout_;
  std::uint64_t fingerprint_;
  std::span<const SegmentSource* const> sources_;
  WrittenSegment out_;
  std::uint64_t records_ = 0, starts_begin_ = 0, ids_begin_ = 0;
  std::vector<std::uint64_t> starts_;
  std::vector<std::uint64_t> ids_;
  std::vector<std::uint64_t> entries_;
  std::vector<std::uint8_t> filter_;
  std::vector<std::uint64_t> contents_;  // entries, their number, filter, its blocks: of each band
};

}  // namespace

WrittenSegment write_segment(const std::string& path, const HashLayout& layout,
                             std::uint64_t fingerprint,
                             std::span<const SegmentSource* const> sources) {
  return Writer(path, layout, fingerprint, sources).run();
}

}  // namespace benzer
