// Makes the library's JSON, and what apps/shared builds with it, available to both programs.
#pragma once

#include "benzer/internal/json.h"

namespace benzer::apps {}
namespace benzer::cli {
using namespace apps;
}
namespace benzer::server {
using namespace apps;
}
