// Defines documents with fields, as an index takes them, and the corpus, a list of documents that a
// run can read twice.
//
//     benzer::MemoryCorpus corpus;
//     corpus.add_text("a", "The quick brown fox jumps over the lazy dog");
//     corpus.add_text("b", "A cat sleeps on the warm stones of the harbour wall");
//     const benzer::DedupResult result = benzer::deduplicate(corpus, {});  // benzer/dedup.h
//
// Documents in files are a FileCorpus (benzer/input.h).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "benzer/attributes.h"
#include "benzer/number.h"

namespace benzer {

// What goes into an index: an id and named fields.

// A field of a document: a text, a value set or an image. The schema of the index says which of
// these it is and how it becomes features. Make fields with the functions of_...().
struct Field {
  // The name that the schema has for the field.
  std::string name;
  // The bytes of a text, which need not be valid UTF-8, or of an image file. Empty for a value set.
  std::string text;
  // The values of a value set, as they are. Empty for other fields.
  std::vector<std::string> values;
  // The path of an image file whose bytes are not in `text`.
  std::string file = {};
  // The weights of the values, one for each, if the schema has +weights for the field. Without them
  // each value has the weight 1.
  std::vector<double> weights = {};

  // Makes a text. Any bytes are allowed; invalid UTF-8 is replaced while features are made.
  static Field of_text(std::string name, std::string text) {
    return {std::move(name), std::move(text), {}};
  }
  // Makes a value set. Repeats count once, unless the schema has +bag for the field.
  static Field of_values(std::string name, std::vector<std::string> values) {
    return {std::move(name), {}, std::move(values)};
  }
  // Makes a value set with weights, from 0.000001 to 99,999,000, for a field with +weights. The
  // weights of equal values are added up.
  static Field of_weighted_values(std::string name, std::vector<std::string> values,
                                  std::vector<double> weights) {
    return {std::move(name), {}, std::move(values), {}, std::move(weights)};
  }
  // Makes an image from the bytes of a JPEG, PNG, WebP, GIF (its first frame) or PNM file. The
  // bytes tell the format. A document whose image cannot be decoded is refused when it is hashed.
  static Field of_image(std::string name, std::string bytes) {
    return {std::move(name), std::move(bytes), {}};
  }
  // Makes an image that is read from a plain file when the document is hashed. The document is
  // refused if the file cannot be read then, or cannot be decoded as an image.
  static Field of_image_file(std::string name, std::string path) {
    return {std::move(name), {}, {}, std::move(path)};
  }
  // Makes an image from pixels: row by row from the top left, 3 bytes each (red, green, blue).
  // Throws Error(kInvalidArgument) if rgb.size() is not 3 * width * height.
  static Field of_pixels(std::string name, std::uint32_t width, std::uint32_t height,
                         std::span<const std::uint8_t> rgb);
};

// A document of an index.
struct Document {
  // Identifies the document in the index: any bytes, 1 to 65,535 of them. Queries may leave it
  // empty.
  std::string id;
  // The fields that the document has, in any order, each name once.
  std::vector<Field> fields;
  // The attributes that the document has, in any order, each name once. Queries do not use them.
  std::vector<Attribute> attributes = {};
};

// A corpus: documents that can be read twice.
//
// Deduplication reads every document once to sketch it, and then reads the few that may be similar
// again to compare them exactly. A corpus numbers its documents from 0 in input order.

// A field of a document as a corpus hands it over, or an attribute. Its place in
// DocumentView::fields says which one it is.
struct FieldView {
  // The bytes of a text, or the value of an attribute as text; empty for a value set.
  std::string_view text;
  // The values of a value set; empty for a text.
  std::span<const std::string_view> values;
  // False if the document does not have the field.
  bool is_there = false;
  // The weights of the values; empty if each is 1.
  std::span<const double> weights = {};
  // Whether `text` is from a column of bytes, and so for a field of images an image and not the
  // name of one.
  bool is_binary = false;
};

// One document as a corpus hands it over. Everything in it belongs to the corpus and is valid only
// during the call, or until the next read of the same reader.
struct DocumentView {
  // The bytes of the text; empty if the corpus holds value sets or documents with several fields.
  std::string_view text;
  // The values of the set; empty if the corpus holds texts or documents with several fields.
  std::span<const std::string_view> values;
  // Length of the text, or of all values together, in bytes; the keep rules `longest` and
  // `shortest` compare it.
  std::uint64_t bytes = 0;
  // True if invalid UTF-8 or lone surrogates were replaced by U+FFFD.
  bool replaced = false;

