#include "documents.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <nanobind/stl/string.h>

#include "benzer/error.h"
#include "benzer/input.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

std::string type_of(nb::handle value) {
  return nb::cast<std::string>(value.type().attr("__name__"));
}

[[noreturn]] void refuse(std::string_view name, nb::handle value, const std::string& allowed) {
  throw Error(ErrorCode::kBadInput, Subject::field(std::string(name)),
              "the field '" + std::string(name) + "' is of the type " + type_of(value) +
                  ", and it must be " + allowed);
}

bool is_text(nb::handle value) { return PyUnicode_Check(value.ptr()) != 0; }
bool is_bytes(nb::handle value) {
  return PyBytes_Check(value.ptr()) || PyByteArray_Check(value.ptr()) ||
         PyMemoryView_Check(value.ptr());
}

std::string content_of(nb::handle value, std::string_view name) {
  if (is_text(value)) return text_of(value);
  if (!is_bytes(value)) refuse(name, value, "a str");
  PyObject* copy = PyBytes_FromObject(value.ptr());
  if (!copy) throw nb::python_error();
  const auto bytes = nb::steal<nb::bytes>(copy);
  return {bytes.c_str(), bytes.size()};
}

Field field_of(const FieldSpec& spec, nb::handle value) {
  const std::string& name = spec.name;
  if (spec.features.image()) {
    if (is_bytes(value)) return Field::of_image(name, content_of(value, name));
    constexpr const char* kPath = "the path of an image";
    if (is_text(value)) return image_field(name, bytes_of(value, kPath), "");
    if (nb::hasattr(value, "__fspath__"))
      return Field::of_image_file(name, bytes_of(nb::str(value), kPath));
    refuse(name, value, "the bytes of an image file, or its path");
  }
  if (!spec.features.values()) return Field::of_text(name, content_of(value, name));
  if (PyMapping_Check(value.ptr()) && nb::hasattr(value, "items")) {
    std::vector<std::string> values;
    std::vector<double> weights;
    for (const nb::handle item : value.attr("items")()) {
      values.push_back(content_of(item[0], name));
      const double weight = PyFloat_AsDouble(item[1].ptr());
      if (weight == -1 && PyErr_Occurred()) {
        PyErr_Clear();
        refuse(name, item[1], "a number as the weight of each value");
      }
      weights.push_back(weight);
    }
    return Field::of_weighted_values(name, std::move(values), std::move(weights));
  }
  if (is_text(value) || is_bytes(value) || !nb::hasattr(value, "__iter__"))
    refuse(name, value, "a list or a set of str");
  std::vector<std::string> values;
  for (const nb::handle one : value)
    if (!one.is_none()) values.push_back(content_of(one, name));
  return Field::of_values(name, std::move(values));
}

// A whole number, also one of numpy, by its digits.
std::string whole_text(nb::handle value) {
  PyObject* whole = PyNumber_Index(value.ptr());
  if (!whole) throw nb::python_error();
  return nb::cast<std::string>(nb::str(nb::steal(whole)));
}

// A bool, also one of numpy, which is neither a bool nor a whole number.
bool is_bool(nb::handle value) {
  return PyBool_Check(value.ptr()) || type_of(value).starts_with("bool");
}

// What pandas and others write in place of a missing value.
bool is_missing(nb::handle value) {
  if (value.is_none()) return true;
  if (PyFloat_Check(value.ptr())) return std::isnan(PyFloat_AS_DOUBLE(value.ptr()));
  const std::string type = type_of(value);
  if (type == "Decimal") return nb::cast<bool>(value.attr("is_nan")());
  // Of the floats of numpy, float64 is the only one that is a float of Python.
  if (type == "float16" || type == "float32" || type == "longdouble")
    return std::isnan(nb::cast<double>(nb::float_(nb::borrow(value))));
  return type == "NaTType" || type == "NAType" ||
         (type == "datetime64" && nb::cast<std::string>(nb::str(value)) == "NaT");
}

// Of a decimal fraction without an exponent, what is behind the last digit that counts.
void drop_zeros(std::string& digits) {
  if (digits.find('.') == std::string::npos || digits.find_first_of("eE") != std::string::npos)
    return;
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.ends_with('.')) digits.pop_back();
}

