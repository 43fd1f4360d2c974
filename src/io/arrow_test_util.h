// Builds tables in Arrow's memory format for tests, without Arrow's library, and counts what is
// released.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "benzer/arrow.h"

namespace benzer {

// The streams, schemas and arrays that were handed out and not yet released, children included.
inline std::atomic<int> unreleased_arrow_parts{0};

// A column of a batch, or a batch as a struct of columns.
struct TestColumn {
  using Buffer = std::optional<std::vector<char>>;  // absent: a null pointer

  std::string format;
  std::string name;
  std::int64_t length = 0;
  std::vector<Buffer> buffers = {};
  std::vector<TestColumn> children = {};
  std::shared_ptr<const TestColumn> dictionary = {};
  std::int64_t offset = 0;
  std::int64_t null_count = -1;  // not computed
  std::string extension = {};    // the name of an extension type

  // The same column without the rows before `begin` and after `rows` more.
  TestColumn sliced(std::int64_t begin, std::int64_t rows) const {
    TestColumn out = *this;
    out.offset += begin;
    out.length = rows;
    return out;
  }
  TestColumn named(std::string other) const {
    TestColumn out = *this;
    out.name = std::move(other);
    return out;
  }
  TestColumn extended(std::string_view type) const {
    TestColumn out = *this;
    out.extension = type;
    return out;
  }
};

template <class T>
void append_raw(std::vector<char>& out, const T& value) {
  const auto* bytes = reinterpret_cast<const char*>(&value);
  out.insert(out.end(), bytes, bytes + sizeof value);
}

template <class Bits>
std::vector<char> bits_of(const Bits& bits) {
  std::vector<char> out((bits.size() + 7) / 8);
  std::size_t at = 0;
  for (const bool bit : bits) {
    if (bit) out[at / 8] = static_cast<char>(out[at / 8] | 1 << at % 8);
    ++at;
  }
  return out;
}

// The validity of rows; a null pointer if none is null.
template <class T>
TestColumn::Buffer validity_of(const std::vector<std::optional<T>>& rows) {
  std::vector<bool> there;
  bool any_null = false;
  for (const auto& row : rows) {
    there.push_back(row.has_value());
    any_null = any_null || !row;
  }
  return any_null ? TestColumn::Buffer(bits_of(there)) : std::nullopt;
}

using TextCells = std::vector<std::optional<std::string>>;

// The formats "vu" and "vz": texts of at most 12 bytes are in the views, others in one of two
// buffers.
inline TestColumn view_column(std::string format, std::string name, const TextCells& rows) {
  std::vector<char> views, data[2];
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string text = rows[i].value_or("");
    const auto size = static_cast<std::int32_t>(text.size());
    append_raw(views, size);
    if (size <= 12) {
      std::string inlined = text;
      inlined.resize(12);
      views.insert(views.end(), inlined.begin(), inlined.end());
      continue;
    }
    std::vector<char>& to = data[i % 2];
    views.insert(views.end(), text.begin(), text.begin() + 4);
    append_raw(views, static_cast<std::int32_t>(i % 2));
    append_raw(views, static_cast<std::int32_t>(to.size()));
    to.insert(to.end(), text.begin(), text.end());
  }
  std::vector<char> sizes;
  for (const auto& one : data) append_raw(sizes, static_cast<std::int64_t>(one.size()));
  return {std::move(format),
          std::move(name),
          static_cast<std::int64_t>(rows.size()),
          {validity_of(rows), views, data[0], data[1], sizes}};
}

// The formats "u", "U", "z", "Z", "vu" and "vz".
inline TestColumn text_column(std::string format, std::string name, const TextCells& rows) {
  if (format.starts_with('v')) return view_column(std::move(format), std::move(name), rows);
  const bool is_large = format == "U" || format == "Z";
  std::vector<char> offsets, data;
  const auto append_offset = [&] {
    if (is_large)
      append_raw(offsets, static_cast<std::int64_t>(data.size()));
    else
      append_raw(offsets, static_cast<std::int32_t>(data.size()));
  };
  append_offset();
  for (const auto& row : rows) {
    if (row) data.insert(data.end(), row->begin(), row->end());
    append_offset();
  }
  return {std::move(format),
          std::move(name),
          static_cast<std::int64_t>(rows.size()),
          {validity_of(rows), offsets, data}};
}

