// Implements the corpus whose documents are rows of Arrow tables.
#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"
#include "benzer/runtime.h"

#include "base/given_path.h"
#include "base/parallel.h"
#include "base/pipeline.h"
#include "base/workspace.h"
#include "io/arrow_row.h"
#include "io/corpus_body.h"
#include "io/document_copies.h"
#include "io/id_format.h"
#include "io/line_index.h"

namespace benzer {
namespace {

// A piece of a batch is one block of documents: at most so many rows, and about so many bytes.
constexpr std::int64_t kPieceRows = 1024;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

// Rows of one batch, one after the other.
struct Piece {
  std::uint32_t source = 0;
  std::int64_t row_of_batch = 0;  // the place of the batch in its table
  std::int64_t begin = 0, end = 0;
  std::shared_ptr<const ArrowBatch> batch;
};

// Cuts the batches of a table into pieces, in order.
class PieceStream {
 public:
  // The options must outlive it.
  PieceStream(const ArrowOptions& options, const ArrowInput& table, std::uint32_t source)
      : options_(options),
        source_(source),
        reader_(table),
        columns_(ArrowColumns::find(*reader_.type(), options, table.name)) {}

  std::string id_format() const { return columns_.id_format(*reader_.type()); }

  bool next(Piece& out) {
    do {
      throw_if_stopped(options_.stop);  // also among many empty batches
    } while ((!batch_ || begin_ == batch_->rows()) && next_batch());
    if (!batch_) return false;
    out = {source_, row_of_batch_, begin_, batch_->piece_end(begin_, kPieceRows, kPieceBytes),
           batch_};
    begin_ = out.end;
    return true;
  }

 private:
  bool next_batch() {
    if (batch_) row_of_batch_ += batch_->rows();
    batch_.reset();
    auto array = reader_.next();
    if (!array) return false;
    batch_ = std::make_shared<ArrowBatch>(reader_.type(), std::move(array), columns_);
    // Before the rows are read: nulls of any number take no memory in a batch.
    LineIndex::check_count(static_cast<std::uint64_t>(row_of_batch_ + batch_->rows()));
    begin_ = 0;
    return true;
  }

  const ArrowOptions& options_;
  std::uint32_t source_;
  ArrowReader reader_;
  ArrowColumns columns_;
  std::shared_ptr<const ArrowBatch> batch_;
  std::int64_t row_of_batch_ = 0;
  std::int64_t begin_ = 0;
};

}  // namespace

struct ArrowCorpus::Impl {
  explicit Impl(ArrowOptions given)
      : options(std::move(given)),
        workspace(options.memory_limit, absolute_path(options.work_folder),
                  LineIndex::kPartOfLimit),
        index(workspace) {
    for (const auto* list : {&options.references, &options.inputs})
      for (const ArrowInput& table : *list) {
        tables.push_back(&table);
        names.push_back(table.name);
      }
  }

  bool is_reference(std::uint32_t source) const { return source < options.references.size(); }
  // Where a scan is in the tables.
  struct Cursor {
    std::uint32_t source = 0;
    std::size_t held = 0;               // the next one of the pieces that are held
    std::optional<PieceStream> stream;  // of a table that is not held, or not yet
  };
  bool next_piece(Cursor& cursor, bool is_first, Piece& out);
  void scan_pieces(DocumentVisitor& visitor, int threads, bool is_first);
  void append(const Piece& piece, const ParsedBlock& parsed);
  // The number that names a document without an id. Of files it is the place among all documents.
  // In tables without names it is the row, by which people drop rows, and references come last.
  std::uint32_t number_of(std::uint32_t document) const {
    if (!names[index.source(document)].empty()) return document;
    return document < references ? document + (index.size() - references) : document - references;
  }
  // The number of the first document of a table.
  std::uint32_t begin_of(std::uint32_t source) const { return source == 0 ? 0 : ends[source - 1]; }
  // Copies these documents of one table.
  void copy_documents(std::span<const std::uint32_t> documents);
  [[noreturn]] void throw_changed(std::uint32_t source) const;
  // Throws if a document of a table that is not held has another content than at first.
  void check_unchanged(std::uint32_t document, std::uint32_t content_hash) const {
    if (index.at(document).range.offset != content_hash) throw_changed(index.source(document));
  }
  // Reads a document again: of a batch that is held, or from its copy.
  DocumentView read_kept(std::uint32_t document, ArrowRow& row) const;

  ArrowOptions options;
  std::vector<const ArrowInput*> tables;  // references first
  std::vector<std::string> names;
  std::set<std::string> reference_id_formats, input_id_formats;
  Workspace workspace;
  LineIndex index;
  bool is_scanned = false;
  InputCounts counts;
  std::uint32_t references = 0;
  std::vector<std::uint32_t> ends;  // for each table, the number after its last document

