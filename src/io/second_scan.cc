#include "io/second_scan.h"

#include <algorithm>
#include <cstring>

#include "benzer/runtime.h"

#include "base/pipeline.h"
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

// A source that is read again: its documents from `next` on.
class LineScan {
 public:
  LineScan(const ScannedLines& lines, std::uint32_t first)
      : source_(lines.index.source(first)),
        next_(first),
        end_(lines.index.end_of_source(first)),
        places_(lines.index),
        pass_(lines.sources[source_]) {}

  std::uint32_t end() const noexcept { return end_; }
  std::uint32_t source() const noexcept { return source_; }

  // Copies the lines of the next documents, adjacent ones together.
  bool produce(LinesItem& item, std::size_t block_bytes) {
    item.source = source_;
    item.lengths.clear();
    item.size = 0;
    std::uint64_t gathered = 0;
    ByteRange run;
    const auto copy_run = [&] {
      if (run.length > 0) pass_.copy(run, [&](std::string_view bytes) { item.append(bytes); });
    };
    for (; next_ < end_ && gathered < block_bytes; ++next_) {
      const LineIndex::Place place = places_.at(next_);
      if (run.offset + run.length != place.range.offset) {
        copy_run();
        run = {place.range.offset, 0};
      }
      run.length += place.range.length;
      gathered += place.range.length;
      item.lengths.push_back(static_cast<std::uint32_t>(place.range.length));
    }
    copy_run();
    if (item.lengths.empty()) pass_.finish();
    return !item.lengths.empty();
  }

 private:
  std::uint32_t source_, next_, end_;
  LineIndex::Walk places_;
  SecondPass pass_;
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
  std::uint32_t next = 0;
  const auto open = [&]() -> std::unique_ptr<LineScan> {
    if (next == lines.index.size()) return nullptr;
    auto scan = std::make_unique<LineScan>(lines, next);
    next = scan->end();
    return scan;
  };
  const auto produce = [&](LineScan& scan, LinesItem& item) {
    throw_if_stopped(lines.stop);
    return scan.produce(item, weights.block_bytes());
  };
  const auto work = [&](LinesItem& item) {
    if (!item.parser) item.parser = make_parser();
    item.documents = visitor.start_block();
    const char* line = item.bytes.data();
    for (const std::uint32_t length : item.lengths) {
      if (item.parser->parse({line, length}, item.parsed) != RecordParser::Outcome::kDocument)
        throw_changed(lines.sources[item.source].file());
      item.documents->add(item.parsed.view);
      line += length;
    }
  };
  const auto consume = [&](LinesItem& item) {
    visitor.finish_block(std::move(item.documents));
    // Halved, since growing may leave twice the size of the block.
    if (weights.is_large(item.bytes.size() / 2)) item.bytes = {};
  };
  SourcePipeline<LineScan, LinesItem>(
      {.open = open,
       .produce = produce,
       .work = work,
       .consume = consume,
       .weigh = [&](const LinesItem& item) { return weights.of(item.size, item.lengths.size()); },
       .is_slow =
           [&](const LineScan& scan) { return !lines.sources[scan.source()].random_access(); },
       .may_open_early = [] { return true; },
       .set_aside =
           [](LinesItem& item) {
             item.bytes = {};
             item.parser.reset();
             return item.documents->set_aside();
           }},
      {.threads = threads,
       .weight = weights.most(),
       .sources = lines.sources_at_a_time,
       .early_weight = weights.most_early()})
      .run();
}

}  // namespace benzer