template <class T>
TestColumn number_column(std::string format, std::string name,
                         const std::vector<std::optional<T>>& rows) {
  std::vector<char> data;
  for (const auto& row : rows) append_raw(data, row.value_or(T()));
  return {std::move(format),
          std::move(name),
          static_cast<std::int64_t>(rows.size()),
          {validity_of(rows), data}};
}

inline TestColumn bool_column(std::string name, const std::vector<std::optional<bool>>& rows) {
  std::vector<bool> values;
  for (const auto& row : rows) values.push_back(row.value_or(false));
  return {"b",
          std::move(name),
          static_cast<std::int64_t>(rows.size()),
          {validity_of(rows), bits_of(values)}};
}

inline TestColumn null_column(std::string name, std::int64_t rows) {
  return {"n", std::move(name), rows};
}

// Numbers of 16 bits that name values.
inline TestColumn dictionary_column(std::string name,
                                    const std::vector<std::optional<std::int16_t>>& rows,
                                    const TestColumn& values) {
  TestColumn out = number_column("s", std::move(name), rows);
  out.dictionary = std::make_shared<TestColumn>(values);
  return out;
}

// The formats "+l", "+L", "+m", and "+w:N", whose rows all have N values, also null ones.
inline TestColumn list_column(std::string format, std::string name,
                              const std::vector<std::optional<std::int32_t>>& sizes,
                              TestColumn values) {
  TestColumn out{std::move(format),
                 std::move(name),
                 static_cast<std::int64_t>(sizes.size()),
                 {validity_of(sizes)},
                 {std::move(values)}};
  if (out.format.starts_with("+w")) return out;
  std::vector<char> offsets;
  std::int64_t at = 0;
  const auto append_offset = [&] {
    if (out.format == "+L")
      append_raw(offsets, at);
    else
      append_raw(offsets, static_cast<std::int32_t>(at));
  };
  append_offset();
  for (const auto& size : sizes) {
    at += size.value_or(0);
    append_offset();
  }
  out.buffers.emplace_back(offsets);
  return out;
}

// The rows that `there` has as false are null.
inline TestColumn struct_column(std::string name, std::int64_t rows,
                                std::vector<TestColumn> children,
                                const std::vector<bool>& there = {}) {
  return {"+s",
          std::move(name),
          rows,
          {there.empty() ? TestColumn::Buffer() : bits_of(there)},
          std::move(children)};
}

// A batch of columns of one length.
inline TestColumn batch_of(std::vector<TestColumn> columns) {
  const std::int64_t rows = columns.empty() ? 0 : columns[0].length;
  return struct_column("", rows, std::move(columns));
}

// Fails the test if an object is released twice.
template <class T>
void count_release(T* part) {
  EXPECT_NE(part->release, nullptr);
  part->release = nullptr;
  --unreleased_arrow_parts;
}

// Two pairs of which the second names the extension type; empty without one.
inline std::string metadata_of(const TestColumn& column) {
  if (column.extension.empty()) return {};
  std::vector<char> out;
  append_raw(out, std::int32_t{2});
  for (const std::string& text :
       {std::string("key"), std::string(), std::string("ARROW:extension:name"), column.extension}) {
    append_raw(out, static_cast<std::int32_t>(text.size()));
    out.insert(out.end(), text.begin(), text.end());
  }
  return {out.begin(), out.end()};
}

