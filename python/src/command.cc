// Runs commands of the program in this process, on tables that Python reads and writes.
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "benzer/error.h"
#include "benzer/output.h"

#include "../../apps/cli/program.h"
#include "../../apps/cli/table_files.h"
#include "../../src/io/output_file_names.h"
#include "bind.h"
#include "documents.h"
#include "result_tables.h"
#include "sources.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

constexpr ErrorCode kCodes[] = {
    ErrorCode::kInvalidArgument, ErrorCode::kBadInput,    ErrorCode::kNotFound, ErrorCode::kCorrupt,
    ErrorCode::kStorageFailed,   ErrorCode::kInterrupted, ErrorCode::kNoIndex,  ErrorCode::kBusy,
    ErrorCode::kGuardRail,       ErrorCode::kUnavailable, ErrorCode::kDenied};

// Converts an exception of Python to the Error that the command reports. Call it with the GIL.
[[noreturn]] void throw_as_error(const nb::python_error& error) {
  const std::string sentence = text_of(nb::str(error.value()));
  const nb::module_ errors = nb::module_::import_("benzer._errors");
  if (nb::isinstance(error.value(), errors.attr("Error"))) {
    const nb::handle value = error.value();
    const std::string code = text_of(value.attr("code"));
    Subject subject;
    std::string detail = sentence;
    // The sentence begins with a file that it is about, and so does that of an Error.
    if (nb::isinstance<nb::str>(value.attr("subject"))) {
      const std::string file = bytes_of(value.attr("subject"), "the name of a file");
      if (sentence.starts_with(file + ": ")) {
        subject = Subject::file(file);
        detail.erase(0, file.size() + 2);
      }
    }
    // It ends with what to do.
    std::string hint;
    if (nb::isinstance<nb::str>(value.attr("hint"))) hint = text_of(value.attr("hint"));
    std::string joint;
    for (const char* one : {"; ", ": "})
      if (!hint.empty() && detail.ends_with(one + hint)) joint = one;
    if (joint.empty())
      hint.clear();
    else
      detail.resize(detail.size() - joint.size() - hint.size());
    for (const ErrorCode one : kCodes)
      if (error_name(one) == code) throw Error(one, subject, detail, hint, joint);
  }
  if (error.matches(PyExc_KeyboardInterrupt)) throw Error(ErrorCode::kInterrupted, "interrupted");
  if (error.matches(PyExc_MemoryError)) throw std::bad_alloc();
  throw std::runtime_error(error.what());
}

// Calls Python from a thread that does not hold the GIL.
template <class Call>
auto in_python(Call call) {
  const nb::gil_scoped_acquire acquire;
  try {
    return call();
  } catch (const nb::python_error& error) {
    throw_as_error(error);
  }
}

nb::list list_of(const std::vector<std::string>& names) {
  nb::list out;
  for (const std::string& name : names) out.append(python_text(name));
  return out;
}

// The tables of benzer._command.Tables.
class PythonTables final : public cli::TableFiles {
 public:
  explicit PythonTables(nb::object tables) : tables_(std::move(tables)) {}

  void open(const std::vector<std::string>& inputs, const std::vector<std::string>& references,
            ArrowOptions& options) override {
    in_python([&] {
      const std::string& content =
          options.values_field.empty() ? options.text_field : options.values_field;
      nb::list columns;
      if (options.fields.empty()) columns.append(python_text(content));
      for (const InputField& field : options.fields) columns.append(python_text(field.name));
      for (const std::string& name : options.number_fields) columns.append(python_text(name));
      if (!options.group_field.empty()) columns.append(python_text(options.group_field));
      const nb::object sources = tables_.attr("open")(list_of(inputs), list_of(references), columns,
                                                      python_text(options.id_field));
      options.inputs = opened(nb::cast<nb::list>(sources[0]));
      options.references = opened(nb::cast<nb::list>(sources[1]));
    });
  }

  bool reads(const std::string& path) const override {
    return in_python([&] { return nb::cast<bool>(tables_.attr("reads")(python_text(path))); });
  }

  std::vector<std::string> targets(const std::string& output) override {
    return in_python([&] {
      std::vector<std::string> out;
      for (const nb::handle name : nb::list(tables_.attr("targets")(python_text(output))))
        out.push_back(bytes_of(name, "the name of an output"));
      return out;
    });
  }

  void check_targets(bool annotated) override {
    in_python([&] { tables_.attr("check_targets")(annotated); });
  }

  void write(const Corpus& corpus, const DedupResult& result, const Clusters* annotated,
             const std::function<void(std::uint64_t)>& progress) override {
    in_python([&] {
      nb::object marks = nb::none();
      if (annotated) marks = annotations_table(corpus, result, *annotated);
      const nb::object tell = nb::cpp_function([&progress](std::uint64_t done) { progress(done); });
      tables_.attr("write")(kept_mask(corpus, result), source_sizes(corpus, result), marks, tell);
    });
  }

  void commit() override {
    in_python([&] { tables_.attr("commit")(); });
  }
  void discard() noexcept override {
    try {
      in_python([&] { tables_.attr("discard")(); });
    } catch (...) {  // the error that ends the command says more
    }
  }

 private:
  // Sources whose failures are those of the command.
  static std::vector<ArrowInput> opened(nb::list sources) {
    std::vector<ArrowInput> out = arrow_inputs(std::move(sources));
    for (ArrowInput& input : out)
      input.open = [open = std::move(input.open)](ArrowArrayStream* stream) {
        in_python([&] { open(stream); });
      };
    return out;
  }

  nb::object tables_;
};

}  // namespace

void bind_command(nb::module_& module) {
  // Remembers the name of an unfinished file while the object exists.
  nb::class_<RememberedName>(module, "RememberedName")
      .def("__init__", [](RememberedName* self, nb::str path) {
        new (self) RememberedName();
        self->remember(bytes_of(path, "the name of a file"));
      });
  module.def("check_output_place", [](nb::str path) {
    const std::string place = bytes_of(path, "the name of a file");
    const nb::gil_scoped_release release;
    OutputFile::check_place(place);
  });
  module.def(
      "run_command",
      [](nb::list arguments, nb::object tables) {
        std::vector<std::string> words;
        for (const nb::handle argument : arguments) words.push_back(bytes_of(argument, "argument"));
        // Never destroyed: threads of the command may end after it.
        cli::set_table_files(new PythonTables(std::move(tables)));
        const nb::gil_scoped_release release;
        return cli::run_program(words);
      },
      nb::arg("arguments"), nb::arg("tables"));
}

}  // namespace benzer::python
