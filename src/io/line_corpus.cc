// Implements the corpus whose documents are records: lines of JSON or text, records of CSV.
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/parallel.h"
#include "base/pipeline.h"
#include "base/pool.h"
#include "base/workspace.h"
#include "io/corpus_body.h"
#include "io/csv_header.h"
#include "io/document_copies.h"
#include "io/json_shape.h"
#include "io/line_blocks.h"
#include "io/line_index.h"
#include "io/line_parser.h"
#include "io/line_problems.h"
#include "io/line_results.h"
#include "io/line_source.h"
#include "io/line_writer.h"
#include "io/open_files.h"
#include "io/plain_line_parser.h"
#include "io/scan_journal.h"
#include "io/scan_log.h"
#include "io/scan_weights.h"
#include "io/second_scan.h"
#include "io/skipped_lines.h"

namespace benzer {
namespace {

// What the pipeline of a scan passes from stage to stage.
struct ScanItem {
  std::size_t source = 0;
  std::string failure;           // why the source could not be opened
  bool no_text = false;          // the reason is that it is not text
  std::optional<Error> refusal;  // why its header or the beginning of its JSON ends the run
  bool has_lines = false;
  bool begins_source = false;
  // Whether an earlier run left the block in the source's log, its record there, and how long the
  // log is in front of what will be added.
  bool logged = false;
  std::string record;
  std::uint64_t log_bytes = 0;
  LineBlock block;
  Content content;  // of the source as far as it had been read when the block was cut
  ParsedBlock parsed;
  std::unique_ptr<RecordParser> parser;
  std::string_view noun;  // of its records
  std::unique_ptr<DocumentVisitor::Block> documents;
};

// A source that is being read for the first time.
struct OpenSource {
  template <class... Arguments>
  explicit OpenSource(std::size_t place, Arguments&&... arguments)
      : number(place), pass(std::forward<Arguments>(arguments)...) {}

  std::size_t number;
  FirstPass pass;
  std::string failure;  // why it could not be opened
  std::optional<LineBlockReader> blocks;
  ScanJournal::Saved saved;
  bool at_beginning = true;
};

// The memory of blocks that wait without their lines, for those that are read next.
class SpareMemory {
 public:
  void take_from(LineBlock& block) {
    auto spare = std::make_unique<LineBlock>();
    block.give_memory_to(*spare);
    blocks_.give(std::move(spare));
  }
  void take_to(LineBlock& block) {
    blocks_.take([] { return std::make_unique<LineBlock>(); })->give_memory_to(block);
  }

 private:
  Pool<LineBlock> blocks_;
};

// The bytes that always stay in memory for a file: its place, its source and a block of the index.
constexpr std::size_t kBytesOfFile = 8 + sizeof(LineSource) + LineIndex::kBytesOfBlock;

class LineCorpus final : public CorpusBody {
 public:
  LineCorpus(InputOptions options, InputList list, InputTuning tuning)
      : options_(std::move(options)),
        list_(std::move(list)),
        tuning_(tuning),
        limits_(options_.max_line_bytes, options_.memory_limit),
        workspace_(options_.memory_limit, options_.work_folder, LineIndex::kPartOfLimit),
        index_(workspace_),
        journal_(options_, list_, sources_) {
    check_room_for(list_, kBytesOfFile, options_.memory_limit);
    sources_.reserve(list_.files.size());
    for (std::size_t i = 0; i < list_.files.size(); ++i)
      sources_.emplace_back(list_.files, i, options_.stop);
    if (const char delimiter = delimiter_of(list_.format)) csv_.emplace(options_, delimiter);
  }

  void scan(DocumentVisitor& visitor, int threads) override;
  bool saves() const noexcept override { return journal_.saves(); }
  void remove_stages() noexcept override { journal_.remove_stages(); }
  const InputList& inputs() const noexcept override { return list_; }
  std::uint32_t size() const noexcept override { return index_.size(); }
  DocumentLabel label(std::uint32_t document) const override;
  std::string id_format(bool with_references) const override {
    return index_.id_kinds(with_references).format();
  }
  std::uint32_t references() const noexcept override { return references_; }
  std::uint32_t source_of(std::uint32_t document) const override {
    return sources_[index_.source(document)].traits().source;
  }
  void prepare(std::span<const std::uint32_t> documents) override;
  std::unique_ptr<Corpus::Reader> reader() const override;
  void scan_again(DocumentVisitor& visitor, int threads) override {
    threads = threads_within(threads, options_.memory_limit);
    const ScanWeights weights(workspace_, tuning_.block_bytes, threads);
    scan_lines_again(
        visitor, {index_, sources_, options_.stop, sources_at_a_time(visitor)},
        [this] { return parser(); }, weights, threads);
  }
  void write_kept(std::span<const std::uint32_t> removed, OutputFile& kept, OutputFile* skipped,
                  const std::function<void(std::uint64_t)>& progress) override;
  void write_annotated(const FileCorpus::Annotation& annotation, OutputFile& out,
                       OutputFile* skipped,
                       const std::function<void(std::uint64_t)>& progress) override;
  void write_edited(const FileCorpus::Edits& edits, OutputFile& out, OutputFile* skipped,
                    const std::function<void(std::uint64_t)>& progress) override;

