// Turns keyword arguments into the options that the programs share.
#pragma once

#include <nanobind/nanobind.h>

#include "../../apps/shared/options.h"

namespace benzer::python {

// settings: names as keyword arguments have them, and values that are a str, a bool or a list of
// str; None stands for an argument that was not given. Throws Error(kInvalidArgument) for a name
// that is no option of the command.
apps::Options options_of(apps::Command command, nanobind::dict settings);

}  // namespace benzer::python
