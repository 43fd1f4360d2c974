// Documents from files: JSON lines, CSV, or text files and folders of them, plain or packed as .gz,
// .zst, .xz or .bz2. Packed files are known by their first bytes, or else by these endings.
//
// Files that are no kind of text are known by their first bytes, after unpacking: Parquet, Arrow,
// ORC, Avro, SQLite, PDF, office documents, archives, images, programs and the like, text in UTF-16
// and UTF-32; and as a text also what has a NUL byte among many that no text has. One that was
// named itself, or is a reference, ends the run with Error(kBadInput) that says what to do; one
// that was found in a folder is skipped, and counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/output.h"

namespace benzer {

enum class InputFormat {
  kAuto,  // .jsonl, .ndjson, .json (also packed) and "-": JSON lines; .csv: CSV; .tsv: TSV;
          // folders whose files all have one of these names: likewise; other folders: every file a
          // document; any other file: JSON lines if its first byte that is no blank is '{', else
          // one document. Capitals in these endings are as small letters
  kJsonLines,  // a JSON object a line
  kCsv,        // RFC 4180; the first record of every file names the columns, for all files the same
  kTsv,        // the same with tabs in place of commas
  kText,       // every file one document, its path its id
  kLines,      // every line one document without an id, an empty line too
};

// Documents number up to 2^32 - 1, and 4-byte lengths must hold a line whose every byte became
// U+FFFD.
inline constexpr std::uint64_t kLargestMaxLine = 1ull << 30;

// A field of documents that have several.
struct InputField {
  std::string name;
  bool is_values = false;  // an array of strings; otherwise a string
  bool is_image = false;   // a string that image_field() reads
};
// As a record of a file has the field of an image: a path, which is relative to `folder`, or the
// bytes as a "data:" URL with base64. Throws Error(kBadInput) for a URL that is none.
Field image_field(std::string name, std::string_view value, const std::string& folder);

struct InputOptions {
  std::vector<std::string> inputs;  // files, folders (walked in byte order of the paths), "-"
  // Read before the inputs: documents to compare with, which are never removed nor written. What
  // cannot be read of them ends the run: Error(kBadInput).
  std::vector<std::string> references;
  InputFormat format = InputFormat::kAuto;
  // A field of a JSON object, or a column of CSV, where an empty one counts as none and a column
  // that is not there ends the run: Error(kBadInput). Only "id" may be missing. Where an object has
  // no such key, "/meta/text" (RFC 6901) and "meta.text" are the field "text" of the object "meta",
  // and "tags.0" the first element of the array "tags"; so for every field that is named.
  std::string id_field = "id";  // string or number; a document without it has its number as id
  std::string text_field = "text";
  std::string values_field;  // not empty: documents are the arrays of strings in this field; not
                             // for CSV
  // Not empty: documents have these fields, for DocumentView::fields, in place of one text or value
  // set. Any of them may be missing or null, but not all missing, nor the id. Of CSV each must be a
  // column, and none a value set. A text file is the first field, and there may be no other.
  std::vector<InputField> fields;
  bool needs_id = true;  // of documents with fields
  // Text files are images, for features of images: their bytes may be any. So they are where the
  // first of `fields` is an image.
  bool images = false;
  std::string group_field;  // not empty: a string, number or boolean; DocumentView::group
  std::vector<std::string> number_fields;  // for keep rules; DocumentView::numbers
  std::vector<std::string> added_fields;   // of write_annotated(), if it will be called: CSV that
                                           // has such a column is refused before it is read
  std::uint64_t max_line_bytes = 64ull << 20;  // longer lines, and text files, are skipped;
                                               // at most kLargestMaxLine
  bool strict = false;                         // throw Error(kBadInput) at the first problem
  // When it turns true, listing, reading and writing end with Error(kInterrupted) within a second.
  const std::atomic<bool>* stop = nullptr;
  // In bytes, 0: none. Beyond a sixteenth of it the index of the lines goes to a temporary file in
  // the folder; empty: the system's folder for such files.
  std::uint64_t memory_limit = 0;
  std::string work_folder;
  // Not empty: scan() writes down there what it learns, so that another one with `resume` need not
  // do it again. For files of lines, JSON or text. Other inputs are read as without it, but with
  // `resume` or several parts they are refused. remove_stages() removes what was written.
  std::string stage_folder;
  bool resume = false;
  // The same in one file for all inputs, for another day: scan() gives what it writes to save_to
  // (one call at a time), or takes everything from the file `signatures`. Throws Error(kCorrupt)
  // for a damaged one, Error(kInvalidArgument) for one of other inputs, by name, order or any
  // byte, or another making. For files of lines only.
  std::function<void(std::string_view bytes)> save_to;
  std::string signatures;
  // scan() reads only every so-manieth file, for runs that share the work: part 1 of 3 reads the
  // first, the fourth, ...
  std::uint32_t part = 1;
  std::uint32_t parts = 1;
  // Called with each problem, from one thread at a time, in input order. Of many
  // records of a file with one problem the first are told, and then how many more there are.
  std::function<void(const Error& problem)> warn;
};

// Documents with fields, each a JSON object; an id is not needed. Threads: one.
class DocumentParser {
 public:
  explicit DocumentParser(std::vector<InputField> fields, const std::string& id_field = "id");
  ~DocumentParser();
  DocumentParser(DocumentParser&&) noexcept;
  DocumentParser& operator=(DocumentParser&&) noexcept;