 private:
  friend class LineReader;

  std::unique_ptr<OpenSource> open_source();
  bool produce(OpenSource& source, ScanItem& item);
  void work(ScanItem& item, DocumentVisitor& visitor);
  std::uint64_t set_aside(ScanItem& item);
  void log_block(ScanItem& item, const DocumentVisitor::Block& documents) const;
  void commit(ScanItem& item, DocumentVisitor& visitor, ProblemLog& log, LineProblems& problems);
  LineFields fields() const {
    return {options_.id_field,      options_.text_field,  options_.values_field,
            options_.fields,        options_.needs_id,    options_.group_field,
            options_.number_fields, options_.has_weights, options_.group_parameter,
            options_.added_fields};
  }
  std::unique_ptr<RecordParser> parser() const {
    if (csv_) return csv_->parser();
    if (list_.format == InputFormat::kLines) return std::make_unique<PlainLineParser>();
    return std::make_unique<LineParser>(fields());
  }
  std::optional<Error> refusal_of(ScanItem& item, bool has_ended);

  int unpacking_threads() const;
  int sources_at_a_time(const DocumentVisitor& visitor) const {
    return visitor.blocks_may_wait() ? unpacking_threads() : 1;
  }
  void unpack(std::size_t begin, std::size_t end);

  const CsvHeader* csv() const { return csv_ ? &*csv_ : nullptr; }

  InputOptions options_;
  InputList list_;
  InputTuning tuning_;
  RecordLimits limits_;
  std::vector<LineSource> sources_;
  mutable OpenFiles open_files_{sources_};  // of sources that are not packed
  Workspace workspace_;
  LineIndex index_;
  SkippedLines skipped_{workspace_};
  ScanJournal journal_;
  std::uint32_t references_ = 0;
  std::optional<CsvHeader> csv_;
  DocumentCopies unpacked_{workspace_};  // documents of packed sources
  int threads_ = 1;                      // of the first pass

