// Reads documents from files: JSON lines, CSV, or text files and folders of them, plain or
// compressed as .gz, .zst, .xz or .bz2.
//
//     benzer::InputOptions input;
//     input.inputs = {"news.jsonl.gz", "wiki/"};
//     input.warn = [](const benzer::Error& problem) { std::cerr << problem.what(); };
//     benzer::FileCorpus corpus(input);
//     const benzer::DedupResult result = benzer::deduplicate(corpus, {});  // benzer/dedup.h
//     std::vector<std::uint32_t> removed;
//     for (const benzer::Removal& removal : result.removed) removed.push_back(removal.document);
//     benzer::OutputFile kept("kept.jsonl");
//     corpus.write_kept(removed, kept, nullptr, {});
//     kept.commit();
//
// Compressed files are known by their first bytes, or else by these endings. Files that do not hold
// text are known by their first bytes after unpacking: Parquet, Arrow, ORC, Avro, SQLite, PDF,
// office documents, archives, images, programs and the like, and text in UTF-16 and UTF-32. A text
// file is refused, too, if it has a NUL byte among many other bytes that texts do not have. Such a
// file ends the run with Error(kBadInput), which says what to do, if it was named itself or is a
// reference. If it was found in a folder, it is skipped and counted.
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

// How input files are read.
enum class InputFormat {
  // Tells the format of each input by its name, in small letters or capitals: .jsonl, .ndjson,
  // .json and "-" are JSON lines, .csv is CSV and .tsv is TSV, also with an ending of compression.
  // Any other file is JSON lines if its first byte that is not white space is '{', else one
  // document. A folder is read by the names of its files: if all have such names of one format, as
  // records, and if none has, as one document for each file. A mixture is refused with
  // Error(kInvalidArgument), except that .json files may be among texts.
  kAuto,
  // Each line is a JSON object.
  kJsonLines,
  // RFC 4180. The first record of every file names the columns, the same for all files.
  kCsv,
  // The same with tabs instead of commas.
  kTsv,
  // Every file is one document, and its path is its id.
  kText,
  // Every line is one document without an id, even an empty line.
  kLines,
};

// The largest InputOptions::max_line_bytes, 1 GiB. Documents number up to 2^32 - 1, and lengths of
// 4 bytes must hold a line whose every byte became U+FFFD.
inline constexpr std::uint64_t kLargestMaxLine = 1ull << 30;

// One of the fields of documents that have several.
struct InputField {
  // The name of the field in a JSON object, or of the column in CSV.
  std::string name;
  // Whether the field is an array of strings; otherwise it is a string.
  bool is_values = false;
  // Whether the string names an image, as image_field() reads it.
  bool is_image = false;
  // Whether values may have weights: then the field may also be an object with the values as keys,
  // and a number for each. Only if is_values.
  bool has_weights = false;
  // Whether it is an attribute: a string, a number or a boolean. FieldView::text is the value as
  // text, numbers with their digits.
  bool is_attribute = false;
};
// Makes the field of an image from what a record has there: a path, or the bytes as a "data:" URL
// with base64. A path that does not begin with '/' is relative to `folder`, unless that is empty.
// Throws Error(kBadInput) for a malformed URL. The file is not read here.
Field image_field(std::string name, std::string_view value, const std::string& folder);

// Which fields of its records a corpus reads. The names are those of fields of a JSON object, or of
// columns of CSV or of an Arrow table. An empty cell of CSV counts as missing. A column that is not
// there ends the run with Error(kBadInput); only "id" may be missing. If an object has no such key,
// "/meta/text" (RFC 6901) and "meta.text" are the field "text" of the object "meta", and "tags.0"
// is the first element of the array "tags". The same names find fields of the structs of a table.
struct RecordFields {
  // The id: a string or a number. A document without it has its number as id.
  std::string id_field = "id";
  // The text: a string.
  std::string text_field = "text";
  // If not empty, documents are value sets: the arrays of strings in this field. Not for CSV.
  std::string values_field;
  // Whether that field may also be an object with the values as keys and their weights as numbers,
  // for the features `values+weights`.
  bool has_weights = false;
  // If not empty, documents have these fields (DocumentView::fields) instead of one text or value
  // set. Any of them may be missing or null, but not all that are no attributes. In CSV each must
  // be a column, and none a value set; an empty cell of an attribute counts as missing. A text file
  // is the first field, and then there may be no other.
  std::vector<InputField> fields;
  // Whether documents with `fields` must have an id.
  bool needs_id = true;
  // If not empty, the field that makes groups: a string, number or boolean (DocumentView::group).
  std::string group_field;
  // The parameter that names it where it is missing, for the advice of that error.
  std::string group_parameter = "by";
  // The fields with the numbers that keep rules compare (DocumentView::numbers).
  std::vector<std::string> number_fields;
};

// What to read, and how.
struct InputOptions : RecordFields {
  // Files, folders (walked in byte order of the paths) and "-" for standard input; at least one.
  std::vector<std::string> inputs;
  // Inputs that are read first: documents to compare with, which are never removed nor written. If
  // a part of them cannot be read, the run ends with Error(kBadInput).
  std::vector<std::string> references;
  // The format of all inputs. One run reads one format.
  InputFormat format = InputFormat::kAuto;

