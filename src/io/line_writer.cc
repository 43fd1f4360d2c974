#include "io/line_writer.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"
#include "benzer/runtime.h"

#include "io/corpus_body.h"
#include "io/csv_annotation.h"
#include "io/input_list.h"

namespace benzer {
namespace {

// Adjacent records are copied together up to this size.
constexpr std::uint64_t kRunBytes = 4u << 20;
// Documents that are written between two calls of the progress function.
constexpr std::uint64_t kProgressDocuments = 256;

// The line end that a line lacks. Readers of CSV take a carriage return alone for a line end, and
// it must not become a part of the last field.
std::string_view missing_line_end(char last, const CsvHeader* csv) {
  if (last == '\n') return {};
  return csv && last != '\r' ? std::string_view(csv->line_end()) : "\n";
}

// Copies ranges of records to an output, adjacent ones together. Adds a line end to a record that
// has none if another one follows.
class LineCopier {
 public:
  LineCopier(OutputFile* out, const CsvHeader* csv) : out_(out), csv_(csv) {}

  // Writes the header of CSV in front of the first record.
  void begin() {
    if (!csv_ || begun_) return;
    begun_ = true;
    write(csv_->bytes());
  }

  void add(SecondPass& pass, ByteRange range) {
    if (!out_) return;
    if (pending_.length > 0 && pending_.offset + pending_.length == range.offset) {
      pending_.length += range.length;
    } else {
      flush(pass);
      pending_ = range;
    }
    if (pending_.length >= kRunBytes) flush(pass);
  }

  void flush(SecondPass& pass) {
    if (pending_.length == 0) return;
    begin();
    bool first = true;
    pass.copy(pending_, [&](std::string_view bytes) {
      if (first) end_line();
      first = false;
      write(bytes);
    });
    pending_ = {};
  }

  // Writes a record whose bytes are not those of the source.
  void write_record(SecondPass& pass, std::string_view bytes) {
    flush(pass);
    begin();
    end_line();
    write(bytes);
  }

 private:
  void end_line() { out_->write(missing_line_end(last_, csv_)); }

  void write(std::string_view bytes) {
    out_->write(bytes);
    if (!bytes.empty()) last_ = bytes.back();
  }

  OutputFile* out_;
  const CsvHeader* csv_;
  ByteRange pending_;
  bool begun_ = false;
  char last_ = '\n';
};

// Decides which documents are written, and writes them. The documents come in order.
class Documents {
 public:
  virtual ~Documents() = default;
  // Returns false if the document is not written.
  virtual bool take(std::uint32_t) { return true; }
  virtual void write(SecondPass& pass, std::uint32_t document, const LineIndex::Place& place) = 0;
  // Called before another part of the source is read.
  virtual void flush(SecondPass&) {}
};

void write_lines(const LineWriting& writing, Documents& documents) {
  LineCopier skipped_lines(writing.skipped, writing.csv);
  SkippedLines::Walk skipped(writing.skipped_lines);
  LineIndex::Walk places(writing.index);
  std::uint32_t document = writing.references;
  std::uint64_t written = 0;
  for (std::uint32_t s = 0; s < writing.sources.size(); ++s) {
    const LineSource& source = writing.sources[s];
    throw_if_stopped(writing.stop);
    if (!source.read || source.traits().reference) continue;
    SecondPass pass(source);
    if (writing.skipped) skipped.come_to(source);
    const auto skip_until = [&](std::uint64_t offset) {
      if (!writing.skipped) return;
      while (const ByteRange* const range = skipped.next(offset)) {
        throw_if_stopped(writing.stop);
        documents.flush(pass);
        skipped_lines.add(pass, *range);
        skipped_lines.flush(pass);
      }
    };
    std::uint64_t told = written;
    for (; document < writing.index.size(); ++document) {
      const LineIndex::Place place = places.at(document);
      if (place.source != s) break;
      // Also if no document is kept, and so no progress is reported.
      if (document % kProgressDocuments == 0) throw_if_stopped(writing.stop);
      if (!documents.take(document)) continue;
      skip_until(place.range.offset);
      documents.write(pass, document, place);
      ++written;
      if (writing.progress && written - told >= kProgressDocuments)
        writing.progress(told = written);
    }
    documents.flush(pass);
    skip_until(~std::uint64_t{0});
    pass.finish();
    if (writing.progress) writing.progress(written);
  }
}

class KeptDocuments final : public Documents {
 public:
  KeptDocuments(std::span<const std::uint32_t> removed, const CsvHeader* csv, OutputFile& out)
      : next_removed_(removed.begin()), end_(removed.end()), lines_(&out, csv) {
    lines_.begin();
  }

  bool take(std::uint32_t document) override {
    if (next_removed_ == end_ || *next_removed_ != document) return true;
    ++next_removed_;
    return false;
  }
  void write(SecondPass& pass, std::uint32_t, const LineIndex::Place& place) override {
    lines_.add(pass, place.range);
  }
  void flush(SecondPass& pass) override { lines_.flush(pass); }