inline void export_schema(const TestColumn& column, ArrowSchema* out) {
  struct Memory {
    std::string format, name, metadata;
    std::vector<ArrowSchema> children;
    std::vector<ArrowSchema*> places;
    ArrowSchema dictionary{};
  };
  auto* memory = new Memory{column.format, column.name, metadata_of(column), {}, {}};
  *out = {};
  memory->children.resize(column.children.size());
  for (std::size_t i = 0; i < column.children.size(); ++i) {
    export_schema(column.children[i], &memory->children[i]);
    memory->places.push_back(&memory->children[i]);
  }
  if (column.dictionary) {
    export_schema(*column.dictionary, &memory->dictionary);
    out->dictionary = &memory->dictionary;
  }
  out->format = memory->format.c_str();
  out->name = memory->name.c_str();
  if (!memory->metadata.empty()) out->metadata = memory->metadata.data();
  out->n_children = static_cast<std::int64_t>(memory->places.size());
  out->children = memory->places.data();
  out->private_data = memory;
  out->release = [](ArrowSchema* schema) {
    auto* held = static_cast<Memory*>(schema->private_data);
    for (ArrowSchema& child : held->children)
      if (child.release) child.release(&child);
    if (held->dictionary.release) held->dictionary.release(&held->dictionary);
    delete held;
    count_release(schema);
  };
  ++unreleased_arrow_parts;
}

// Copies the buffers, so that a sanitizer sees a read outside of them or after the release.
inline void export_array(const TestColumn& column, ArrowArray* out) {
  struct Memory {
    std::vector<TestColumn::Buffer> bytes;
    std::vector<const void*> buffers;
    std::vector<ArrowArray> children;
    std::vector<ArrowArray*> places;
    ArrowArray dictionary{};
  };
  auto* memory = new Memory{column.buffers, {}, {}, {}};
  *out = {};
  for (const TestColumn::Buffer& buffer : memory->bytes)
    memory->buffers.push_back(buffer ? buffer->data() : nullptr);
  memory->children.resize(column.children.size());
  for (std::size_t i = 0; i < column.children.size(); ++i) {
    export_array(column.children[i], &memory->children[i]);
    memory->places.push_back(&memory->children[i]);
  }
  if (column.dictionary) {
    export_array(*column.dictionary, &memory->dictionary);
    out->dictionary = &memory->dictionary;
  }
  out->length = column.length;
  out->null_count = column.null_count;
  out->offset = column.offset;
  out->n_buffers = static_cast<std::int64_t>(memory->buffers.size());
  out->buffers = memory->buffers.data();
  out->n_children = static_cast<std::int64_t>(memory->places.size());
  out->children = memory->places.data();
  out->private_data = memory;
  out->release = [](ArrowArray* array) {
    auto* held = static_cast<Memory*>(array->private_data);
    for (ArrowArray& child : held->children)
      if (child.release) child.release(&child);
    if (held->dictionary.release) held->dictionary.release(&held->dictionary);
    delete held;
    count_release(array);
  };
  ++unreleased_arrow_parts;
}

// A table, which may fail.
struct TestTable {
  std::vector<TestColumn> batches;  // at least one, whose type is that of the table
  bool fails_in_schema = false;
  std::size_t fails_at_batch = ~std::size_t{0};
  std::string message = {};             // of the failure; empty: the stream has none
  std::function<void()> on_batch = {};  // called before each batch; may be empty
};

struct TestStream {
  static TestStream& of(ArrowArrayStream* stream) {
    return *static_cast<TestStream*>(stream->private_data);
  }
  std::shared_ptr<const TestTable> table;
  std::size_t next = 0;
};

inline void export_stream(std::shared_ptr<const TestTable> table, ArrowArrayStream* out) {
  *out = {};
  out->private_data = new TestStream{std::move(table)};
  out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
    const TestTable& from = *TestStream::of(stream).table;
    if (from.fails_in_schema) return EIO;
    export_schema(from.batches[0], schema);
    return 0;
  };
  out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
    TestStream& from = TestStream::of(stream);
    *array = {};
    if (from.table->on_batch) from.table->on_batch();
    if (from.next == from.table->fails_at_batch) return EIO;
    if (from.next < from.table->batches.size())
      export_array(from.table->batches[from.next++], array);
    return 0;
  };
  out->get_last_error = [](ArrowArrayStream* stream) {
    const std::string& message = TestStream::of(stream).table->message;
    return message.empty() ? nullptr : message.c_str();
  };
  out->release = [](ArrowArrayStream* stream) {
    delete &TestStream::of(stream);
    count_release(stream);
  };
  ++unreleased_arrow_parts;
}