  // Whether text files are images, for features of images, so that their bytes may be any. They are
  // images too if the first of `fields` is one. max_line_bytes is not about images.
  bool images = false;
  // The fields that write_annotated() will add, if it will be called. CSV that has such a column is
  // refused before it is read, and a JSON object that has such a key when it is read first.
  std::vector<std::string> added_fields;

  // The longest line or text file, in bytes, from 1 to kLargestMaxLine. Longer ones are skipped.
  std::uint64_t max_line_bytes = 64ull << 20;
  // Whether the first problem ends the run with its Error(kBadInput). Otherwise what has a problem
  // is skipped, counted and told to `warn`.
  bool strict = false;
  // When the flag turns true, listing, reading and writing end with Error(kInterrupted) within a
  // second. May be null; it must outlive the corpus.
  const std::atomic<bool>* stop = nullptr;
  // Limit of the corpus's memory, in bytes; 0 means none. Beyond a sixteenth of it the index of the
  // lines is kept in a temporary file.
  std::uint64_t memory_limit = 0;
  // The folder for that file; empty means the system's folder for temporary files.
  std::string work_folder;

  // If not empty, scan() writes to this folder what the visitor makes of the documents, so that a
  // later scan with `resume` need not do it again. For files of lines, JSON or text. Other inputs
  // are read as without it, but are refused with `resume` or several parts. remove_stages() removes
  // what was written. Throws Error(kBusy) while a run of another process has stages there, but for
  // parts.
  std::string stage_folder;
  // Whether scan() takes what an earlier one left in stage_folder, and goes on behind it.
  bool resume = false;
  // The same in one file for all inputs, for use on another day. scan() gives what it writes to
  // save_to, in pieces, one call at a time. For files of lines only.
  std::function<void(std::string_view bytes)> save_to;
  // The path of such a file. scan() takes everything from it instead of sketching the documents.
  // Throws Error(kCorrupt) if it is damaged, and Error(kInvalidArgument) if it is one of other
  // inputs, by name, order or any byte, or was made with other features or another sketch.
  std::string signatures;
  // For runs that share the work: scan() reads every parts-th file only, beginning with file
  // `part`, counted from 1. Part 1 of 3 reads the first file, the fourth and so on.
  std::uint32_t part = 1;
  std::uint32_t parts = 1;

  // Called with each problem, from one thread at a time, in input order. If many records of a file
  // have one problem, the first ones are told, and then how many more there are. May be empty.
  std::function<void(const Error& problem)> warn;
};

// Parses documents with fields from JSON objects. Threads: one at a time.
class DocumentParser {
 public:
  // fields: the fields to read; others are ignored. id_field: the name of the id, which a document
  // may lack.
  explicit DocumentParser(std::vector<InputField> fields, const std::string& id_field = "id");
  ~DocumentParser();
  DocumentParser(DocumentParser&&) noexcept;
  DocumentParser& operator=(DocumentParser&&) noexcept;

  // Parses one JSON object. Throws Error(kBadInput) for anything else, for a field of another type,
  // and for a malformed "data:" URL of an image.
  Document parse(std::string_view json);
  // Whether the last JSON object had text that is not Unicode, or a number that neither a 64-bit
  // integer nor a double holds: such JSON goes through strict_json() before it is given to others.
  bool was_odd() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};
// Parses one document, as DocumentParser does. Use a parser for more than one.
Document document_from_json(std::string_view json, const std::vector<InputField>& fields,
                            const std::string& id_field = "id");

// Parses the values of one field (is_values) alone: an array of strings, or an object of weights if
// it may be one. Throws Error(kBadInput) for anything else.
Field values_from_json(std::string_view json, const InputField& field);

// Parses a change of attributes: a JSON object with the id of the document, a string or a number,
// and for each attribute a string, a number or a boolean, or null to remove it. Numbers keep their
// digits. A member of an object inside is named by its path, "meta.lang". The change may lack the
// id. Throws Error(kBadInput) for anything else, and for an id that has invalid text.
// was_replaced: whether U+FFFD already replaces invalid text in the JSON
// (DocumentView::replaced); then an id with U+FFFD is refused, too.
AttributeChange change_from_json(std::string_view json, const std::string& id_field = "id",
                                 bool was_replaced = false);

// Returns JSON that every reader takes, and takes alike: U+FFFD replaces each lone surrogate and
// each sequence of bytes that is not UTF-8. Throws Error(kBadInput) for a number beyond doubles,
// such as 1e999, which some readers refuse and others take for infinite. Whole numbers of any
// length stay as they are.
std::string strict_json(std::string_view json);

// Returns the same JSON for parsers that refuse some numbers: each number that neither a 64-bit
// integer nor a double holds is replaced by "0.0" and spaces, so that everything else keeps its
// place.
std::string without_large_numbers(std::string_view json);