  // State of a running scan.
  std::size_t next_source_ = 0;
  std::optional<ScanWeights> weights_;
  std::optional<SpareMemory> memory_;
  std::size_t next_notice_ = 0;
  std::uint64_t fields_found_ = 0;  // by any document; bits of ParsedLine
  std::uint64_t lines_before_ = 0;  // in the source, in front of the block to commit next
};

// Opens the next source of this part.
std::unique_ptr<OpenSource> LineCorpus::open_source() {
  if (next_source_ >= sources_.size()) return nullptr;
  auto out = std::make_unique<OpenSource>(next_source_, sources_[next_source_], workspace_,
                                          tuning_.standard_input);
  next_source_ += options_.parts;
  out->failure = out->pass.open(saves());
  if (!out->failure.empty()) return out;
  out->blocks.emplace(out->pass.take_stream(), weights_->block_bytes(), limits_.held(),
                      csv_ ? csv_->ends() : RecordEnds());
  out->saved = journal_.begin(out->number);
  return out;
}

// Reads the next block of a source.
bool LineCorpus::produce(OpenSource& source, ScanItem& item) {
  item.source = source.number;
  item.failure.clear();
  item.refusal.reset();
  item.has_lines = item.logged = false;
  item.begins_source = std::exchange(source.at_beginning, false);
  item.log_bytes = 0;
  if (!source.failure.empty()) {
    item.failure = source.failure;
    item.no_text = source.pass.no_text();
    return item.begins_source;
  }
  using Next = ScanJournal::Saved::Next;
  const Next next = source.saved.next(item.record, source.pass);
  if (next == Next::kBlock) return item.logged = item.has_lines = true;
  if (next == Next::kSource && source.saved.log_bytes() > 0) {
    // At the end of an incomplete log, goes on with the source itself from that place.
    if (!source.blocks->skip(source.saved.read_on())) throw_changed(sources_[source.number].file());
    item.log_bytes = source.saved.log_bytes();
    source.saved.stop_reading();
  }
  if (next == Next::kEnd) return false;
  if (item.block.capacity() == 0) memory_->take_to(item.block);
  if (!source.blocks->next(item.block)) return false;
  item.has_lines = true;
  item.content = source.pass.content();
  item.refusal = refusal_of(item, source.blocks->ended());
  return true;
}

// Why the beginning of the source in this block ends the run; nothing if it does not.
std::optional<Error> LineCorpus::refusal_of(ScanItem& item, bool has_ended) {
  const InputFile file = sources_[item.source].file();
  if (csv_) return csv_->find(file, item.begins_source, item.block);
  if (list_.format != InputFormat::kJsonLines || !item.begins_source) return std::nullopt;
  return shape_refusal(file, item.block.lines(), has_ended);
}

// Called by many threads at a time, each for a block of its own.
void LineCorpus::log_block(ScanItem& item, const DocumentVisitor::Block& documents) const {
  const LineBlock& block = item.block;
  LoggedBlock logged{block.offset, block.offset + block.lines().size(), item.content};
  if (block.tail != LineBlock::Tail::kNone) logged.next = block.rest.offset + block.rest.length;
  std::string made;
  documents.save(made);
  item.record = logged_block(logged, item.parsed, made);
}

// Numbers the documents and reports problems, in input order.
void LineCorpus::commit(ScanItem& item, DocumentVisitor& visitor, ProblemLog& log,
                        LineProblems& problems) {
  problems.come_to(sources_[item.source]);
  log.notices(list_, item.source, next_notice_);
  if (!item.failure.empty()) {
    const InputFile file = sources_[item.source].file();
    item.no_text ? log.no_text(file, item.failure)
                 : log.lost(file, Error(ErrorCode::kBadInput, file.subject(), item.failure),
                            "it was skipped");
    return;
  }
  LineSource& source = sources_[item.source];
  if (item.begins_source) lines_before_ = 0;
  journal_.come_to(item.source);
  // Nothing was made of this block: what the item holds else is of the one before.
  if (item.has_lines && item.refusal) throw Error(*item.refusal);
  if (item.has_lines && item.parsed.refused)
    throw Error(ErrorCode::kInvalidArgument,
                source.file().at(lines_before_ + item.parsed.refused->line + 1),
                item.parsed.refused->text());
  if (item.has_lines && item.parsed.annotated && !source.traits().reference)
    throw_annotated(source.file().at(lines_before_ + item.parsed.annotated->first + 1),
                    item.parsed.annotated->second);
  if (!item.logged && item.has_lines && journal_.saves()) {
    if (item.block.tail == LineBlock::Tail::kDamaged) {
      journal_.give_up(item.source, item.block.damage);
    } else {
      journal_.write(item.source, item.record, item.log_bytes);
    }
  }
  if (!item.has_lines) return;
  if (!item.parsed.documents.empty()) problems.found_documents();
  for (const LineProblem& problem : item.parsed.problems) {
    skipped_.add(source, problem.range);
    if (!source.traits().reference) ++counts.skipped_lines;
    problems.add(lines_before_ + problem.line + 1, problem.range, problem.text(), item.noun);
  }
  if (!source.traits().reference) {
    counts.bytes += item.parsed.bytes;
    counts.without_group += item.parsed.without_group;
    counts.without_number += item.parsed.without_number;
  }
  fields_found_ |= item.parsed.fields_found;
  if (!item.parsed.documents.empty())
    index_.append(static_cast<std::uint32_t>(item.source), source.traits().reference,
                  item.block.offset, lines_before_, item.parsed);
  if (source.traits().reference) references_ = index_.size();
  visitor.finish_block(std::move(item.documents));
  lines_before_ += item.parsed.lines;
  if (item.block.tail == LineBlock::Tail::kDamaged) {
    if (item.block.rest.length > 0) skipped_.add(source, item.block.rest);
    log.lost(source.file(),
             Error(ErrorCode::kBadInput, source.file().at(lines_before_ + 1), item.block.damage),
             "the rest of the file from this line on was skipped");
  }
  if (weights_->is_large(item.block.capacity())) {
    item.block.release();
    item.parser.reset();
  }
}

// What is made of a block. Called by many threads at a time, each for a block of its own.
void LineCorpus::work(ScanItem& item, DocumentVisitor& visitor) {
  if (!item.has_lines || item.refusal) return;
  if (!item.parser) item.parser = parser();
  item.noun = item.parser->noun();
  item.documents = visitor.start_block();
  if (item.logged) {
    LoggedBlock block;
    std::string_view made;
    read_logged_block(item.record, block, item.parsed, made);
    item.documents->load(made, item.parsed.documents.size());
    item.block.restore(block.offset);
  } else {
    parse_block(item.block, limits_, *item.parser, *item.documents, item.parsed);
    if (saves()) log_block(item, *item.documents);
  }
}

// Frees what a block does not need while it waits for those of earlier sources.
std::uint64_t LineCorpus::set_aside(ScanItem& item) {
  if (workspace_.limited()) {
    item.block.release();
  } else if (item.block.capacity() > 0) {
    memory_->take_from(item.block);
  }
  item.parser.reset();
  if (item.logged) item.record = {};
  const std::uint64_t held = item.record.capacity() + item.parsed.held_bytes();
  return item.documents ? held + item.documents->set_aside() : held;
}

void LineCorpus::scan(DocumentVisitor& visitor, int threads) {
  threads_ = threads = threads_within(threads, options_.memory_limit);
  weights_.emplace(workspace_, tuning_.block_bytes, threads);
  if (csv_) check_headers(options_, list_.files, csv_->delimiter());
  if (list_.format == InputFormat::kJsonLines) check_json_shapes(options_, list_.files);
  journal_.start(visitor);
  ProblemLog log(options_, counts);
  LineProblems problems(log, fields(), options_.strict);
  next_source_ = options_.part - 1;
  memory_.emplace();
  // The headers of CSV are compared with the first one, and signatures are in one file.
  const bool in_order = csv_ || journal_.reads_in_order();
  SourcePipeline<OpenSource, ScanItem>(
      {.open = [&] { return open_source(); },
       .produce = [&](OpenSource& source, ScanItem& item) { return produce(source, item); },
       .work = [&](ScanItem& item) { work(item, visitor); },
       .consume = [&](ScanItem& item) { commit(item, visitor, log, problems); },
       .weigh =
           [&](const ScanItem& item) {
             return item.logged ? weights_->of(item.record.size(), 0)
                                : weights_->of(item.block.lines());
           },
       .is_slow =
           [&](const OpenSource& source) {
             const LineSource& of = sources_[source.number];
             return of.traits().stream || !of.random_access();
           },
       .may_open_early =
           [&] {
             return next_source_ < sources_.size() && !sources_[next_source_].traits().stream;
           },
       .set_aside = [&](ScanItem& item) { return set_aside(item); }},
      {.threads = threads,
       .weight = weights_->most(),
       .sources = in_order ? 1 : sources_at_a_time(visitor),
       .early_weight = weights_->most_early()})
      .run();
  memory_.reset();
  problems.end_source();
  // Other parts may have the fields.
  if (list_.format == InputFormat::kJsonLines && options_.fields.empty() && options_.parts == 1) {
    std::optional<Error> unknown;
    if (index_.size() == references_) unknown = problems.unknown_content();
    if (!unknown && index_.size() > 0) {
      const LineIndex::Place first = index_.at(0);
      unknown = unknown_field(fields(), fields_found_, sources_[first.source], first.range);
    }
    if (unknown) throw Error(*unknown);
  }
  skipped_.finish();
  journal_.finish();
  log.notices(list_, list_.files.size(), next_notice_);
  counts.duplicate_ids = index_.count_duplicate_ids();
}

DocumentLabel LineCorpus::label(std::uint32_t document) const {
  LineIndex::Named named = index_.named(document);
  DocumentLabel label;
  label.id_json = named.id.empty() ? std::to_string(document) : std::move(named.id);
  label.source = sources_[named.place.source].file().path;
  label.line = named.place.line;
  return label;
}

// Unpacks several sources at a time, each by one thread.
void LineCorpus::prepare(std::span<const std::uint32_t> documents) {
  unpacked_ = DocumentCopies(workspace_);
  std::vector<std::size_t> begins;  // of the documents of a source, in unpacked_
  std::uint32_t last_source = 0;
  LineIndex::Walk places(index_);
  for (const std::uint32_t document : documents) {
    const LineIndex::Place place = places.at(document);
    if (sources_[place.source].random_access()) continue;
    if (begins.empty() || place.source != last_source)
      begins.push_back(unpacked_.documents().size());
    last_source = place.source;
    unpacked_.reserve(document, place.range.length);
  }
  begins.push_back(unpacked_.documents().size());
  parallel_for(unpacking_threads(), begins.size() - 1, 1, [&](std::size_t i, std::size_t end) {
    for (; i < end; ++i) unpack(begins[i], begins[i + 1]);
  });
}

// What unpacks may hold up to 128 MiB, so a limit allows a part of the threads.
int LineCorpus::unpacking_threads() const {
  constexpr std::uint64_t kLimitOfThread = 256u << 20;
  if (!workspace_.limited()) return threads_;
  return static_cast<int>(std::clamp<std::uint64_t>(workspace_.limit() / kLimitOfThread, 1,
                                                    static_cast<std::uint64_t>(threads_)));
}

// Writes the copies of documents of one source, by their places in unpacked_.
void LineCorpus::unpack(std::size_t begin, std::size_t end) {
  constexpr std::size_t kBufferBytes = 128u << 10;
  LineIndex::Walk places(index_);
  const std::span<const std::uint32_t> documents = unpacked_.documents();
  SecondPass pass(sources_[places.at(documents[begin]).source]);
  std::vector<char> buffer;
  std::uint64_t written = unpacked_.offset(begin);
  const auto flush = [&] {
    unpacked_.write(written, {buffer.data(), buffer.size()});
    written += buffer.size();
    buffer.clear();
  };
  for (std::size_t i = begin; i < end; ++i) {
    throw_if_stopped(options_.stop);
    pass.copy(places.at(documents[i]).range, [&](std::string_view bytes) {
      buffer.insert(buffer.end(), bytes.begin(), bytes.end());
      if (buffer.size() >= kBufferBytes) flush();
    });
  }
  flush();
  pass.finish();
}

// Reads records at their place.
class LineReader final : public Corpus::Reader {
 public:
  explicit LineReader(const LineCorpus& corpus) : corpus_(corpus), parser_(corpus.parser()) {}

