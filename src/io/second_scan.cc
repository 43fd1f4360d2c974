#include "io/second_scan.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "benzer/runtime.h"

#include "base/parallel.h"
#include "io/corpus_body.h"

namespace benzer {
namespace {

struct LinesItem {
  std::uint32_t source = 0;
  std::vector<std::uint32_t> lengths;  // of the lines, which follow one another in `bytes`
  std::vector<char> bytes;             // the lines, and at least kLinePadding bytes after them
  std::size_t size = 0;
  std::unique_ptr<RecordParser> parser;
  ParsedLine parsed;
  std::unique_ptr<DocumentVisitor::Block> documents;

  void append(std::string_view more) {
    if (bytes.size() < size + more.size() + kLinePadding)
      bytes.resize(std::max(2 * bytes.size(), size + more.size() + kLinePadding));
    std::memcpy(bytes.data() + size, more.data(), more.size());
    size += more.size();
  }
};

class LineScan {
 public:
  LineScan(const ScannedLines& lines, std::size_t block_bytes)
      : size_(lines.index.size()),
        places_(lines.index),
        sources_(lines.sources),
        stop_(lines.stop),
        block_bytes_(block_bytes) {}

  // Copies the lines of the next documents of one source, adjacent ones together.
  bool produce(LinesItem& item) {
    throw_if_stopped(stop_);
    item.lengths.clear();
    item.size = 0;
    std::uint64_t gathered = 0;
    ByteRange run;
    const auto copy_run = [&] {
      if (run.length > 0) pass_->copy(run, [&](std::string_view bytes) { item.append(bytes); });
    };
    for (; next_ < size_ && gathered < block_bytes_; ++next_) {
      const LineIndex::Place place = places_.at(next_);
      if (!pass_ || place.source != source_) {
        if (!item.lengths.empty()) break;
        finish();
        pass_.emplace(sources_[place.source]);
        source_ = place.source;
      }
      if (run.offset + run.length != place.range.offset) {
        copy_run();
        run = {place.range.offset, 0};
      }
      run.length += place.range.length;
      gathered += place.range.length;
      item.lengths.push_back(static_cast<std::uint32_t>(place.range.length));
    }
    copy_run();
    item.source = source_;
    return !item.lengths.empty();
  }

  void finish() {
    if (pass_) pass_->finish();
    pass_.reset();
  }

 private:
  std::uint32_t size_;
  LineIndex::Walk places_;
  const std::vector<LineSource>& sources_;
  const std::atomic<bool>* stop_;
  std::size_t block_bytes_;
  std::optional<SecondPass> pass_;
  std::uint32_t source_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace

void read_in_blocks(DocumentVisitor& visitor, std::uint32_t size, int threads,
                    const std::function<std::unique_ptr<Corpus::Reader>()>& make_reader) {
  constexpr std::uint32_t kBlock = 256;  // documents
  struct Item {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::unique_ptr<DocumentVisitor::Block> documents;
  };
  std::uint32_t next = 0;
  ordered_pipeline<Item>(
      threads,
      [&](Item& item) {
        item.begin = next;
        item.end = next += std::min(size - next, kBlock);
        return item.begin < item.end;
      },
      [&](Item& item) {
        item.documents = visitor.start_block();
        const std::unique_ptr<Corpus::Reader> reader = make_reader();
        for (std::uint32_t i = item.begin; i < item.end; ++i) item.documents->add(reader->read(i));
      },
      [&](Item& item) { visitor.finish_block(std::move(item.documents)); });
}

void scan_lines_again(DocumentVisitor& visitor, const ScannedLines& lines,
                      const MakeParser& make_parser, const ScanWeights& weights, int threads) {
  LineScan scan(lines, weights.block_bytes());
  ordered_pipeline<LinesItem>(
      threads, [&](LinesItem& item) { return scan.produce(item); },
      [&](LinesItem& item) {
        if (!item.parser) item.parser = make_parser();
        item.documents = visitor.start_block();
        const char* line = item.bytes.data();
        for (const std::uint32_t length : item.lengths) {
          if (item.parser->parse({line, length}, item.parsed) != RecordParser::Outcome::kDocument)
            throw_changed(lines.sources[item.source].file());
          item.documents->add(item.parsed.view);
          line += length;
        }
      },
      [&](LinesItem& item) {
        visitor.finish_block(std::move(item.documents));
        // Halved, since growing may leave twice the size of the block.
        if (weights.is_large(item.bytes.size() / 2)) item.bytes = {};
      },
      weights.most(),
      [&](const LinesItem& item) { return weights.of(item.size, item.lengths.size()); });
  scan.finish();
}

}  // namespace benzer
