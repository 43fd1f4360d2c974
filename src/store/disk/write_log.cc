#include "store/disk/write_log.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>

#include "benzer/error.h"

#include "base/record_log.h"

namespace benzer {
namespace {

// If nobody waits for an acknowledgement, this much is kept before it is written.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// After failed writes this much is kept before writers are refused.
constexpr std::size_t kMostKept = std::size_t{256} << 20;

}  // namespace

void settle_log(const std::string& path, const LogRead& read) {
  const auto check = [&](int error, std::string_view what) {
    if (error)
      throw Error(ErrorCode::kStorageFailed, Subject::file(path),
                  fmt::format("it {}: {}", what, system_message(error)));
  };
  FileHandle file;
  check(open_file(path, O_RDWR | O_CREAT, 0644, file), "cannot be opened");
  if (file_system().ftruncate(file.get(), read.bytes) != 0) check(errno, "cannot be cut");
  if (read.bytes == 0) {
    const std::string_view magic = record_log_magic();
    check(pwrite_fully(file.get(), magic.data(), magic.size(), 0), "cannot be written");
  }
  // After a failed sync, the system has the bytes and takes them for synced: only what is written
  // once more is sure to be on the disk after the next sync.
  std::string piece(kBufferBytes, '\0');
  for (std::uint64_t at = std::min(read.synced, read.bytes); at < read.bytes;) {
    const std::size_t wanted =
        static_cast<std::size_t>(std::min<std::uint64_t>(piece.size(), read.bytes - at));
    std::size_t got = 0;
    check(pread_fully(file.get(), piece.data(), wanted, at, &got), "cannot be read");
    if (got == 0) break;  // it was cut meanwhile
    check(pwrite_fully(file.get(), piece.data(), got, at), "cannot be written");
    at += got;
  }
  if (file_system().fsync(file.get()) != 0) check(errno, "cannot be synced");
}

WriteLog::WriteLog(std::string path, const LogRead& read, Durability durability)
    : path_(std::move(path)), durability_(durability), next_(read.next_number) {
  settle_log(path_, read);
  if (const int error = open_file(path_, O_RDWR | O_APPEND, 0, file_))
    fail(error, "cannot be opened");
  synced_bytes_ = written_bytes_ = std::max(read.bytes, std::uint64_t{record_log_magic().size()});
  written_ = synced_ = next_ - 1;
}

void WriteLog::fail(int error, std::string_view what) const {
  throw Error(ErrorCode::kStorageFailed, Subject::file(path_),
              fmt::format("it {}: {}", what, system_message(error)));
}

void WriteLog::start_at(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  next_ = number;
  written_ = synced_ = number - 1;
}

void WriteLog::keep_mark(std::shared_ptr<SyncMark> mark, std::uint64_t log) {
  const std::lock_guard lock(mutex_);
  mark_ = std::move(mark);
  log_ = log;
  move_mark();
}

void WriteLog::move_mark() noexcept {
  if (mark_) mark_->move({log_, synced_bytes_, synced_ + 1});
}

void WriteLog::append(bool is_removal, const DocumentHashes& document) {
  const std::lock_guard lock(mutex_);
  if (sync_error_ != 0)
    fail(sync_error_, "could not be synced, so that nothing more is written; open the index again");
  if (buffer_.size() > kMostKept)
    throw Error(ErrorCode::kStorageFailed, Subject::file(path_),
                fmt::format("{} bytes wait to be written", buffer_.size()), "free space there");
  const std::string payload = LogRecord::payload(next_, synced_bytes_, is_removal, document);
  const std::string head = record_head(is_removal ? LogRecord::kRemoval : LogRecord::kPut, payload);
  buffer_.reserve(buffer_.size() + head.size() + payload.size());  // both or none
  buffer_ += head;
  buffer_ += payload;
  ++next_;
}

void WriteLog::wait_for(std::uint64_t number, Durability durability) {
  std::unique_lock lock(mutex_);
  const auto is_done = [&] {
    if (durability == Durability::kSync) return synced_ >= number;
    if (durability == Durability::kBatch) return written_ >= number;
    return written_ >= number || buffer_.size() < kBufferBytes;
  };
  while (!is_done()) {
    if (sync_error_ != 0)
      fail(sync_error_,
           "could not be synced, so that nothing more is written; open the index again");
    if (busy_) {
      changed_.wait(lock);
      continue;
    }
    busy_ = true;
    if (writing_.empty()) {
      writing_.swap(buffer_);
      writing_last_ = next_ - 1;
    }
    lock.unlock();
    const int write_error = write_out();
    int sync_error = 0;
    if (!write_error && durability == Durability::kSync &&
        file_system().fdatasync(file_.get()) != 0)
      sync_error = errno;
    lock.lock();
    busy_ = false;
    if (!write_error) {
      written_ = writing_last_;
      written_bytes_ += writing_.size();
      writing_ = std::string();
      if (sync_error) {
        sync_error_ = sync_error;
      } else if (durability == Durability::kSync) {
        synced_ = written_;
        synced_bytes_ = written_bytes_;
        move_mark();
      }
    }
    changed_.notify_all();
    if (write_error)
      fail(write_error,
           "cannot be written, so that what was asked for may be there or not when the index is "
           "opened again; free space there, and ask for it once more");
  }
}

// Cuts off what could not be written completely, at once or, if that fails too, before the next
// try.
int WriteLog::write_out() noexcept {
  if (half_written_ && file_system().ftruncate(file_.get(), written_bytes_) != 0) return errno;
  half_written_ = true;
  const int error = write_fully(file_.get(), writing_.data(), writing_.size());
  half_written_ = error != 0 && file_system().ftruncate(file_.get(), written_bytes_) != 0;
  return error;
}

SyncMark::Place WriteLog::synced() const {
  const std::lock_guard lock(mutex_);
  return {log_, synced_bytes_, synced_ + 1};
}

std::uint64_t WriteLog::next_number() const {
  const std::lock_guard lock(mutex_);
  return next_;
}

std::uint64_t WriteLog::size() const {
  const std::lock_guard lock(mutex_);
  return written_bytes_ + writing_.size() + buffer_.size();
}

}  // namespace benzer
