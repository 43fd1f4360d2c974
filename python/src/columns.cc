#include "columns.h"

#include <cstring>
#include <utility>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "benzer/error.h"
#include "benzer/output.h"

#include "bind.h"
#include "documents.h"
#include "id_column.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

void set_bit(std::vector<std::uint8_t>& bits, std::int64_t at, bool value) {
  const auto byte = static_cast<std::size_t>(at / 8);
  if (bits.size() <= byte) bits.resize(byte + 1, 0);
  if (value) bits[byte] = static_cast<std::uint8_t>(bits[byte] | 1u << (at % 8));
}

// What the structs of the interface point to. The struct owns it and frees it in release().
struct SchemaParts {
  std::string format, name, metadata;
  std::vector<ArrowSchema> children;
  std::vector<ArrowSchema*> places;
};
struct ArrayParts {
  std::shared_ptr<const void> owner;
  std::vector<const void*> buffers;
  std::vector<ArrowArray> children;
  std::vector<ArrowArray*> places;
};

void fill(ArrowSchema* out, std::unique_ptr<SchemaParts> parts, bool nullable) {
  constexpr std::int64_t kNullable = 2;
  for (ArrowSchema& child : parts->children) parts->places.push_back(&child);
  *out = {};
  out->format = parts->format.c_str();
  out->name = parts->name.c_str();
  if (!parts->metadata.empty()) out->metadata = parts->metadata.data();
  out->flags = nullable ? kNullable : 0;
  out->n_children = static_cast<std::int64_t>(parts->children.size());
  out->children = parts->places.data();
  out->release = [](ArrowSchema* schema) {
    auto* owned = static_cast<SchemaParts*>(schema->private_data);
    for (ArrowSchema& child : owned->children)
      if (child.release) child.release(&child);
    delete owned;
    schema->release = nullptr;
  };
  out->private_data = parts.release();
}

void fill(ArrowArray* out, std::unique_ptr<ArrayParts> parts, std::int64_t size,
          std::int64_t nulls) {
  for (ArrowArray& child : parts->children) parts->places.push_back(&child);
  *out = {};
  out->length = size;
  out->null_count = nulls;
  out->n_buffers = static_cast<std::int64_t>(parts->buffers.size());
  out->buffers = parts->buffers.data();
  out->n_children = static_cast<std::int64_t>(parts->children.size());
  out->children = parts->places.data();
  out->release = [](ArrowArray* array) {
    auto* owned = static_cast<ArrayParts*>(array->private_data);
    for (ArrowArray& child : owned->children)
      if (child.release) child.release(&child);
    delete owned;
    array->release = nullptr;
  };
  out->private_data = parts.release();
}

// The metadata of a column of an extension type.
std::string extension_metadata(std::string_view type) {
  std::string out;
  const auto append_number = [&](std::size_t number) {
    const auto value = static_cast<std::int32_t>(number);
    out.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append_number(1);
  for (const std::string_view text : {std::string_view("ARROW:extension:name"), type}) {
    append_number(text.size());
    out += text;
  }
  return out;
}

// The stream of one batch with all columns.
struct TableStream {
  std::shared_ptr<const Columns> columns;
  bool is_done = false;
};

template <class Work>
int guarded(Work&& work) noexcept {
  try {
    work();
    return 0;
  } catch (const std::bad_alloc&) {
    return ENOMEM;
  }
}

void export_stream(std::shared_ptr<const Columns> columns, ArrowArrayStream* out) {
  *out = {};
  out->get_schema = [](ArrowArrayStream* stream, ArrowSchema* schema) {
    return guarded([&] {
      auto parts = std::make_unique<SchemaParts>();
      parts->format = "+s";
      const Columns& all = *static_cast<TableStream*>(stream->private_data)->columns;
      parts->children.resize(all.size());
      for (std::size_t i = 0; i < all.size(); ++i) all[i].export_schema(&parts->children[i]);
      fill(schema, std::move(parts), false);
    });
  };
  out->get_next = [](ArrowArrayStream* stream, ArrowArray* array) {
    auto* self = static_cast<TableStream*>(stream->private_data);
    if (self->is_done) {
      *array = {};
      return 0;
    }
    self->is_done = true;
    return guarded([&] {
      auto parts = std::make_unique<ArrayParts>();
      parts->buffers = {nullptr};
      const Columns& all = *self->columns;
      parts->children.resize(all.size());
      for (std::size_t i = 0; i < all.size(); ++i)
        all[i].export_array(&parts->children[i], self->columns);
      fill(array, std::move(parts), all.empty() ? 0 : all[0].size(), 0);
    });
  };
  out->get_last_error = [](ArrowArrayStream*) -> const char* { return nullptr; };
  out->release = [](ArrowArrayStream* stream) {
    delete static_cast<TableStream*>(stream->private_data);
    stream->release = nullptr;
  };
  out->private_data = new TableStream{std::move(columns)};
}

nb::object stream_capsule(const std::shared_ptr<const Columns>& columns) {
  auto stream = std::make_unique<ArrowArrayStream>();
  export_stream(columns, stream.get());
  const auto destroy = [](PyObject* capsule) {
    auto* owned =
        static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule, "arrow_array_stream"));
    if (owned->release) owned->release(owned);
    delete owned;
  };
  PyObject* capsule = PyCapsule_New(stream.get(), "arrow_array_stream", destroy);
  if (!capsule) {
    stream->release(stream.get());
    throw nb::python_error();
  }
  stream.release();
  return nb::steal(capsule);
}

