#include "options.h"

#include <string>
#include <vector>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "../../apps/shared/set_option.h"
#include "bind.h"
#include "documents.h"

namespace nb = nanobind;

namespace benzer::python {

apps::Options options_of(apps::Command command, nb::dict settings) {
  apps::Options out;
  out.command = command;
  for (const auto [key, value] : settings) {
    if (value.is_none()) continue;
    const auto name = nb::cast<std::string>(key);
    if (name == "inputs") {
      for (const nb::handle one : value)
        out.inputs.push_back(bytes_of(one, "the name of an input"));
    } else if (PyBool_Check(value.ptr())) {
      apps::set_option(out, name, nb::cast<bool>(value));
    } else if (PyList_Check(value.ptr())) {
      std::vector<std::string> list;
      for (const nb::handle one : value) list.push_back(bytes_of(one, name));
      apps::set_option(out, name, std::move(list));
    } else {
      apps::set_option(out, name, bytes_of(value, name));
    }
  }
  return out;
}

void bind_options(nb::module_& module) {
  module.def("options_of", [](const std::string& command) {
    std::vector<std::string> out;
    for (const apps::CommandRow& row : apps::command_table()) {
      if (row.name != command) continue;
      for (const apps::OptionRow* option : apps::options_of(row.command))
        if (option->section != apps::Section::kHidden) out.push_back(option->parameter());
    }
    return out;
  });
}

}  // namespace benzer::python