// What reading the input has counted. References are not included, unless it says otherwise.
struct InputCounts {
  // Lines, files and rests of damaged files that gave no document; lines of references, too.
  std::uint64_t skipped = 0;
  // Of these, the lines, which write_kept() can save.
  std::uint64_t skipped_lines = 0;
  // Documents whose id an earlier document has too, references included. They are told apart by
  // their numbers.
  std::uint64_t duplicate_ids = 0;
  // Length of the documents' lines or files in bytes, unpacked.
  std::uint64_t bytes = 0;
  // Documents without the group field. They form a group of their own.
  std::uint64_t without_group = 0;
  // Documents in which a number field is missing or is not a number.
  std::uint64_t without_number = 0;
};

// A corpus of documents in files. Threads: scan() and write_kept() use their own; afterwards
// readers may be used in parallel. Memory: about 40 bytes and the id of each document, less with a
// memory limit.
class FileCorpus : public Corpus {
 public:
  // Lists the files and looks at the beginning of those whose names tell no format. Throws
  // Error(kNotFound) for an input that does not exist, Error(kInvalidArgument) for no input, an
  // input that is named twice, a mixture of formats and options that do not go with the format, and
  // Error(kInterrupted) if `stop` turns true. A file of signatures is opened here, and its errors
  // are those of scan().
  explicit FileCorpus(InputOptions options);
  ~FileCorpus() override;

  // Reads the files, as Corpus says. Throws Error(kBadInput) for a file that is not what it was
  // taken for, and under `strict` for the first problem; Error(kCorrupt) and
  // Error(kInvalidArgument) for a file of signatures; Error(kStorageFailed) if a temporary file
  // cannot be written; and Error(kInterrupted).
  void scan(DocumentVisitor& visitor, int threads) override;
  bool saves() const noexcept override;
  // Removes what scan() has written to stage_folder.
  void remove_stages() noexcept;
  std::uint32_t size() const noexcept override;
  DocumentLabel label(std::uint32_t document) const override;
  // Integers if all ids are, or if no document has one; else texts.
  std::string id_format(bool with_references) const override;
  std::uint32_t references() const noexcept override;
  // Returns the references, then the inputs, as they were named.
  std::span<const std::string> sources() const override;
  std::uint32_t source_of(std::uint32_t document) const override;
  // Unpacks what is needed of compressed files and of standard input.
  void prepare(std::span<const std::uint32_t> documents) override;
  // Reads all files once more. Throws Error(kBadInput) if one has changed since scan().
  void scan_again(DocumentVisitor& visitor, int threads) override;
  // Readers throw Error(kBadInput) if a file has changed since scan().
  std::unique_ptr<Reader> reader() const override;

  // Returns what scan() has counted.
  InputCounts counts() const;

  // Returns whether the path is one of the input files, also by another name. Call it before an
  // output is written there.
  bool reads(const std::string& path) const;

  // Returns the format of the inputs, never kAuto. With kText documents are files, otherwise
  // records in files.
  InputFormat format() const noexcept;

  // Writes the documents that are neither references nor in `removed`, which must be sorted, in
  // input order: the records byte for byte, or the paths of the files, one a line. CSV begins with
  // the header of the first input. It neither finishes nor commits the outputs.
  //
  // skipped: receives the records that were skipped, byte for byte; may be null. progress: called
  // with the number of documents written; an exception that it throws ends the writing; may be
  // empty. Throws Error(kBadInput) if an input has changed since scan(), and what OutputFile
  // throws. Cost: the inputs are read once more, by the calling thread alone.
  void write_kept(std::span<const std::uint32_t> removed, OutputFile& kept, OutputFile* skipped,
                  const std::function<void(std::uint64_t)>& progress);

  // Fields to add to records.
  struct Annotation {
    // The names of the fields.
    std::vector<std::string> names;
    // Writes the JSON value of every field of a document to `values`, in the order of the names.
    std::function<void(std::uint32_t document, std::vector<std::string>& values)> values;
  };
  // Writes all documents but references in input order, each with the fields added at its end and
  // nothing else changed. Throws Error(kInvalidArgument) if documents are texts, and
  // Error(kBadInput) for a record or a header that has such a field already. Otherwise it is like
  // write_kept().
  void write_annotated(const Annotation& annotation, OutputFile& out, OutputFile* skipped,
                       const std::function<void(std::uint64_t)>& progress);

  // Documents whose texts are changed, or that are left out.
  struct Edits {
    // Their numbers, sorted; no references.
    std::span<const std::uint32_t> documents;
    // Returns the new text of a document, or nothing if its record is left out. Called for each in
    // order, with the text that it has.
    std::function<std::optional<std::string>(std::uint32_t document, std::string_view text)> edit;
  };
  // Writes the documents but references in input order, those of `edits` with their new texts and
  // nothing else changed; but if a line of JSON had invalid UTF-8, which scan() counts as replaced,
  // it has U+FFFD there. The new text of a line of text must be without line ends. Throws
  // Error(kInvalidArgument) if documents are files or have values in place of a text. Otherwise it
  // is like write_kept().
  void write_edited(const Edits& edits, OutputFile& out, OutputFile* skipped,
                    const std::function<void(std::uint64_t)>& progress);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
