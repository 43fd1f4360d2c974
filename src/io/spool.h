// Keeps a copy of bytes that must be read twice and come from a stream that gives them once.
#pragma once

#include <memory>

#include "base/workspace.h"
#include "io/byte_stream.h"

namespace benzer {

// Passes the bytes on and appends a copy to the spool, which must outlive the stream. If the copy
// is packed, it is complete only once the end or an error was handed out.
std::unique_ptr<ByteStream> stream_spooled(std::unique_ptr<ByteStream> bytes, ScratchFile& spool,
                                           bool packed);

}  // namespace benzer
