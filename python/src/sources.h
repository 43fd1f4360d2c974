// Reads tables of Python, which export themselves over the Arrow C stream interface.
#pragma once

#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/arrow.h"

namespace benzer::python {

// sources: objects with the attributes `name`, `is_held`, and `open`, which returns an object with
// __arrow_c_stream__. Call it with the GIL; the inputs may be used without it.
std::vector<ArrowInput> arrow_inputs(nanobind::list sources);

}  // namespace benzer::python