// A number, also one of numpy or decimal, by the fewest digits. repr() of numpy names the type.
std::string number_text(nb::handle value) {
  auto out = nb::cast<std::string>(type_of(value) == "Decimal" ? value.attr("__format__")("f")
                                                               : nb::str(value));
  drop_zeros(out);
  return out;
}

// A moment in UTC, in microseconds. One without a zone is one in UTC, a date is its beginning.
std::string time_text(nb::handle value) {
  std::string out;
  if (nb::hasattr(value, "astimezone")) {
    const nb::object utc = nb::module_::import_("datetime").attr("timezone").attr("utc");
    nb::object moment = value.attr("tzinfo").is_none()
                            ? value.attr("replace")(nb::arg("tzinfo") = utc)
                            : value.attr("astimezone")(utc);
    out = nb::cast<std::string>(moment.attr("isoformat")());
    out.erase(out.find_last_of("+-"));
  } else {
    out = nb::cast<std::string>(nb::str(value));  // a date, or a datetime64
  }
  if (out.find('T') == std::string::npos) out += "T00:00:00";
  if (const std::size_t point = out.find('.'); point != std::string::npos) {
    out.resize(std::min(out.size(), point + 7));
    drop_zeros(out);
  }
  return out + 'Z';
}

// Values are written as those in the columns of tables are: 1.0 is "1".
std::string attribute_text(const std::string& name, nb::handle value) {
  if (is_text(value)) return bytes_of(value, "the attribute '" + name + "'");
  if (is_bytes(value)) return content_of(value, name);
  if (is_bool(value)) return nb::cast<bool>(nb::bool_(value)) ? "true" : "false";
  if (PyIndex_Check(value.ptr())) return whole_text(value);
  if (nb::hasattr(value, "year") || type_of(value) == "datetime64") return time_text(value);
  if (nb::hasattr(value, "__float__")) return number_text(value);
  refuse(name, value, "a str, a number, a bool or a time");
}

// The value, or nothing if the mapping does not have the name.
nb::object found_at(nb::handle mapping, const std::string& name) {
  PyObject* found = PyMapping_GetItemString(mapping.ptr(), name.c_str());
  if (found) return nb::steal(found);
  if (!PyErr_ExceptionMatches(PyExc_KeyError)) throw nb::python_error();
  PyErr_Clear();
  return {};
}

// The value, or nothing if it is not there or missing.
nb::object at(nb::handle mapping, const std::string& name) {
  nb::object value = found_at(mapping, name);
  return value && is_missing(value) ? nb::object() : value;
}

}  // namespace

std::string id_of(nb::handle value) {
  if (is_text(value)) return bytes_of(value, "an id");
  if (is_bytes(value)) return content_of(value, "id");
  if (is_missing(value)) return {};
  if (PyIndex_Check(value.ptr()) && !is_bool(value)) return whole_text(value);
  if (nb::hasattr(value, "__float__") && !is_bool(value)) {
    const nb::object number = nb::float_(nb::borrow(value));
    return std::isfinite(nb::cast<double>(number)) ? number_text(value) : std::string();
  }
  refuse("id", value, "a str or a number");
}

std::string text_of(nb::handle text) {
  Py_ssize_t size = 0;
  if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size))
    return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  // Not the method of the object, which may be somebody's own.
  PyObject* made = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogatepass");
  if (!made) throw nb::python_error();
  const auto encoded = nb::steal<nb::bytes>(made);
  const std::string_view all(encoded.c_str(), encoded.size());
  std::string out;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool is_surrogate = static_cast<unsigned char>(all[i]) == 0xED && i + 2 < all.size() &&
                              static_cast<unsigned char>(all[i + 1]) >= 0xA0;
    out += is_surrogate ? '\xFF' : all[i];
    if (is_surrogate) i += 2;
  }
  return out;
}

nb::tuple items_of(nb::list list) {
  PyObject* out = PyList_AsTuple(list.ptr());
  if (!out) throw nb::python_error();
  return nb::steal<nb::tuple>(out);
}

nb::object python_text(std::string_view bytes) {
  PyObject* out =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "surrogateescape");
  if (!out) throw nb::python_error();
  return nb::steal(out);
}