  // The id as the document has it, not as JSON. Empty if it has none.
  std::string_view id;
  // The fields of a document with several: one for each of InputOptions::fields, in that order.
  // Then `text` and `values` are empty.
  std::span<const FieldView> fields;

  // The group of the document. Documents of different groups are never similar. Documents without a
  // group form one group, the empty one.
  std::string_view group;
  // The numbers that keep rules compare, one for each of InputOptions::number_fields; no number
  // for a field that the document lacks.
  std::span<const Number> numbers;

  // The weights of `values`; empty if each is 1.
  std::span<const double> weights = {};
};

// How a document is named in output.
struct DocumentLabel {
  // The id as one JSON token, such as "\"a-17\"" or "17". Without an id, the number of the
  // document, or "null" if other documents have ids, one of which may be that number.
  std::string id_json;
  // The path of the input file; empty for documents from memory.
  std::string source;
  // The line in the file, counted from 1; 0 for documents that are files or are in memory.
  std::uint64_t line = 0;
  // The id of a column of bytes that is not UTF-8, for which id_json has U+FFFD; else empty.
  std::string id_bytes = {};
};

// Receives all documents of a scan, in parallel, in blocks of consecutive documents.
class DocumentVisitor {
 public:
  class Block {
   public:
    virtual ~Block() = default;
    // Takes the next document of the block. One thread at a time uses a block.
    virtual void add(const DocumentView& document) = 0;
    // Appends to a string, as bytes, what the documents added so far have become. A later scan
    // gives these bytes and the number of documents to load() of a fresh block, instead of adding
    // the documents again. load() throws Error(kCorrupt) for bytes that save() did not write.
    virtual void save(std::string&) const {}
    virtual void load(std::string_view, std::size_t /*documents*/) {}
    // Called when a full block has to wait for blocks of earlier files, if the visitor says that
    // blocks may. Gives back memory that only add() needs, and returns how many bytes it still
    // holds.
    virtual std::uint64_t set_aside() { return 0; }
  };
  virtual ~DocumentVisitor() = default;
  // Makes an empty block, or takes a used one again. Any thread may call it.
  virtual std::unique_ptr<Block> start_block() = 0;
  // Takes a full block. Called once for each block, in input order, never two at a time.
  virtual void finish_block(std::unique_ptr<Block> block) = 0;
  // Returns everything that the bytes of save() depend on, as "name=value" lines: saved bytes are
  // loaded only into a visitor that returns the same. Empty if the visitor cannot save.
  virtual std::string made_by() const { return {}; }
  // Returns whether many full blocks may wait for their turn at finish_block(), because they hold
  // hardly more than the visitor keeps of them anyway. Then several packed files may be read at a
  // time.
  virtual bool blocks_may_wait() const { return false; }
};

// A list of documents that can be read again. Threads: scan() uses threads of its own; afterwards
// label() and readers may be used from any number of threads.
class Corpus {
 public:
  virtual ~Corpus() = default;

  // Reads every document once and hands it to `visitor`. Must be called once, before all other
  // functions. threads: 0 means one for each core.
  virtual void scan(DocumentVisitor& visitor, int threads) = 0;