  Document parse(std::string_view json);  // throws Error(kBadInput)

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
// The same of one.
Document document_from_json(std::string_view json, const std::vector<InputField>& fields,
                            const std::string& id_field = "id");

// The same JSON for parsers that refuse numbers which 64 bits do not hold: each of these is "0.0"
// and blanks, and all else is at its place.
std::string without_large_numbers(std::string_view json);

struct InputCounts {
  std::uint64_t skipped = 0;        // lines, files and rests of damaged files that gave no document
  std::uint64_t skipped_lines = 0;  // of these, the lines, which write_kept() can save
  std::uint64_t duplicate_ids =
      0;                    // documents whose id an earlier document has (kept apart by number)
  std::uint64_t bytes = 0;  // of the documents' lines or files, unpacked
  std::uint64_t without_group = 0;   // documents without the group field, a group of their own
  std::uint64_t without_number = 0;  // documents in which a number field is missing or no number
};

// Threads: scan() and write_kept() use their own; readers may be used in parallel.
// Memory: about 40 bytes and the id per document.
class FileCorpus : public Corpus {
 public:
  // Throws Error(kNotFound) for an input that does not exist, Error(kInvalidArgument) for a mixture
  // of formats, Error(kInterrupted) if `stop` turns true.
  explicit FileCorpus(InputOptions options);
  ~FileCorpus() override;

  void scan(DocumentVisitor& visitor, int threads) override;
  bool saves() const noexcept override;
  void remove_stages() noexcept;
  std::uint32_t size() const noexcept override;
  DocumentLabel label(std::uint32_t document) const override;
  std::uint32_t references() const noexcept override;
  std::span<const std::string> sources() const override;  // references first
  std::uint32_t source_of(std::uint32_t document) const override;
  void prepare(std::span<const std::uint32_t> documents) override;
  void scan_again(DocumentVisitor& visitor, int threads) override;
  std::unique_ptr<Reader> reader() const override;

  // After scan().
  InputCounts counts() const;

  // True if the output path is one of the inputs (the same file, however it is spelled).
  bool reads(const std::string& path) const;

  // What the inputs are, never kAuto. kText: documents are files, otherwise records in files.
  InputFormat format() const noexcept;

  // Writes the documents that are neither references nor in `removed` (sorted) in input order: the
  // records byte for byte, or the paths of the files, one a line. Records that were skipped go,
  // byte for byte, to `skipped` if it is not null. CSV begins with the header of the first input.
  // `progress` (may be empty) is called with the number of documents written; what it throws ends
  // the writing. Throws Error(kBadInput) if an input changed since scan(). Cost: the inputs are
  // read once more, by the calling thread alone.
  void write_kept(std::span<const std::uint32_t> removed, OutputFile& kept, OutputFile* skipped,
                  const std::function<void(std::uint64_t)>& progress);

  // Fields to add to records.
  struct Annotation {
    std::vector<std::string> names;
    // Gives the JSON value of every field for a document.
    std::function<void(std::uint32_t document, std::vector<std::string>& values)> values;
  };
  // Writes all documents but references in input order, each with the fields added at its end and
  // nothing else changed. For records; throws Error(kInvalidArgument) for texts, Error(kBadInput)
  // for a record or a header that has such a field already. The rest as with write_kept().
  void write_annotated(const Annotation& annotation, OutputFile& out, OutputFile* skipped,
                       const std::function<void(std::uint64_t)>& progress);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