  // The pieces of tables that are held, by their first documents.
  struct Held {
    std::uint32_t first_document;
    Piece piece;
  };
  std::vector<Held> held;

  DocumentCopies copies{workspace};  // of other tables
};

void ArrowCorpus::Impl::append(const Piece& piece, const ParsedBlock& parsed) {
  const std::uint32_t first = index.size();
  index.append(piece.source, is_reference(piece.source), 0,
               static_cast<std::uint64_t>(piece.row_of_batch + piece.begin), parsed);
  ends[piece.source] = index.size();
  if (tables[piece.source]->is_held) held.push_back({first, piece});
  if (is_reference(piece.source)) {
    references = index.size();
    return;
  }
  counts.bytes += parsed.bytes;
  counts.without_group += parsed.without_group;
  counts.without_number += parsed.without_number;
}

void ArrowCorpus::Impl::throw_changed(std::uint32_t source) const {
  throw Error(ErrorCode::kBadInput,
              table_named(names[source]) + " has other rows than when it was first read");
}

// Tables that are held are opened by the first scan only.
bool ArrowCorpus::Impl::next_piece(Cursor& cursor, bool is_first, Piece& out) {
  for (; cursor.source < tables.size(); ++cursor.source) {
    const ArrowInput& table = *tables[cursor.source];
    if (table.is_held && !is_first) {
      throw_if_stopped(options.stop);
      if (cursor.held == held.size() || held[cursor.held].piece.source != cursor.source) continue;
      out = held[cursor.held++].piece;
      return true;
    }
    if (!cursor.stream) {
      cursor.stream.emplace(options, table, cursor.source);
      if (is_first)
        (is_reference(cursor.source) ? reference_id_formats : input_id_formats)
            .insert(cursor.stream->id_format());
    }
    if (cursor.stream->next(out)) return true;
    cursor.stream.reset();
  }
  return false;
}

// The first scan numbers the documents; later ones hand them over again.
void ArrowCorpus::Impl::scan_pieces(DocumentVisitor& visitor, int threads, bool is_first) {
  struct Item {
    Piece piece;
    ParsedBlock parsed;
    std::vector<std::uint32_t> hashes;  // of a second scan of a table that is not held
    std::unique_ptr<ArrowRow> row;
    std::unique_ptr<DocumentVisitor::Block> documents;
  };
  Cursor cursor;
  std::uint32_t done = 0;
  ordered_pipeline<Item>(
      threads_within(threads, options.memory_limit),
      [&](Item& item) { return next_piece(cursor, is_first, item.piece); },
      [&](Item& item) {
        if (!item.row) item.row = std::make_unique<ArrowRow>(options);
        item.parsed.clear();
        item.hashes.clear();
        item.documents = visitor.start_block();
        const bool is_held = tables[item.piece.source]->is_held;
        for (std::int64_t i = item.piece.begin; i < item.piece.end; ++i) {
          item.row->read(*item.piece.batch, i);
          if (const std::string& problem = item.row->problem(); !problem.empty())
            throw Error(ErrorCode::kBadInput,
                        fmt::format("row {} of {}: {}", item.piece.row_of_batch + i + 1,
                                    table_named(names[item.piece.source]), problem));
          const std::uint32_t hash = is_held ? 0 : item.row->content_hash();
          if (is_first)
            item.row->note(item.parsed, static_cast<std::uint32_t>(i - item.piece.begin), hash);
          else if (!is_held)
            item.hashes.push_back(hash);
          item.documents->add(item.row->view());
        }
      },
      [&](Item& item) {
        const auto rows = static_cast<std::uint32_t>(item.piece.end - item.piece.begin);
        const std::uint32_t source = item.piece.source;
        if (is_first)
          append(item.piece, item.parsed);
        else if (done < begin_of(source))
          throw_changed(index.source(done));
        else if (rows > ends[source] - done)
          throw_changed(source);
        for (std::size_t i = 0; i < item.hashes.size(); ++i)
          check_unchanged(done + static_cast<std::uint32_t>(i), item.hashes[i]);
        done += rows;
        visitor.finish_block(std::move(item.documents));
        item.piece.batch.reset();
      });
  if (done < index.size()) throw_changed(index.source(done));
}

ArrowCorpus::ArrowCorpus(ArrowOptions options) {
  if (options.inputs.empty()) throw Error(ErrorCode::kInvalidArgument, "there is no table to read");
  impl_ = std::make_unique<Impl>(std::move(options));
}

ArrowCorpus::~ArrowCorpus() = default;

void ArrowCorpus::scan(DocumentVisitor& visitor, int threads) {
  check_is_first_scan(impl_->is_scanned);
  std::vector<std::uint32_t>& ends = impl_->ends;
  ends.assign(impl_->tables.size(), 0);
  impl_->scan_pieces(visitor, resolve_threads(threads), true);
  // A table without documents ends where the one before it does.
  for (std::size_t i = 1; i < ends.size(); ++i) ends[i] = std::max(ends[i], ends[i - 1]);
  impl_->counts.duplicate_ids = impl_->index.count_duplicate_ids();
}

std::uint32_t ArrowCorpus::size() const noexcept { return impl_->index.size(); }
std::uint32_t ArrowCorpus::references() const noexcept { return impl_->references; }
std::span<const std::string> ArrowCorpus::sources() const { return impl_->names; }
std::uint32_t ArrowCorpus::source_of(std::uint32_t document) const {
  return impl_->index.source(document);
}
InputCounts ArrowCorpus::counts() const { return impl_->counts; }

DocumentLabel ArrowCorpus::label(std::uint32_t document) const {
  LineIndex::Named named = impl_->index.named(document);
  DocumentLabel label;
  label.source = impl_->names[named.place.source];
  label.line = named.place.line;
  if (named.id.starts_with(ArrowRow::kIdOfBytes)) {
    label.id_bytes = named.id.substr(1);
    append_json_string(label.id_json, label.id_bytes);
  } else {
    label.id_json = std::move(named.id);
  }
  if (label.id_json.empty()) label.id_json = std::to_string(impl_->number_of(document));
  return label;
}

std::string ArrowCorpus::id_format(bool with_references) const {
  const std::string own = common_id_format(impl_->input_id_formats);
  if (!with_references || impl_->options.references.empty()) return own.empty() ? "l" : own;
  return joint_id_format(own, common_id_format(impl_->reference_id_formats));
}

void ArrowCorpus::prepare(std::span<const std::uint32_t> documents) {
  Impl& impl = *impl_;
  impl.copies = DocumentCopies(impl.workspace);
  while (!documents.empty()) {
    const std::uint32_t source = impl.index.source(documents.front());
    const auto end = std::lower_bound(documents.begin(), documents.end(), impl.ends[source]);
    const auto of_table = documents.first(static_cast<std::size_t>(end - documents.begin()));
    if (!impl.tables[source]->is_held) impl.copy_documents(of_table);
    documents = documents.subspan(of_table.size());
  }
}

void ArrowCorpus::Impl::copy_documents(std::span<const std::uint32_t> documents) {
  const std::uint32_t source = index.source(documents.front());
  PieceStream pieces(options, *tables[source], source);
  ArrowRow row(options);
  std::string bytes;
  std::uint32_t begin = begin_of(source);  // the number of the first document of the piece
  auto next = documents.begin();
  for (Piece piece; next != documents.end();) {
    if (!pieces.next(piece)) throw_changed(source);
    const std::int64_t rows = piece.end - piece.begin;
    if (rows > ends[source] - begin) throw_changed(source);
    const auto end = begin + static_cast<std::uint32_t>(rows);
    for (; next != documents.end() && *next < end; ++next) {
      row.read(*piece.batch, piece.begin + (*next - begin));
      check_unchanged(*next, row.content_hash());
      bytes.clear();
      row.save(bytes);
      copies.add(*next, bytes);
    }
    begin = end;
  }
}

void ArrowCorpus::scan_again(DocumentVisitor& visitor, int threads) {
  impl_->scan_pieces(visitor, resolve_threads(threads), false);
}

namespace {

// Reads rows of batches that are held, and others from the temporary file.
class ArrowDocumentReader final : public Corpus::Reader {
 public:
  using Read = std::function<DocumentView(std::uint32_t document, ArrowRow& row)>;
  ArrowDocumentReader(const ArrowOptions& options, Read read)
      : row_(options), read_(std::move(read)) {}
  DocumentView read(std::uint32_t document) override { return read_(document, row_); }

 private:
  ArrowRow row_;
  Read read_;
};

}  // namespace

DocumentView ArrowCorpus::Impl::read_kept(std::uint32_t document, ArrowRow& row) const {
  const std::uint32_t source = index.source(document);
  if (tables[source]->is_held) {
    const auto after = std::upper_bound(
        held.begin(), held.end(), document,
        [](std::uint32_t number, const Held& one) { return number < one.first_document; });
    const Held& found = *(after - 1);
    const std::int64_t place = found.piece.begin + (document - found.first_document);
    row.read(*found.piece.batch, place);
    return row.view();
  }
  const std::optional<ByteRange> copy = copies.find(document);
  if (!copy) throw_not_prepared(document);
  row.load(copy->length,
           [&](char* out, std::size_t size) { copies.read(copy->offset, out, size); });
  return row.view();
}

std::unique_ptr<Corpus::Reader> ArrowCorpus::reader() const {
  const Impl* impl = impl_.get();
  return std::make_unique<ArrowDocumentReader>(
      impl->options,
      [impl](std::uint32_t document, ArrowRow& row) { return impl->read_kept(document, row); });
}

}  // namespace benzer
