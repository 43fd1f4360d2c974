// Turns errors of the library into exceptions of Python.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "benzer/error.h"

#include "bind.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

// Parameters are keyword arguments here: recall, allow_low_recall=True, or memory_limit='64M'.
class PythonSpelling : public Spelling {
 public:
  std::string parameter(const Parameter& parameter) const override {
    if (parameter.value.empty()) return parameter.name;
    if (parameter.value == "true") return parameter.name + "=True";
    return parameter.name + "='" + parameter.value + "'";
  }
};

std::string_view name_of(Subject::Kind kind) {
  switch (kind) {
    case Subject::Kind::kNone:
      return "";
    case Subject::Kind::kFile:
      return "file";
    case Subject::Kind::kPlace:
      return "place";
    case Subject::Kind::kIndex:
      return "index";
    case Subject::Kind::kField:
      return "field";
    case Subject::Kind::kParameter:
      return "parameter";
  }
  return "";
}

nb::str text(std::string_view bytes) {
  PyObject* out =
      PyUnicode_DecodeUTF8(bytes.data(), static_cast<Py_ssize_t>(bytes.size()), "replace");
  if (!out) throw nb::python_error();
  return nb::steal<nb::str>(out);
}

void raise(const Error& error) {
  const PythonSpelling spelling;
  const Subject& subject = error.subject();
  const nb::object made =
      nb::module_::import_("benzer._errors")
          .attr("from_engine")(text(error_name(error.code())),
                               text(error.sentence().spelled(spelling)),
                               text(error.hint().spelled(spelling)), text(name_of(subject.kind)),
                               text(subject.name), subject.line);
  PyErr_SetObject(made.type().ptr(), made.ptr());
}

}  // namespace

void bind_errors(nb::module_&) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      try {
        raise(error);
      } catch (nb::python_error& failure) {
        failure.restore();
      }
    }
  });
}

}  // namespace benzer::python
