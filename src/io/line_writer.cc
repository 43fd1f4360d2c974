#include "io/line_writer.h"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/json_text.h"
#include "io/input_list.h"

namespace benzer {
namespace {

// Adjacent lines are copied together up to this size.
constexpr std::uint64_t kRunBytes = 4u << 20;
// Written between two calls of the progress function.
constexpr std::uint64_t kProgressDocuments = 256;

// Copies ranges of lines to an output, so that adjacent ones go together and no two lines glue.
class LineCopier {
 public:
  explicit LineCopier(OutputFile* out) : out_(out) {}

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
    pass.copy(pending_, [&](std::string_view bytes) {
      if (unended_) out_->write("\n");
      out_->write(bytes);
      unended_ = false;
      last_ = bytes.back();
    });
    unended_ = last_ != '\n';
    pending_ = {};
  }

 private:
  OutputFile* out_;
  ByteRange pending_;
  bool unended_ = false;  // the output ends in a line without its end
  char last_ = '\n';
};

// What becomes of the documents, which come in order.
class Documents {
 public:
  virtual ~Documents() = default;
  // False: the document is not written.
  virtual bool take(std::uint32_t document) = 0;
  virtual void write(SecondPass& pass, std::uint32_t document, const LineIndex::Place& place) = 0;
  // Before something else of the source is read.
  virtual void flush(SecondPass&) {}
};

void write_lines(const LineWriting& writing, Documents& documents) {
  LineCopier skipped_lines(writing.skipped);
  std::uint32_t document = writing.references;
  std::uint64_t written = 0;
  for (std::uint32_t s = 0; s < writing.sources.size(); ++s) {
    const LineSource& source = writing.sources[s];
    throw_if_stopped(writing.stop);
    if (!source.read || source.file.reference) continue;
    SecondPass pass(source);
    auto next_skipped = source.skipped.begin();
    const auto skip_until = [&](std::uint64_t offset) {
      for (; next_skipped != source.skipped.end() && next_skipped->offset < offset;
           ++next_skipped) {
        throw_if_stopped(writing.stop);
        if (!writing.skipped) continue;
        documents.flush(pass);
        skipped_lines.add(pass, *next_skipped);
        skipped_lines.flush(pass);
      }
    };
    std::uint64_t told = written;
    for (; document < writing.index.size(); ++document) {
      const LineIndex::Place place = writing.index.at(document);
      if (place.source != s) break;
      // Also where none is kept, and so no progress is told.
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
  KeptDocuments(std::span<const std::uint32_t> removed, OutputFile& out)
      : next_removed_(removed.begin()), end_(removed.end()), lines_(&out) {}

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
                     OutputFile& out)
      : sources_(sources), annotation_(annotation), out_(out), values_(annotation.names.size()) {
    for (const std::string& name : annotation.names) keys_.push_back(json_string(name));
  }

  bool take(std::uint32_t) override { return true; }

  void write(SecondPass& pass, std::uint32_t document, const LineIndex::Place& place) override {
    line_.clear();
    pass.copy(place.range, [&](std::string_view bytes) { line_ += bytes; });
    // The line is one JSON object, and not an empty one: it has a field with the content.
    const std::size_t end = line_.rfind('}');
    check_fields_are_new(place);
    annotation_.values(document, values_);
    std::string fields;
    for (std::size_t i = 0; i < keys_.size(); ++i) fields += "," + keys_[i] + ":" + values_[i];
    line_.insert(end, fields);
    if (!line_.ends_with('\n')) line_ += '\n';
    out_.write(line_);
  }

 private:
  // A second field of the name would leave it to every reader which of them counts. Only a string
  // in the text is looked for: it may be no field of the record itself, but then the file is odd
  // enough for a person to look at.
  void check_fields_are_new(const LineIndex::Place& place) const {
    for (const std::string& key : keys_) {
      if (line_.find(key) == std::string::npos) continue;
      throw Error(ErrorCode::kBadInput,
                  fmt::format("{}:{}: the record has a field {} already; annotate the original, or "
                              "rename the field",
                              sources_[place.source].file.shown(), place.line, key));
    }
  }

  std::span<const LineSource> sources_;
  const FileCorpus::Annotation& annotation_;
  OutputFile& out_;
  std::vector<std::string> keys_;
  std::vector<std::string> values_;
  std::string line_;
};

}  // namespace

void write_kept_lines(const LineWriting& writing, std::span<const std::uint32_t> removed,
                      OutputFile& kept) {
  KeptDocuments documents(removed, kept);
  write_lines(writing, documents);
}

void write_annotated_lines(const LineWriting& writing, const FileCorpus::Annotation& annotation,
                           OutputFile& out) {
  AnnotatedDocuments documents(writing.sources, annotation, out);
  write_lines(writing, documents);
}

}  // namespace benzer