// opened (may be null): counts the readings.
inline ArrowInput arrow_input(TestTable table, bool is_held = true, std::string name = "",
                              std::atomic<int>* opened = nullptr) {
  auto shared = std::make_shared<const TestTable>(std::move(table));
  return {std::move(name),
          [shared = std::move(shared), opened](ArrowArrayStream* out) {
            if (opened) ++*opened;
            export_stream(shared, out);
          },
          is_held};
}

// Everything that a corpus says about a document.
struct SeenRow {
  std::string text;
  std::vector<std::string> values;  // "value", or "value=weight"
  std::uint64_t bytes = 0;
  bool replaced = false;
  std::string id, group;
  std::vector<std::string> numbers;
  std::vector<std::string> fields;  // "-" for one that is not there

  friend bool operator==(const SeenRow&, const SeenRow&) = default;
};

inline SeenRow seen_row(const DocumentView& view) {
  const auto weighted = [](std::span<const std::string_view> values,
                           std::span<const double> weights) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < values.size(); ++i)
      out.push_back(weights.empty() ? std::string(values[i])
                                    : fmt::format("{}={}", values[i], weights[i]));
    return out;
  };
  SeenRow out{std::string(view.text),
              weighted(view.values, view.weights),
              view.bytes,
              view.replaced,
              std::string(view.id),
              std::string(view.group),
              {},
              {}};
  for (const Number& number : view.numbers) out.numbers.push_back(number.str());
  for (const FieldView& field : view.fields) {
    std::string all(field.text);
    for (const std::string& value : weighted(field.values, field.weights)) all += "[" + value + "]";
    out.fields.push_back(field.is_there ? all : "-");
  }
  return out;
}

class RowVisitor : public DocumentVisitor {
 public:
  struct Rows : Block {
    void add(const DocumentView& document) override { rows.push_back(seen_row(document)); }
    std::vector<SeenRow> rows;
  };
  std::unique_ptr<Block> start_block() override { return std::make_unique<Rows>(); }
  void finish_block(std::unique_ptr<Block> block) override {
    for (SeenRow& row : static_cast<Rows&>(*block).rows) rows.push_back(std::move(row));
  }
  std::vector<SeenRow> rows;
};

// A corpus that has been scanned.
struct ScannedTables {
  explicit ScannedTables(ArrowOptions options, int threads = 2) : corpus(std::move(options)) {
    corpus.scan(visitor, threads);
  }
  const std::vector<SeenRow>& rows() const { return visitor.rows; }
  // One part of each document: texts(), ids() and so on.
  template <class Part>
  auto all(Part SeenRow::* part) const {
    std::vector<Part> out;
    for (const SeenRow& row : rows()) out.push_back(row.*part);
    return out;
  }
  std::vector<std::string> texts() const { return all(&SeenRow::text); }
  std::vector<std::string> labels() const {
    std::vector<std::string> out;
    for (std::uint32_t i = 0; i < corpus.size(); ++i) out.push_back(corpus.label(i).id_json);
    return out;
  }
  std::vector<SeenRow> scanned_again(int threads = 2) {
    RowVisitor again;
    corpus.scan_again(again, threads);
    return again.rows;
  }
  // The documents, read from the last to the first.
  std::vector<SeenRow> reread(const std::vector<std::uint32_t>& documents) {
    corpus.prepare(documents);
    const auto reader = corpus.reader();
    std::vector<SeenRow> out;
    for (auto i = documents.rbegin(); i != documents.rend(); ++i)
      out.insert(out.begin(), seen_row(reader->read(*i)));
    return out;
  }

  ArrowCorpus corpus;
  RowVisitor visitor;
};

}  // namespace benzer