  // Returns the number of documents, references included; complete after scan().
  virtual std::uint32_t size() const noexcept = 0;
  // Returns the name of a document for output.
  virtual DocumentLabel label(std::uint32_t document) const = 0;

  // Returns the type that holds the ids of label() in results that are tables, as the Arrow C data
  // interface spells it: a type of integers, floats or decimals, "U" for texts, or "Z" for bytes.
  // It depends on the inputs, and not on what is found in them. with_references: whether it must
  // also hold the ids of references. Complete after scan().
  virtual std::string id_format(bool /*with_references*/) const { return "U"; }

  // Returns how many of the first documents are references: others are compared with them, but they
  // are never removed and never compared with one another.
  virtual std::uint32_t references() const noexcept { return 0; }

  // Returns whether scan() saves what the visitor makes of the documents, or loads it.
  virtual bool saves() const noexcept { return false; }

  // Returns the sources: the files and folders as the user named them. By default there is one,
  // with an empty name.
  virtual std::span<const std::string> sources() const;
  // Returns the place of a document's source in sources().
  virtual std::uint32_t source_of(std::uint32_t) const { return 0; }

  // Announces which documents, in ascending order, will be read again. Compressed inputs are
  // unpacked a second time here, into a temporary file; plain files need no work.
  virtual void prepare(std::span<const std::uint32_t> documents) = 0;

  // Hands over all documents once more, the same ones in the same order; the blocks may begin
  // elsewhere. May be called any number of times after scan(). By default it calls prepare() for
  // all documents and reads them through readers.
  virtual void scan_again(DocumentVisitor& visitor, int threads);

  // Reads documents in any order. Use one reader for each thread.
  class Reader {
   public:
    virtual ~Reader() = default;
    // Returns the same content as scan() handed over. Only documents that were given to prepare()
    // may be asked for.
    virtual DocumentView read(std::uint32_t document) = 0;
  };
  // Makes a reader. Any number may be in use; the corpus must outlive them.
  virtual std::unique_ptr<Reader> reader() const = 0;
};

// A corpus of documents that the program holds itself, at most 2^32 - 1. Add all before a scan.
// Memory: the texts and values, and about 150 bytes for each document.
class MemoryCorpus : public Corpus {
 public:
  // What keep rules and groups look at.
  struct KeepFields {
    // The group of the document; empty for none.
    std::string group;
    // One number for each field of the keep order, in the order of KeepOrder::fields().
    std::vector<Number> numbers;
  };
  // Adds a text. id: names the document in output; if it is empty the document's number does, or
  // "null" if other documents have ids. Two documents may have the same id.
  void add_text(std::string id, std::string text, KeepFields fields = {});
  // Adds a value set, for the features `values`. A corpus holds texts or value sets, not both.
  void add_values(std::string id, std::vector<std::string> values, KeepFields fields = {});
  // Adds a value set with a weight for each value, for the features `values+weights`.
  void add_weighted_values(std::string id, std::vector<std::string> values,
                           std::vector<double> weights, KeepFields fields = {});
  // Makes all documents added so far references.
  void end_references();

  // May be called again, since the documents stay in memory.
  void scan(DocumentVisitor& visitor, int threads) override;
  std::uint32_t size() const noexcept override;
  DocumentLabel label(std::uint32_t document) const override;
  // Does nothing, because every document can be read at any time.
  void prepare(std::span<const std::uint32_t>) override {}
  std::unique_ptr<Reader> reader() const override;
  std::uint32_t references() const noexcept override { return references_; }

 private:
  friend class MemoryReader;
  struct Entry {
    std::string id;
    std::string text;
    std::vector<std::string> values;
    std::vector<double> weights;
    KeepFields fields;
  };
  void add(Entry entry);

  std::vector<Entry> entries_;
  std::uint32_t references_ = 0;
  bool references_have_ids_ = false, inputs_have_ids_ = false;
};

}  // namespace benzer
