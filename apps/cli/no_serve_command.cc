// benzer serve, of a build without what it needs.
#include "benzer/error.h"

#include "commands.h"

namespace benzer::cli {

int run_serve(const Options&) {
  throw Error(ErrorCode::kUnavailable,
              "this program was built without the server: build it where Boost, OpenSSL and SQLite "
              "are installed");
}

}  // namespace benzer::cli