// Adds a str, as UTF-8, or bytes. A lone surrogate, which has no UTF-8, becomes a byte that is no
// UTF-8 either: the engine replaces it and counts the document.
void add_python(Column& column, nb::handle text, std::size_t place, const char* what) {
  if (PyUnicode_Check(text.ptr())) {
    Py_ssize_t size = 0;
    if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size)) {
      column.add(std::string_view(bytes, static_cast<std::size_t>(size)));
      return;
    }
    PyErr_Clear();
    column.add(std::string_view(text_of(text)));
  } else if (PyBytes_Check(text.ptr())) {
    const auto bytes = nb::cast<nb::bytes>(text);
    column.add(std::string_view(bytes.c_str(), bytes.size()));
  } else {
    throw Error(ErrorCode::kBadInput,
                std::string(what) + " of document " + std::to_string(place) + " is of the type " +
                    nb::cast<std::string>(text.type().attr("__name__")) + ", and it must be a str");
  }
}

// Adds a list of str, bytes and None.
void add_all(Column& column, const nb::list& texts) {
  std::size_t place = 0;
  for (const nb::handle text : items_of(texts)) {
    check_signals(column.size());
    if (text.is_none())
      column.add_null();
    else
      add_python(column, text, place, "the text");
    ++place;
  }
}

// Makes a column of texts, or of names of groups.
Column text_column_of(const std::string& name, Column::Kind kind, nb::list texts) {
  Column out(name, kind);
  add_all(out, texts);
  return out;
}

// Makes a column again that was pickled: numbers and texts as str, bytes as bytes.
Column typed_column(const std::string& name, const std::string& format, nb::list values) {
  if (number_width(format) == 0) {
    Column out = Column::of_format(name, format);
    add_all(out, values);
    return out;
  }
  IdColumn out(name);
  for (const nb::handle value : items_of(values))
    value.is_none() ? out.add_null() : out.add_token(text_of(value));
  return out.column(format);
}

Column text_column(const std::string& name, nb::list texts) {
  return text_column_of(name, Column::Kind::kText, std::move(texts));
}

Column group_column(const std::string& name, nb::list names) {
  return text_column_of(name, Column::Kind::kGroupNames, std::move(names));
}

Column integer_column(const std::string& name, nb::list integers) {
  Column out(name, Column::Kind::kInteger);
  for (const nb::handle value : items_of(integers)) {
    check_signals(out.size());
    if (value.is_none())
      out.add_null();
    else
      out.add(nb::cast<std::int64_t>(value));
  }
  return out;
}

Column number_column(const std::string& name, nb::list numbers) {
  Column out(name, Column::Kind::kNumber);
  for (const nb::handle value : items_of(numbers)) {
    check_signals(out.size());
    if (value.is_none())
      out.add_null();
    else
      out.add(nb::cast<double>(value));
  }
  return out;
}

bool is_true(nb::handle value) {
  const int out = PyObject_IsTrue(value.ptr());
  if (out < 0) throw nb::python_error();
  return out == 1;
}

Column boolean_column(const std::string& name, nb::list values) {
  Column out(name, Column::Kind::kBoolean);
  for (const nb::handle value : items_of(values)) {
    check_signals(out.size());
    if (value.is_none())
      out.add_null();
    else
      out.add(is_true(value));
  }
  return out;
}

// Makes a column of lists of texts.
Column values_column(const std::string& name, nb::list lists) {
  Column out(name, Column::Kind::kTexts);
  std::size_t place = 0;
  for (const nb::handle list : items_of(lists)) {
    check_signals(out.size());
    if (list.is_none()) {
      out.add_null();
    } else {
      for (const nb::handle text : list) add_python(out.list(), text, place, "a value");
      out.end_list();
    }
    ++place;
  }
  return out;
}

// The columns of a benzer.Table.
struct TableData {
  std::shared_ptr<const Columns> columns;
};

}  // namespace

