// The extension module benzer._engine: the engine as plain functions and classes. The package in
// python/benzer/ makes of it what users see.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include "benzer/research/register.h"
#include "benzer/runtime.h"

#include "bind.h"
#include "datasketch_bind.h"

namespace nb = nanobind;

NB_MODULE(_engine, module) {
  benzer::register_research();
  // A run holds what reads its tables, of which the collector of garbage knows nothing. If that
  // refers to a module that is torn down first, nanobind would call the run a leak.
  nb::set_leak_warnings(false);
  module.doc() = "The engine of Benzer. Use the package benzer, which documents it.";
  module.attr("version") = nb::str(benzer::version().data(), benzer::version().size());
  benzer::python::bind_errors(module);
  benzer::python::bind_columns(module);
  benzer::python::bind_options(module);
  benzer::python::bind_runs(module);
  benzer::python::bind_passages(module);
  benzer::python::bind_index(module);
  benzer::python::bind_texts(module);
  benzer::python::bind_partition(module);
  benzer::python::bind_command(module);
  benzer::python::bind_datasketch(module);
}
