// The library's JSON, and what apps/shared makes of it, for both programs.
#pragma once

#include "benzer/internal/json.h"

namespace benzer::apps {}
namespace benzer::cli {
using namespace apps;
}
namespace benzer::server {
using namespace apps;
}
