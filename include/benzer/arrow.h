// Reads documents from tables in Arrow's memory format, without a copy and without Arrow's library.
//
//     benzer::ArrowOptions options;
//     options.inputs.push_back({.open = [&](ArrowArrayStream* out) { table.export_to(out); }});
//     benzer::ArrowCorpus corpus(options);
//     const benzer::DedupResult result = benzer::deduplicate(corpus, {});  // benzer/dedup.h
//
// A table comes as a stream of batches over the Arrow C stream interface
// (https://arrow.apache.org/docs/format/CStreamInterface.html), which every library of Arrow data
// can export. The three structs below are those of that interface.
//
// Columns may be string, large_string, string_view, and binary with the bytes of UTF-8, also as
// dictionaries; value sets are lists of strings, or with weights maps from strings to numbers.
// Chunks may be of any size, and slices may have any offset. A text that is null counts as empty,
// and a null in a list as not there. NaN counts as null in all but weights. Times may be
// numbers, too: seconds since 1970, whatever the unit of the column. Decimals of 32 to 256 bits are
// numbers: 33 digits where their size counts, and all digits in ids and groups.
//
// Groups are equal if their values are, whatever the types of the columns: 1 is 1.0, but neither
// the text "1" nor true. A column whose values have several types can be one of texts with the
// extension type kGroupNames.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/corpus.h"
#include "benzer/input.h"

// The macros are those of the interface, so that other libraries may declare the structs, too.
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE
extern "C" {
struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  int64_t flags;
  int64_t n_children;
  struct ArrowSchema** children;
  struct ArrowSchema* dictionary;
  void (*release)(struct ArrowSchema*);
  void* private_data;
};
struct ArrowArray {
  int64_t length;
  int64_t null_count;
  int64_t offset;
  int64_t n_buffers;
  int64_t n_children;
  const void** buffers;
  struct ArrowArray** children;
  struct ArrowArray* dictionary;
  void (*release)(struct ArrowArray*);
  void* private_data;
};
}
#endif
#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE
extern "C" {
struct ArrowArrayStream {
  int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
  int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
  const char* (*get_last_error)(struct ArrowArrayStream*);
  void (*release)(struct ArrowArrayStream*);
  void* private_data;
};
}
#endif

namespace benzer {

// The name (ARROW:extension:name) of an extension type of texts that are names of groups: a quote
// and a text, a number in decimal digits, "true", "false", or a moment as "2024-05-01T00:00:00Z".
inline constexpr std::string_view kGroupNames = "benzer.group_names";

// One table of a corpus.
struct ArrowInput {
  // The name of the table, as the keep rule `source` and the counts of sources have it; may be
  // empty.
  std::string name = {};
  // Exports the table: fills the stream, which the corpus releases. Called once if the table is
  // held, else for each reading: at most three times in a run, with the same documents in the same
  // order. Called from any thread, one call at a time. An exception that it throws ends the run.
  std::function<void(ArrowArrayStream* out)> open = {};
  // Whether the batches are in memory anyway, so that the corpus keeps them. Otherwise it releases
  // each after use, and copies the documents that are read again to a temporary file.
  bool is_held = true;
};

// What to read, and how.
struct ArrowOptions : RecordFields {
  // The tables, read in this order; at least one. A stream of arrays that are no structs, such as a
  // single column, is the text (or the value set) itself; it has no ids, groups and numbers.
  std::vector<ArrowInput> inputs;
  // Tables that are read first: documents to compare with, which are never removed.
  std::vector<ArrowInput> references;
  // When the flag turns true, reading ends with Error(kInterrupted) within a second. May be null;
  // it must outlive the corpus.
  const std::atomic<bool>* stop = nullptr;
  // Limit of the corpus's memory, in bytes; 0 means none. The batches themselves do not count.
  std::uint64_t memory_limit = 0;
  // The folder for temporary files; empty means the system's folder for them.
  std::string work_folder;
};

// A corpus of documents in tables. Threads: scan() uses its own; afterwards readers may be used in
// parallel. Memory: 16 bytes and the id of each document, less with a memory limit.
class ArrowCorpus : public Corpus {
 public:
  // Throws Error(kInvalidArgument) for no input.
  explicit ArrowCorpus(ArrowOptions options);
  ~ArrowCorpus() override;

  // Reads the tables, as Corpus says. Throws Error(kBadInput) for a column that is missing or has a
  // type that it cannot have, for a table that cannot be read, for more than 2^32 - 1 documents,
  // and for a value set with a weight that is not allowed. A document of fields may lack an id
  // here, or have such a weight; an index refuses it.
  void scan(DocumentVisitor& visitor, int threads) override;
  std::uint32_t size() const noexcept override;
  // The number of the row in its table, from 1, is the line. The id of a document without one is
  // the number of the document or "null", as DocumentLabel says; in tables without names inputs are
  // numbered first, so that it is the row, and references after them.
  DocumentLabel label(std::uint32_t document) const override;
  // The type of the column of ids, int64 without one. Several tables with different types have
  // int64 or uint64 if it holds all of their integers; else ids are texts, as those of all columns
  // of texts and dictionaries are.
  std::string id_format(bool with_references) const override;
  std::uint32_t references() const noexcept override;
  // Returns the names of the references, then of the inputs.
  std::span<const std::string> sources() const override;
  std::uint32_t source_of(std::uint32_t document) const override;
  // Reads the tables that are not held once more, each as far as the last of its documents. Throws
  // Error(kBadInput) for a table with another number of rows than before, as scan_again() does.
  void prepare(std::span<const std::uint32_t> documents) override;
  void scan_again(DocumentVisitor& visitor, int threads) override;
  std::unique_ptr<Reader> reader() const override;

  // Returns what scan() has counted. `bytes` are those of the texts or values, and nothing is
  // skipped.
  InputCounts counts() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace benzer