void check_signals(std::int64_t row) {
  if (row % 16384 == 0 && PyErr_CheckSignals() != 0) throw nb::python_error();
}

Column::Column(std::string name, Kind kind, std::size_t slots)
    : name_(std::move(name)), kind_(kind), slots_(slots) {
  if (kind_ == Kind::kText || kind_ == Kind::kBytes || kind_ == Kind::kGroupNames ||
      kind_ == Kind::kTexts)
    integers_.push_back(0);
  if (kind_ == Kind::kTexts) list_ = std::make_shared<Column>("item", Kind::kText);
}

Column Column::of_format(std::string name, const std::string& format) {
  if (format == "U") return {std::move(name), Kind::kText};
  if (format == "Z") return {std::move(name), Kind::kBytes};
  Column out(std::move(name), Kind::kFixed, number_width(format));
  out.format_ = format;
  return out;
}

void Column::note(bool is_valid) {
  if (!is_valid && nulls_++ == 0) {
    for (std::int64_t i = 0; i < size_; ++i) set_bit(valid_, i, true);
  }
  if (nulls_ > 0) set_bit(valid_, size_, is_valid);
  ++size_;
}

bool Column::is_null(std::int64_t row) const noexcept {
  return nulls_ > 0 && (valid_[static_cast<std::size_t>(row / 8)] >> (row % 8) & 1) == 0;
}

void Column::add(std::int64_t value) {
  integers_.push_back(value);
  note(true);
}
void Column::add(double value) {
  numbers_.push_back(value);
  note(true);
}
void Column::add(std::string_view text) {
  bytes_ += text;
  integers_.push_back(static_cast<std::int64_t>(bytes_.size()));
  note(true);
}
void Column::add(bool value) {
  set_bit(bits_, size_, value);
  note(true);
}
void Column::add_slots(const std::uint64_t* slots) {
  for (std::size_t i = 0; i < slots_; ++i) integers_.push_back(static_cast<std::int64_t>(slots[i]));
  note(true);
}

void Column::add_number(std::string_view bytes) {
  bytes_ += bytes;
  note(true);
}

void Column::end_list() {
  integers_.push_back(list_->size());
  note(true);
}

void Column::add_null() {
  switch (kind_) {
    case Kind::kInteger:
      integers_.push_back(0);
      break;
    case Kind::kNumber:
      numbers_.push_back(0);
      break;
    case Kind::kText:
    case Kind::kBytes:
    case Kind::kGroupNames:
      integers_.push_back(static_cast<std::int64_t>(bytes_.size()));
      break;
    case Kind::kFixed:
      bytes_.append(slots_, '\0');
      break;
    case Kind::kTexts:
      integers_.push_back(list_->size());
      break;
    case Kind::kBoolean:
      set_bit(bits_, size_, false);
      break;
    case Kind::kSlots:
      integers_.resize(integers_.size() + slots_, 0);
      break;
  }
  note(false);
}

nb::object Column::value(std::int64_t row) const {
  if (is_null(row)) return nb::none();
  const auto i = static_cast<std::size_t>(row);
  switch (kind_) {
    case Kind::kInteger:
      return nb::int_(integers_[i]);
    case Kind::kNumber:
      return nb::float_(numbers_[i]);
    case Kind::kText:
    case Kind::kBytes:
    case Kind::kGroupNames: {
      const std::string_view text = std::string_view(bytes_).substr(
          static_cast<std::size_t>(integers_[i]),
          static_cast<std::size_t>(integers_[i + 1] - integers_[i]));
      if (kind_ == Kind::kBytes) return nb::bytes(text.data(), text.size());
      return python_text(text);
    }
    case Kind::kFixed:
      return python_number(format_, std::string_view(bytes_).substr(i * slots_, slots_));
    case Kind::kBoolean:
      return nb::bool_((bits_[i / 8] >> (i % 8) & 1) != 0);
    case Kind::kSlots: {
      nb::list out;
      for (std::size_t slot = 0; slot < slots_; ++slot)
        out.append(nb::int_(static_cast<std::uint64_t>(integers_[i * slots_ + slot])));
      return out;
    }
    case Kind::kTexts:
      break;
  }
  if (kind_ == Kind::kTexts) {
    nb::list out;
    for (std::int64_t at = integers_[i]; at < integers_[i + 1]; ++at) out.append(list_->value(at));
    return out;
  }
  return nb::none();
}

std::string Column::format() const {
  switch (kind_) {
    case Kind::kInteger:
      return "l";
    case Kind::kNumber:
      return "g";
    case Kind::kText:
    case Kind::kGroupNames:
      return "U";
    case Kind::kBytes:
      return "Z";
    case Kind::kBoolean:
      return "b";
    case Kind::kFixed:
      return format_;
    case Kind::kSlots:
    case Kind::kTexts:
      break;
  }
  return {};
}