std::string bytes_of(nb::handle text, std::string_view what) {
  Py_ssize_t size = 0;
  if (const char* bytes = PyUnicode_AsUTF8AndSize(text.ptr(), &size))
    return {bytes, static_cast<std::size_t>(size)};
  PyErr_Clear();
  PyObject* encoded = PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape");
  if (!encoded) {
    PyErr_Clear();
    throw Error(ErrorCode::kBadInput,
                std::string(what) + " has a lone surrogate, which is no text");
  }
  const auto bytes = nb::steal<nb::bytes>(encoded);
  return {bytes.c_str(), bytes.size()};
}

Document document_of(nb::handle value, const Schema& schema, bool with_attributes) {
  Document out;
  if (is_text(value)) {
    if (schema.fields.size() != 1 || schema.fields[0].features.image())
      throw Error(ErrorCode::kBadInput, "a document of this index needs names for its fields",
                  "give a mapping such as {'" + schema.fields[0].name + "': ...}");
    out.fields.push_back(field_of(schema.fields[0], value));
    return out;
  }
  if (!PyMapping_Check(value.ptr()) || !nb::hasattr(value, "items"))
    throw Error(ErrorCode::kBadInput,
                "a document is of the type " + type_of(value) + ", and it must be a mapping");
  if (const nb::object id = at(value, "id")) out.id = id_of(id);
  std::string names;
  bool has_field = false;
  for (const FieldSpec& spec : schema.fields) {
    const nb::object field = found_at(value, spec.name);
    has_field = has_field || field;
    if (field && !is_missing(field)) out.fields.push_back(field_of(spec, field));
    names += (names.empty() ? "'" : ", '") + spec.name + "'";
  }
  // A misspelt name would otherwise give documents without any content, similar to nothing. A field
  // that is None is one that somebody knows to be empty.
  if (!has_field)
    throw Error(ErrorCode::kBadInput,
                (out.id.empty() ? "a document" : "the document '" + out.id + "'") +
                    " has none of the fields " + names);
  if (!with_attributes) return out;
  for (const AttributeSpec& spec : schema.attributes)
    if (const nb::object found = at(value, spec.name))
      out.attributes.push_back({spec.name, attribute_text(spec.name, found)});
  return out;
}

std::vector<Document> documents_of(nb::list values, const Schema& schema) {
  std::vector<Document> out;
  for (const nb::handle value : items_of(values)) out.push_back(document_of(value, schema, true));
  return out;
}

std::function<void(std::size_t document, const Error& problem)> problem_at(std::uint64_t begin) {
  return [begin](std::size_t document, const Error& problem) {
    throw Error(problem.code(),
                "document " + std::to_string(begin + document) + ": " + problem.detail(),
                problem.hint());
  };
}

std::vector<Document> queries_of(nb::list values, const Schema& schema, std::uint64_t begin) {
  std::vector<Document> out;
  for (const nb::handle value : items_of(values)) {
    try {
      out.push_back(document_of(value, schema, false));
    } catch (const Error& problem) {
      problem_at(begin)(out.size(), problem);
    }
  }
  return out;
}

std::vector<AttributeChange> changes_of(nb::list values) {
  std::vector<AttributeChange> out;
  for (const nb::handle value : items_of(values)) {
    AttributeChange& change = out.emplace_back();
    if (const nb::object id = at(value, "id")) change.id = id_of(id);
    if (change.id.empty())
      throw Error(ErrorCode::kBadInput, "a change of attributes has no id",
                  "give the id of the document as 'id'");
    for (const nb::handle item : value.attr("items")()) {
      const auto name = bytes_of(nb::str(item[0]), "the name of an attribute");
      if (name == "id") continue;
      if (is_missing(item[1]))
        change.removed.push_back(name);
      else
        change.set.push_back({name, attribute_text(name, item[1])});
    }
  }
  return out;
}

nb::dict attributes_of(const std::vector<Attribute>& attributes) {
  nb::dict out;
  for (const Attribute& attribute : attributes) {
    const nb::object name = python_text(attribute.name);
    if (attribute.kind == AttributeKind::kNumber)
      out[name] = nb::float_(nb::str(attribute.value.c_str()));
    else if (attribute.kind == AttributeKind::kBoolean)
      out[name] = nb::bool_(attribute.value == "true");
    else
      out[name] = python_text(attribute.value);
  }
  return out;
}

}  // namespace benzer::python
