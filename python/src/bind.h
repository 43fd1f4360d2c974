// Declares the parts of the extension module, each of which adds its classes and functions to it.
#pragma once

#include <nanobind/nanobind.h>

namespace benzer::python {

void bind_errors(nanobind::module_& module);
void bind_columns(nanobind::module_& module);
void bind_command(nanobind::module_& module);
void bind_options(nanobind::module_& module);
void bind_runs(nanobind::module_& module);
void bind_passages(nanobind::module_& module);
void bind_index(nanobind::module_& module);
void bind_partition(nanobind::module_& module);
void bind_texts(nanobind::module_& module);

}  // namespace benzer::python