void Column::export_schema(ArrowSchema* out) const {
  auto parts = std::make_unique<SchemaParts>();
  parts->name = name_;
  parts->format = format();
  switch (kind_) {
    case Kind::kGroupNames:
      parts->metadata = extension_metadata(kGroupNames);
      break;
    case Kind::kTexts:
      parts->format = "+L";
      parts->children.resize(1);
      list_->export_schema(parts->children.data());
      break;
    case Kind::kSlots: {
      parts->format = "+w:" + std::to_string(slots_);
      auto item = std::make_unique<SchemaParts>();
      item->format = "L";
      item->name = "item";
      parts->children.resize(1);
      fill(parts->children.data(), std::move(item), false);
      break;
    }
    default:
      break;
  }
  fill(out, std::move(parts), true);
}

void Column::export_array(ArrowArray* out, std::shared_ptr<const void> owner) const {
  auto parts = std::make_unique<ArrayParts>();
  parts->owner = std::move(owner);
  parts->buffers = {nulls_ > 0 ? valid_.data() : nullptr};
  switch (kind_) {
    case Kind::kInteger:
      parts->buffers.push_back(integers_.data());
      break;
    case Kind::kNumber:
      parts->buffers.push_back(numbers_.data());
      break;
    case Kind::kText:
    case Kind::kBytes:
    case Kind::kGroupNames:
      parts->buffers.push_back(integers_.data());
      parts->buffers.push_back(bytes_.data());
      break;
    case Kind::kFixed:
      parts->buffers.push_back(bytes_.data());
      break;
    case Kind::kBoolean:
      parts->buffers.push_back(bits_.data());
      break;
    case Kind::kTexts:
      parts->buffers.push_back(integers_.data());
      parts->children.resize(1);
      list_->export_array(parts->children.data(), parts->owner);
      break;
    case Kind::kSlots: {
      auto items = std::make_unique<ArrayParts>();
      items->owner = parts->owner;
      items->buffers = {nullptr, integers_.data()};
      parts->children.resize(1);
      fill(parts->children.data(), std::move(items), static_cast<std::int64_t>(integers_.size()),
           0);
      break;
    }
  }
  fill(out, std::move(parts), size_, nulls_);
}

nb::object make_table(Columns columns) {
  return nb::module_::import_("benzer._table")
      .attr("Table")(nb::cast(TableData{std::make_shared<const Columns>(std::move(columns))}));
}

void bind_columns(nb::module_& module) {
  nb::class_<Column>(module, "Column");
  nb::class_<TableData>(module, "TableData")
      .def("__init__",
           [](TableData* self, nb::list columns) {
             auto all = std::make_shared<Columns>();
             for (const nb::handle column : columns) all->push_back(nb::cast<Column>(column));
             new (self) TableData{std::move(all)};
           })
      .def("__len__",
           [](const TableData& self) {
             return self.columns->empty() ? 0 : (*self.columns)[0].size();
           })
      .def("names",
           [](const TableData& self) {
             std::vector<std::string> names;
             for (const Column& column : *self.columns) names.push_back(column.name());
             return names;
           })
      .def("formats",
           [](const TableData& self) {
             std::vector<std::string> formats;
             for (const Column& column : *self.columns) formats.push_back(column.format());
             return formats;
           })
      .def("values",
           [](const TableData& self, std::size_t column, std::int64_t begin, std::int64_t end) {
             nb::list out;
             const Column& from = self.columns->at(column);
             for (std::int64_t row = std::max<std::int64_t>(begin, 0);
                  row < std::min(end, from.size()); ++row)
               out.append(from.value(row));
             return out;
           })
      .def("stream", [](const TableData& self) { return stream_capsule(self.columns); });
  module.def("text_column", text_column);
  module.def("typed_column", typed_column);
  module.def("group_column", group_column);
  module.def("integer_column", integer_column);
  module.def("number_column", number_column);
  module.def("boolean_column", boolean_column);
  module.def("values_column", values_column);
  module.def("write_file", [](nb::str name, nb::str text) {
    const std::string path = bytes_of(name, "the name of the file"), bytes = text_of(text);
    nb::gil_scoped_release release;
    OutputFile out(path);
    out.write(bytes);
    out.commit();
  });
  // Refuses a file that write_file() could not write. A pipe is not opened: that would end its
  // reader.
  module.def("check_output", [](nb::str name) {
    const std::string path = bytes_of(name, "the name of the file");
    nb::gil_scoped_release release;
    OutputFile::check_name(path);
    if (!OutputFile::is_direct(path)) OutputFile::check_place(path);
  });
}

}  // namespace benzer::python