  DocumentView read(std::uint32_t document) override {
    const std::string_view line = read_line(document);
    if (parser_->parse(line, parsed_) != RecordParser::Outcome::kDocument)
      throw_changed(corpus_.sources_[corpus_.index_.source(document)].file());
    return parsed_.view;
  }

 private:
  std::string_view read_line(std::uint32_t document) {
    if (const std::optional<ByteRange> copy = corpus_.unpacked_.find(document)) {
      make_room(copy->length);
      corpus_.unpacked_.read(copy->offset, line_.data(), copy->length);
      return {line_.data(), copy->length};
    }
    const LineIndex::Place place = corpus_.index_.at(document);
    if (!corpus_.sources_[place.source].random_access()) throw_not_prepared(document);
    make_room(place.range.length);
    const OpenFiles::Use file = corpus_.open_files_.open(place.source);
    file->read(place.range, line_.data());
    file->check_unchanged();
    return {line_.data(), place.range.length};
  }

  void make_room(std::uint64_t length) {
    if (line_.size() < length + kLinePadding) line_.resize(length + kLinePadding);
  }

  const LineCorpus& corpus_;
  std::unique_ptr<RecordParser> parser_;
  ParsedLine parsed_;
  std::vector<char> line_;
};

std::unique_ptr<Corpus::Reader> LineCorpus::reader() const {
  return std::make_unique<LineReader>(*this);
}

void LineCorpus::write_kept(std::span<const std::uint32_t> removed, OutputFile& kept,
                            OutputFile* skipped,
                            const std::function<void(std::uint64_t)>& progress) {
  write_kept_lines(
      {sources_, index_, skipped_, references_, csv(), skipped, progress, options_.stop}, removed,
      kept);
}

void LineCorpus::write_annotated(const FileCorpus::Annotation& annotation, OutputFile& out,
                                 OutputFile* skipped,
                                 const std::function<void(std::uint64_t)>& progress) {
  LineFields with_added = fields();
  with_added.added = annotation.names;
  LineParser records(with_added);
  write_annotated_lines(
      {sources_, index_, skipped_, references_, csv(), skipped, progress, options_.stop},
      annotation, records, out);
}

void LineCorpus::write_edited(const FileCorpus::Edits& edits, OutputFile& out, OutputFile* skipped,
                              const std::function<void(std::uint64_t)>& progress) {
  const std::unique_ptr<RecordParser> records = parser();
  write_edited_lines(
      {sources_, index_, skipped_, references_, csv(), skipped, progress, options_.stop}, edits,
      *records, out);
}

}  // namespace

std::unique_ptr<CorpusBody> make_line_corpus(InputOptions options, InputList list,
                                             InputTuning tuning) {
  return std::make_unique<LineCorpus>(std::move(options), std::move(list), tuning);
}

}  // namespace benzer
