#include "io/line_source.h"

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include <fcntl.h>
#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/runtime.h"

#include "io/corpus_body.h"
#include "io/file_kind.h"
#include "io/spool.h"

namespace benzer {
namespace {

// Large enough that system calls cost little, small enough to stay in the first caches between
// reading and writing.
constexpr std::size_t kWindowBytes = 32u << 10;

}  // namespace

void throw_changed(const InputFile& file) {
  throw Error(ErrorCode::kBadInput, file.subject(), "the file changed while it was read",
              "run again when no other program writes to it");
}

void throw_unreadable_again(const InputFile& file, const ErrorText& why) {
  throw Error(ErrorCode::kBadInput, file.subject(), "the file cannot be read again: " + why);
}

void throw_lost(const InputFile& file, int error) {
  throw_if_out_of_files(file.path, error);
  if (error == ENOENT || error == ENOTDIR) throw_changed(file);
  throw_unreadable_again(file, system_message(error));
}

FirstPass::FirstPass(LineSource& source, const Workspace& workspace, int standard_input)
    : source_(source), workspace_(workspace), standard_input_(standard_input) {}

std::string FirstPass::open(bool summed) {
  const InputFile file = source_.file();
  const bool standard_input = file.path == "-";
  if (!standard_input) {
    if (const int error = open_input(file, file_))
      return fmt::format("the file cannot be opened: {}", system_message(error));
  }
  if (file.stream) {
    source_.spool = std::make_shared<ScratchFile>(workspace_);
    const bool packed = workspace_.limited();
    if (packed) source_.compression = Compression::kZstd;
    const int fd = standard_input ? standard_input_ : file_.get();
    stream_ = stream_spooled(
        stream_stoppable(stream_sniffed(stream_pipe(fd, source_.stop)), source_.stop),
        *source_.spool, packed);
    return look();
  }
  struct stat status{};
  if (file_system().fstat(file_.get(), &status) != 0)
    return fmt::format("the file cannot be read: {}", system_message(errno));
  source_.identity = identity_of(status);
  ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);  // a hint, which may fail
  stream_ = stream_file(file_.get(), source_.stop);
  if (summed) stream_ = stream_summed(std::move(stream_), sum_.emplace());
  stream_ = stream_sniffed(std::move(stream_), file.path, &source_.compression);
  if (!source_.random_access()) stream_ = stream_stoppable(std::move(stream_), source_.stop);
  return look();
}

std::string FirstPass::look() {
  LookedAt looked = look_ahead(std::move(stream_), kLookedAtBytes);
  stream_ = std::move(looked.stream);
  const std::string why = why_no_records(looked.first);
  no_text_ = !why.empty();
  source_.read = !no_text_;
  return why;
}

bool FirstPass::begins_with(const Content& content) const {
  if (content.bytes == 0) return true;
  Content found;
  if (const int error = read_content(file_.get(), content.bytes, source_.stop, found))
    throw Error(ErrorCode::kBadInput, source_.file().subject(),
                fmt::format("the file cannot be read: {}", system_message(error)));
  return found == content;
}

void for_each_readable_twice(
    const InputFiles& files, const std::atomic<bool>* stop,
    const std::function<void(const InputFile& file, std::unique_ptr<ByteStream> bytes)>& body) {
  for (std::size_t i = 0; i < files.size(); ++i) {
    throw_if_stopped(stop);
    LineSource source(files, i, stop);
    const InputFile file = source.file();
    if (file.stream) continue;
    const Workspace workspace;
    FirstPass pass(source, workspace, -1);
    if (pass.open().empty()) body(file, pass.take_stream());
  }
}

SourceFile::SourceFile(const LineSource& source) : source_(&source) {
  if (source.spool) return;
  if (const int error = open_to_read(source.file().path, file_)) throw_lost(source.file(), error);
  check_unchanged();
}

void SourceFile::check_unchanged() const {
  struct stat status{};
  if (source_->spool) return;
  if (file_system().fstat(file_.get(), &status) != 0)
    throw_unreadable_again(source_->file(), system_message(errno));
  if (identity_of(status) != source_->identity) throw_changed(source_->file());
}

void SourceFile::read(ByteRange range, char* out) const {
  std::size_t got = 0;
  const int error =
      pread_fully(fd(), out, static_cast<std::size_t>(range.length), range.offset, &got);
  if (error)
    throw_unreadable_again(source_->file(),
                           fmt::format("byte {}: {}", range.offset + got, system_message(error)));
  if (got < range.length) throw_changed(source_->file());
}

SecondPass::SecondPass(const LineSource& source)
    : source_(source), file_(source), window_(kWindowBytes) {
  if (!source.random_access())
    stream_ = stream_stoppable(
        stream_unpacked(stream_file(file_.fd(), source.stop), source.compression), source.stop);
}

SecondPass::~SecondPass() = default;

// Moves the window to the next bytes of a packed source.
void SecondPass::refill() {
  window_offset_ += window_size_;
  window_size_ = 0;
  try {
    window_size_ = stream_->read(window_.data(), window_.size());
  } catch (const StreamDamage& damage) {
    if (source_.spool) source_.spool->throw_unreadable(window_offset_, damage.what());
    // The first pass read further than this, so the file has changed or reading it fails.
    file_.check_unchanged();
    throw_unreadable_again(source_.file(), damage.what());
  }
  if (window_size_ == 0) throw_changed(source_.file());
}

void SecondPass::copy(ByteRange range, const Sink& sink) {
  if (!stream_) {
    while (range.length > 0) {
      const ByteRange part{range.offset, std::min<std::uint64_t>(range.length, window_.size())};
      file_.read(part, window_.data());
      sink({window_.data(), static_cast<std::size_t>(part.length)});
      range.offset += part.length;
      range.length -= part.length;
    }
    return;
  }
  if (range.length > 0 && range.offset < window_offset_)
    throw std::logic_error("a packed source cannot be read backwards");
  while (range.length > 0) {
    const std::uint64_t window_end = window_offset_ + window_size_;
    if (range.offset >= window_end) {
      refill();
      continue;
    }
    const auto at = static_cast<std::size_t>(range.offset - window_offset_);
    const auto length =
        static_cast<std::size_t>(std::min<std::uint64_t>(range.length, window_size_ - at));
    sink({window_.data() + at, length});
    range.offset += length;
    range.length -= length;
  }
}

void SecondPass::finish() { file_.check_unchanged(); }

}  // namespace benzer
