#include "base/record_log.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <xxhash.h>

#include "benzer/error.h"

namespace benzer {
namespace {

struct Head {
  std::uint32_t kind;
  std::uint32_t zero;
  std::uint64_t length;
  std::uint64_t checksum;
};
static_assert(sizeof(Head) == kRecordHeadBytes && std::has_unique_object_representations_v<Head>);

std::uint64_t checksum(std::uint32_t kind, std::string_view payload) {
  return XXH3_64bits_withSeed(payload.data(), payload.size(), kind);
}

}  // namespace

std::string_view record_log_magic() noexcept { return "BENZLOG1"; }

std::string record_head(std::uint32_t kind, std::string_view payload) {
  const Head head{kind, 0, payload.size(), checksum(kind, payload)};
  return {reinterpret_cast<const char*>(&head), sizeof head};
}

std::uint64_t record_length(std::string_view bytes) noexcept {
  Head head;
  if (bytes.size() < sizeof head) return 0;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.zero != 0 || head.length > std::numeric_limits<std::uint64_t>::max() - sizeof head)
    return 0;
  return sizeof head + head.length;
}

bool take_record(std::string_view& bytes, std::uint32_t& kind, std::string_view& payload) noexcept {
  Head head;
  if (bytes.size() < sizeof head) return false;
  std::memcpy(&head, bytes.data(), sizeof head);
  if (head.zero != 0 || head.length > bytes.size() - sizeof head) return false;
  payload = bytes.substr(sizeof head, static_cast<std::size_t>(head.length));
  if (checksum(head.kind, payload) != head.checksum) return false;
  kind = head.kind;
  bytes.remove_prefix(sizeof head + payload.size());
  return true;
}

bool RecordLogReader::open(const std::string& path) {
  path_ = path;
  const int error = open_to_read(path, file_);
  if (error == ENOENT) return false;
  struct stat status{};
  if (error || file_system().fstat(file_.get(), &status) != 0)
    throw Error(ErrorCode::kStorageFailed, Subject::file(path),
                fmt::format("it cannot be read: {}", system_message(error ? error : errno)));
  size_ = identity_of(status).size;
  char magic[8];
  std::size_t got = 0;
  pread_fully(file_.get(), magic, sizeof magic, 0, &got);
  if (std::string_view(magic, got) != record_log_magic())
    throw Error(ErrorCode::kCorrupt, Subject::file(path),
                "this file was not written by benzer, or its beginning is damaged");
  whole_ = sizeof magic;
  return true;
}

bool RecordLogReader::next(std::uint32_t& kind, std::string& payload) {
  Head head;
  if (size_ - whole_ < sizeof head) return false;
  std::size_t got = 0;
  if (pread_fully(file_.get(), reinterpret_cast<char*>(&head), sizeof head, whole_, &got) != 0 ||
      got < sizeof head || head.zero != 0 || head.length > size_ - whole_ - sizeof head)
    return false;
  payload.resize(static_cast<std::size_t>(head.length));
  if (pread_fully(file_.get(), payload.data(), payload.size(), whole_ + sizeof head, &got) != 0 ||
      got < payload.size() || checksum(head.kind, payload) != head.checksum)
    return false;
  kind = head.kind;
  whole_ += sizeof head + head.length;
  return true;
}

void RecordLogWriter::check(int error) const {
  if (error != 0)
    throw Error(ErrorCode::kStorageFailed, Subject::file(path_),
                fmt::format("it cannot be written: {}", system_message(error)),
                "free space there or name another work folder");
}

void RecordLogWriter::open(const std::string& path, std::uint64_t whole) {
  path_ = path;
  int fd = -1;
  do {
    fd = file_system().open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (whole ? 0 : O_TRUNC),
                            0666);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) check(errno);
  file_ = FileHandle(fd);
  if (whole > 0) {
    if (::ftruncate(fd, static_cast<off_t>(whole)) != 0 || ::lseek(fd, 0, SEEK_END) < 0)
      check(errno);
  } else {
    check(write_fully(fd, record_log_magic().data(), record_log_magic().size()));
  }
}

void RecordLogWriter::append(std::uint32_t kind, std::string_view payload) {
  const std::string head = record_head(kind, payload);
  check(write_fully(file_.get(), head.data(), head.size()));
  check(write_fully(file_.get(), payload.data(), payload.size()));
}

void RecordLogWriter::close_as(const std::string& path) {
  if (file_system().fsync(file_.get()) != 0) check(errno);
  file_.reset();
  if (file_system().rename(path_.c_str(), path.c_str()) != 0) check(errno);
}

std::string_view FieldReader::take(std::uint64_t count, std::size_t width) {
  if (count > left_.size() / width)
    throw Error(ErrorCode::kCorrupt, "a record of benzer's own says more than it holds");
  const std::string_view taken = left_.substr(0, static_cast<std::size_t>(count) * width);
  left_.remove_prefix(taken.size());
  return taken;
}

}  // namespace benzer
