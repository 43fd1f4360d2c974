// Refuses benzer serve in a build without the server.
#include "benzer/error.h"

#include "commands.h"

namespace benzer::cli {

int run_serve(const Options&) {
  throw Error(ErrorCode::kUnavailable,
              "this program was built without the server: build it where Boost, OpenSSL and SQLite "
              "are installed");
}

}  // namespace benzer::cli
