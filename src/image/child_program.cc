#include "image/child_program.h"

#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include "benzer/error.h"
#include "benzer/internal/embedded.h"

// The program is data of the library: none of it runs in this process.
BENZER_EMBED(image_child, BENZER_IMAGE_CHILD)

namespace benzer {
namespace {

#ifndef MFD_EXEC
constexpr unsigned MFD_EXEC = 0x10;  // since Linux 6.3
#endif

int memory_file() {
  const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  const int fd = ::memfd_create("benzer-image-child", flags | MFD_EXEC);
  return fd < 0 && errno == EINVAL ? ::memfd_create("benzer-image-child", flags) : fd;
}

[[noreturn]] void fail(std::string_view what) {
  throw Error(ErrorCode::kUnavailable,
              fmt::format("images cannot be decoded: {} ({})", what, system_message(errno)));
}

}  // namespace

FileHandle child_program() {
  const FileHandle file(memory_file());
  if (file.get() < 0) fail("the system gives no file in memory for the decoder process");
  const std::string_view program = embedded_image_child();
  if (const int error = write_fully(file.get(), program.data(), program.size()); error != 0) {
    errno = error;
    fail("the decoder process cannot be written to memory");
  }
  ::fcntl(file.get(), F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
  // 3 or above: posix_spawn puts the socket of a child at descriptor 0.
  FileHandle out(::fcntl(file.get(), F_DUPFD_CLOEXEC, 3));
  if (out.get() < 0) fail("there are too many open files");
  return out;
}

}  // namespace benzer