 private:
  std::span<const std::uint32_t>::iterator next_removed_, end_;
  LineCopier lines_;
};

class AnnotatedDocuments final : public Documents {
 public:
  AnnotatedDocuments(std::span<const LineSource> sources, const FileCorpus::Annotation& annotation,
                     RecordParser& parser, const CsvHeader* csv, OutputFile& out)
      : sources_(sources),
        annotation_(annotation),
        parser_(parser),
        csv_(csv),
        out_(out),
        values_(annotation.names.size()) {
    for (const std::string& name : annotation.names) keys_.push_back(json_string(name));
    if (!csv) return;
    line_ = csv->bytes_with(annotation.names);
    write_line();
  }

  void write(SecondPass& pass, std::uint32_t document, const LineIndex::Place& place) override {
    line_.clear();
    line_.reserve(place.range.length + kLinePadding);
    pass.copy(place.range, [&](std::string_view bytes) { line_ += bytes; });
    annotation_.values(document, values_);
    if (csv_)
      add_csv_fields(line_, values_, csv_->delimiter());
    else
      add_json_fields(place);
    write_line();
  }

 private:
  void add_json_fields(const LineIndex::Place& place) {
    // The line is a JSON object with at least one field, that with the content.
    const std::size_t end = line_.rfind('}');
    check_fields_are_new(place);
    std::string fields;
    for (std::size_t i = 0; i < keys_.size(); ++i) fields += "," + keys_[i] + ":" + values_[i];
    line_.insert(end, fields);
  }

  void write_line() {
    if (!line_.empty()) line_ += missing_line_end(line_.back(), csv_);
    out_.write(line_);
  }

  // Refuses a record that has the field already, since readers differ in which of two fields they
  // use. The first reading refuses it, too, unless it was left out because of what an earlier run
  // has saved. Only lines that may have the field are parsed again.
  void check_fields_are_new(const LineIndex::Place& place) {
    const bool may_have = line_.find("\\u") != std::string::npos ||
                          std::ranges::any_of(keys_, [this](const std::string& key) {
                            return line_.find(key) != std::string::npos;
                          });
    if (!may_have) return;
    const InputFile file = sources_[place.source].file();
    if (parser_.parse(line_, parsed_) != RecordParser::Outcome::kDocument) throw_changed(file);
    if (!parsed_.has_added.empty()) throw_annotated(file.at(place.line), parsed_.has_added);
  }

  std::span<const LineSource> sources_;
  const FileCorpus::Annotation& annotation_;
  RecordParser& parser_;
  ParsedLine parsed_;
  const CsvHeader* csv_;
  OutputFile& out_;
  std::vector<std::string> keys_;
  std::vector<std::string> values_;
  std::string line_;
};

class EditedDocuments final : public Documents {
 public:
  EditedDocuments(std::span<const LineSource> sources, const FileCorpus::Edits& edits,
                  RecordParser& parser, const CsvHeader* csv, OutputFile& out)
      : sources_(sources),
        edits_(edits),
        next_(edits.documents.begin()),
        parser_(parser),
        lines_(&out, csv) {
    lines_.begin();
  }

  void write(SecondPass& pass, std::uint32_t document, const LineIndex::Place& place) override {
    if (next_ == edits_.documents.end() || *next_ != document) {
      lines_.add(pass, place.range);
      return;
    }
    ++next_;
    lines_.flush(pass);  // what is in front of it, since packed sources are read once
    line_.clear();
    line_.reserve(place.range.length + kLinePadding);
    pass.copy(place.range, [&](std::string_view bytes) { line_ += bytes; });
    if (parser_.parse(line_, parsed_) != RecordParser::Outcome::kDocument)
      throw_changed(sources_[place.source].file());
    std::optional<std::string> text = edits_.edit(document, parsed_.view.text);
    if (text) lines_.write_record(pass, parser_.with_text(*text));
  }

  void flush(SecondPass& pass) override { lines_.flush(pass); }

 private:
  std::span<const LineSource> sources_;
  const FileCorpus::Edits& edits_;
  std::span<const std::uint32_t>::iterator next_;
  RecordParser& parser_;
  LineCopier lines_;
  ParsedLine parsed_;
  std::string line_;
};

}  // namespace

void write_kept_lines(const LineWriting& writing, std::span<const std::uint32_t> removed,
                      OutputFile& kept) {
  KeptDocuments documents(removed, writing.csv, kept);
  write_lines(writing, documents);
}

void throw_annotated(const Subject& record, std::string_view field) {
  throw Error(ErrorCode::kBadInput, record,
              fmt::format("the record has a field {} already", json_string(field)),
              "annotate the original, or rename the field");
}

void write_annotated_lines(const LineWriting& writing, const FileCorpus::Annotation& annotation,
                           RecordParser& parser, OutputFile& out) {
  AnnotatedDocuments documents(writing.sources, annotation, parser, writing.csv, out);
  write_lines(writing, documents);
}

void write_edited_lines(const LineWriting& writing, const FileCorpus::Edits& edits,
                        RecordParser& parser, OutputFile& out) {
  EditedDocuments documents(writing.sources, edits, parser, writing.csv, out);
  write_lines(writing, documents);
}

}  // namespace benzer
