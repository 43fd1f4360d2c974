// What benzer.datasketch needs of the extension module.
#pragma once

#include <nanobind/nanobind.h>

namespace benzer::python {

// Adds the functions and the class of benzer.datasketch; their names begin with `datasketch`.
void bind_datasketch(nanobind::module_& m);

}  // namespace benzer::python
