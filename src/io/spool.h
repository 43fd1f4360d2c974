// Keeps a copy of bytes that must be read twice and come only once.
#pragma once

#include <memory>

#include "base/workspace.h"
#include "io/byte_stream.h"

namespace benzer {

// Passes the bytes on, as far as they come before an error, and keeps a copy in the spool, which
// must outlive it. Packed, the copy is whole when the end or an error was handed out.
std::unique_ptr<ByteStream> stream_spooled(std::unique_ptr<ByteStream> bytes, ScratchFile& spool,
                                           bool packed);

}  // namespace benzer
