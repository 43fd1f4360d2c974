// This program decodes images, and encodes small ones: it answers requests from its socket until
// the parent closes it. An image may have taken the process over, so the parent checks every
// answer.
#include <cstdio>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <string>

#include <jpeglib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "image/child/protocol.h"
#include "image/child/sandbox.h"
#include "image/codecs/decode.h"
#include "image/codecs/encode.h"
#include "image/format.h"

namespace {

using namespace benzer;
using namespace benzer::image_child;

bool receive(void* out, std::size_t size) {
  auto* to = static_cast<char*>(out);
  while (size > 0) {
    const ssize_t got = ::recv(kSocket, to, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    size -= static_cast<std::size_t>(got);
  }
  return true;
}

bool send(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const ssize_t sent = ::send(kSocket, from, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) return false;
    from += sent;
    size -= static_cast<std::size_t>(sent);
  }
  return true;
}

bool skip(std::uint64_t size) {
  char block[4096];
  for (; size > sizeof block; size -= sizeof block)
    if (!receive(block, sizeof block)) return false;
  return receive(block, size);
}

// The text as one line of printable ASCII, of at most kMostProblemBytes.
std::string shown(const std::string& text) {
  std::string out = text.substr(0, kMostProblemBytes);
  for (char& c : out)
    if (c < ' ' || c > '~') c = '?';
  return out;
}

bool answer(const DecodedImage& image) {
  Answer out;
  for (std::uint32_t i = 0; i < std::size(kFormatNames); ++i)
    if (std::strcmp(image.format, kFormatNames[i]) == 0) out.format = i;
  out.width = image.width;
  out.height = image.height;
  out.is_animation = image.is_animation ? 1 : 0;
  const std::string problem = shown(image.problem);
  out.problem_bytes = static_cast<std::uint32_t>(problem.size());
  if (problem.empty()) {
    out.picture_width = image.picture.width;
    out.picture_height = image.picture.height;
  }
  return send(&out, sizeof out) && send(problem.data(), problem.size()) &&
         (!problem.empty() || send(image.picture.pixels.data(), image.picture.pixels.size()));
}

bool encode(const Request& request) {
  if (!can_be_encoded(request.width, request.height, request.channels, request.bytes)) return false;
  Picture picture{request.width, request.height, request.channels, {}};
  picture.pixels.resize(request.bytes);
  if (!receive(picture.pixels.data(), picture.pixels.size())) return false;
  Answer out;
  std::string problem, file;
  try {
    file = encode_as_jpeg(picture);
  } catch (const std::exception& error) {
    problem = shown(error.what());
  }
  out.problem_bytes = static_cast<std::uint32_t>(problem.size());
  out.file_bytes = file.size();
  return send(&out, sizeof out) && send(problem.data(), problem.size()) &&
         send(file.data(), file.size());
}

bool decode(const Request& request, const ImageLimits& limits) {
  const std::unique_ptr<char[]> bytes(new (std::nothrow) char[request.bytes]);
  DecodedImage image;
  if (bytes) {
    if (!receive(bytes.get(), request.bytes)) return false;
    image =
        decode_image({bytes.get(), request.bytes}, {request.colour != 0, request.longest}, limits);
  } else {
    if (!skip(request.bytes)) return false;
    image.problem = "reading it takes more memory than is allowed";
  }
  return answer(image);
}

bool serve(const ImageLimits& limits) {
  Request request;
  if (!receive(&request, sizeof request)) return false;
  end_after(limits.cpu_seconds, limits.seconds + 1);
  if (!(request.channels > 0 ? encode(request) : decode(request, limits))) return false;
  end_after(0, 0);
  return true;
}

// Encodes a tiny image: on some processors libjpeg reads a file to find out which instructions
// there are, and the sandbox forbids that later.
void warm_up() {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  jpeg_create_compress(&state);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&state, &out, &size);
  state.image_width = state.image_height = 8;
  state.input_components = 1;
  state.in_color_space = JCS_GRAYSCALE;
  jpeg_set_defaults(&state);
  jpeg_start_compress(&state, TRUE);
  JSAMPLE row[8] = {};
  JSAMPROW rows = row;
  while (state.next_scanline < 8) jpeg_write_scanlines(&state, &rows, 1);
  jpeg_finish_compress(&state);
  jpeg_destroy_compress(&state);
  std::free(out);
}

// Closes all descriptors from this one on. The C library has close_range() since glibc 2.34, Linux
// since 5.9.
void close_from(int first) {
  if (::syscall(SYS_close_range, first, ~0u, 0) == 0) return;
  const long end = ::sysconf(_SC_OPEN_MAX);
  for (long descriptor = first; descriptor < end; ++descriptor)
    ::close(static_cast<int>(descriptor));
}

}  // namespace

int main() {
  // All but the socket; a sanitizer also needs standard error for its reports.
  close_from(kSanitized ? 3 : kSocket + 1);
  ::prctl(PR_SET_NAME, "benzer-image", 0, 0, 0);
  ImageLimits limits;
  if (!receive(&limits, sizeof limits)) return 0;
  warm_up();
  if (!enter_sandbox(limits) || !send(&kReady, sizeof kReady)) return 1;
  while (serve(limits)) {
  }
  ::_exit(0);
}
