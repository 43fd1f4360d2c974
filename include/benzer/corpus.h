// Documents: with their fields, as an index takes them, and a corpus of them, which can be read
// twice.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace benzer {

// What goes into an index: an id and named fields.

// A field is a text, a value set or an image; the schema says which, and what becomes of it.
struct Field {
  std::string name;
  std::string text;                 // any bytes; of an image those of its file
  std::vector<std::string> values;  // strings as they are
  std::string file = {};            // of an image: where it is, if the bytes are not here

  static Field of_text(std::string name, std::string text) {
    return {std::move(name), std::move(text), {}};
  }
  static Field of_values(std::string name, std::vector<std::string> values) {
    return {std::move(name), {}, std::move(values)};
  }
  // JPEG, PNG, WebP, GIF (its first frame) or PNM, told by the bytes.
  static Field of_image(std::string name, std::string bytes) {
    return {std::move(name), std::move(bytes), {}};
  }
  // The file is read when the document is hashed. The document is refused if the file cannot be
  // read, or cannot be decoded as an image.
  static Field of_image_file(std::string name, std::string path) {
    return {std::move(name), {}, {}, std::move(path)};
  }
  // Pixels row by row from the top left, 3 bytes each: red, green, blue. Throws
  // Error(kInvalidArgument) if there are not width * height of them.
  static Field of_pixels(std::string name, std::uint32_t width, std::uint32_t height,
                         std::span<const std::uint8_t> rgb);
};

struct Document {
  std::string id;             // any bytes, 1 to 65,535 of them
  std::vector<Field> fields;  // any order; those that a document lacks are left out
};

// Where documents come from: something that can be read twice.
//
// Deduplication reads every document once to sketch it, then reads the few that may be similar
// again to compare them exactly. A corpus numbers its documents from 0 in input order.

// A named field of a document; which one, the caller knows.
struct FieldView {
  std::string_view text;                     // of a text
  std::span<const std::string_view> values;  // of a value set
  bool is_there = false;
};

// One document as the corpus hands it over. Everything in it belongs to the corpus and is valid
// only during the call, or until the next read of the same reader.
struct DocumentView {
  std::string_view text;                     // bytes; empty when the corpus holds value sets
  std::span<const std::string_view> values;  // the value set; empty when the corpus holds texts
  std::uint64_t bytes = 0;  // length of the text (or of all values), for keep rules
  bool replaced = false;    // invalid UTF-8 or lone surrogates were replaced by U+FFFD

  std::string_view id;  // as the document has it, not as JSON; empty: none
  // Of documents with several fields: one each of InputOptions::fields. Then there is no text and
  // no value set beside them.
  std::span<const FieldView> fields;

  // Documents of different groups are never similar. Empty: the group of those without one.
  std::string_view group;
  // What keep rules ask for, one each of InputOptions::number_fields; NaN where there is none.
  std::span<const long double> numbers;
};

// How a document is named in output.
struct DocumentLabel {
  std::string id_json;  // the id as one JSON token: "\"a-17\"", "17", or its number if it has none
  std::string source;   // the input file; empty for documents from memory
  std::uint64_t line = 0;  // 1-based; 0 where lines mean nothing (folders, memory)
};

// Receives all documents of a scan, in parallel, by blocks of consecutive documents.
class DocumentVisitor {
 public:
  class Block {
   public:
    virtual ~Block() = default;
    virtual void add(const DocumentView& document) = 0;  // one thread per block
    // What the documents added so far have become, as bytes, and the same back into a fresh block,
    // for scans that go on where an earlier one ended. load() throws Error(kCorrupt).
    virtual void save(std::string&) const {}
    virtual void load(std::string_view, std::size_t /*documents*/) {}
  };
  virtual ~DocumentVisitor() = default;
  virtual std::unique_ptr<Block> start_block() = 0;  // any thread
  // Called once per block, in input order, never two at a time.
  virtual void finish_block(std::unique_ptr<Block> block) = 0;
  // Everything that what save() gives depends on, as "name=value" lines. Empty: it cannot save.
  virtual std::string made_by() const { return {}; }
};

class Corpus {
 public:
  virtual ~Corpus() = default;

  // Reads everything once. To be called once, before all else.
  virtual void scan(DocumentVisitor& visitor, int threads) = 0;

  virtual std::uint32_t size() const noexcept = 0;
  virtual DocumentLabel label(std::uint32_t document) const = 0;

  // The first so many documents are references: others are compared with them, they are never
  // removed and never compared with one another.
  virtual std::uint32_t references() const noexcept { return 0; }

  // Does scan() save what the visitor makes of the documents, or load it?
  virtual bool saves() const noexcept { return false; }

  // Where documents come from, as the user named it: files and folders. source_of() gives the
  // place in this list.
  virtual std::span<const std::string> sources() const;
  virtual std::uint32_t source_of(std::uint32_t) const { return 0; }

  // Says which documents (sorted) will be read again. Compressed inputs are unpacked a second time
  // here; plain files need nothing.
  virtual void prepare(std::span<const std::uint32_t> documents) = 0;

  // Hands over all documents once more, the same ones in the same order; blocks may be cut
  // elsewhere. After scan(), any number of times. Here: through prepare() and readers.
  virtual void scan_again(DocumentVisitor& visitor, int threads);

  class Reader {
   public:
    virtual ~Reader() = default;
    // The same content as scan() gave. Only documents named to prepare() may be asked for.
    virtual DocumentView read(std::uint32_t document) = 0;
  };
  virtual std::unique_ptr<Reader> reader() const = 0;  // one per thread
};

// Documents that the program holds itself.
class MemoryCorpus : public Corpus {
 public:
  // What keep rules and groups ask for.
  struct Attributes {
    std::string group;
    std::vector<long double> numbers;
  };
  void add_text(std::string id, std::string text, Attributes attributes = {});
  void add_values(std::string id, std::vector<std::string> values, Attributes attributes = {});
  // All documents added so far are references.
  void end_references() { references_ = size(); }

  void scan(DocumentVisitor& visitor, int threads) override;
  std::uint32_t size() const noexcept override;
  DocumentLabel label(std::uint32_t document) const override;
  void prepare(std::span<const std::uint32_t>) override {}
  std::unique_ptr<Reader> reader() const override;
  std::uint32_t references() const noexcept override { return references_; }

 private:
  friend class MemoryReader;
  struct Entry {
    std::string id;
    std::string text;
    std::vector<std::string> values;
    Attributes attributes;
  };
  std::vector<Entry> entries_;
  std::uint32_t references_ = 0;
};

}  // namespace benzer
