#include "store/disk/write_log.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/format.h>

#include "benzer/error.h"

#include "base/record_log.h"

namespace benzer {
namespace {

enum Kind : std::uint32_t { kPut = 1, kRemoval = 2 };

// Without an acknowledgement to wait for, this much is kept before it is written.
constexpr std::size_t kBufferBytes = std::size_t{1} << 20;
// After failed writes this much is kept before writers are refused.
constexpr std::size_t kMostKept = std::size_t{256} << 20;

std::string payload_of(std::uint64_t number, std::uint64_t synced, bool is_removal,
                       const DocumentHashes& document) {
  std::string out;
  FieldWriter fields(out);
  fields.number(number);
  fields.number(synced);
  fields.text(document.id);
  if (is_removal) return out;
  fields.number(document.fields.size());
  for (const FieldHashes& field : document.fields) {
    fields.number(field.field);
    fields.list(field.features);
    fields.list(field.keys);
    fields.list(field.cut);
  }
  return out;
}

// Throws Error(kCorrupt): a record with the right checksum that no log has.
void parse(std::uint32_t kind, std::string_view payload, const HashLayout& layout, LogRecord& out,
           std::uint64_t& synced) {
  const auto require = [](bool holds) {
    if (!holds) throw Error(ErrorCode::kCorrupt, "a record of the log does not fit the store");
  };
  FieldReader fields(payload);
  out.number = fields.number();
  synced = fields.number();
  out.document.id = fields.text();
  out.document.fields.clear();
  require(kind == kPut || kind == kRemoval);
  require(!out.document.id.empty() && out.document.id.size() <= kLongestId);
  out.is_removal = kind == kRemoval;
  if (!out.is_removal) {
    const std::uint64_t count = fields.number();
    for (std::uint64_t i = 0; i < count; ++i) {
      FieldHashes& field = out.document.fields.emplace_back();
      const std::uint64_t number = fields.number();
      require(number < layout.fields && (i == 0 || number > out.document.fields[i - 1].field));
      field.field = static_cast<std::uint32_t>(number);
      fields.list(field.features);
      fields.list(field.keys);
      fields.list(field.cut);
      require(!field.features.empty() && field.keys.size() == layout.bands &&
              field.cut.size() == layout.cut_bytes());
    }
  }
  require(fields.at_end());
}

std::string read_whole(const std::string& path) {
  FileHandle file;
  struct stat status{};
  int error = open_to_read(path, file);
  if (!error && file_system().fstat(file.get(), &status) != 0) error = errno;
  std::string bytes;
  if (!error) {
    bytes.resize(static_cast<std::size_t>(status.st_size));
    std::size_t got = 0;
    error = pread_fully(file.get(), bytes.data(), bytes.size(), 0, &got);
    bytes.resize(got);
  }
  if (error)
    throw Error(
        error == ENOENT ? ErrorCode::kCorrupt : ErrorCode::kStorageFailed,
        fmt::format("{}: the log cannot be read: {}", shown_path(path), system_message(error)));
  return bytes;
}

// Is there a record behind `begin` that was written when the log was synced beyond it? Then what is
// damaged there was acknowledged.
bool was_synced_beyond(std::string_view bytes, std::uint64_t begin, const HashLayout& layout) {
  constexpr std::string_view kZeros("\0\0\0\0\0\0\0", 7);  // the upper bytes of every kind
  LogRecord record;
  for (std::size_t at = begin; (at = bytes.find(kZeros, at + 1)) != std::string_view::npos;) {
    std::string_view rest = bytes.substr(at - 1);
    std::uint32_t kind = 0;
    std::string_view payload;
    std::uint64_t synced = 0;
    if (!take_record(rest, kind, payload)) continue;
    try {
      parse(kind, payload, layout, record, synced);
    } catch (const Error&) {
      continue;
    }
    if (synced > begin) return true;
  }
  return false;
}

}  // namespace

LogRead read_log(const std::string& path, const HashLayout& layout, std::uint64_t first,
                 const std::function<void(LogRecord&)>& visit) {
  const std::string bytes = read_whole(path);
  LogRead out{0, 0, 0, first};
  const auto fail = [&](std::string_view what) {
    throw Error(ErrorCode::kCorrupt,
                fmt::format("{}: byte {} {}", shown_path(path), out.bytes, what));
  };
  const std::string_view magic = record_log_magic();
  if (!bytes.starts_with(magic)) {
    // Records follow only when the magic was synced. Before that some of its bytes may be missing.
    const auto is_missing = [](char is, char wanted) { return is == wanted || is == '\0'; };
    if (bytes.size() > magic.size() ||
        !std::equal(bytes.begin(), bytes.end(), magic.begin(), is_missing))
      fail("is not where a log begins");
    out.torn = bytes.size();
    return out;
  }
  out.bytes = magic.size();
  LogRecord record;
  for (;;) {
    std::string_view rest = std::string_view(bytes).substr(out.bytes);
    std::uint32_t kind = 0;
    std::string_view payload;
    if (!take_record(rest, kind, payload)) break;
    std::uint64_t synced = 0;
    try {
      parse(kind, payload, layout, record, synced);
    } catch (const Error&) {
      fail("begins a record that does not fit the store");
    }
    if (record.number != out.next_number || synced > out.bytes)
      fail("begins a record that is not the next one");
    visit(record);
    out.synced = std::max(out.synced, synced);
    ++out.next_number;
    out.bytes = bytes.size() - rest.size();
  }
  out.torn = bytes.size() - out.bytes;
  if (out.torn > 0 && was_synced_beyond(bytes, out.bytes, layout))
    fail("begins a damaged record that was synced");
  return out;
}

LogRead LogChain::read(const std::string& path, const std::function<void(LogRecord&)>& visit) {
  damaged_ = path;
  const LogRead read = read_log(path, layout_, next_number_, [&](LogRecord& record) {
    if (!torn_.empty()) {
      damaged_ = torn_;
      throw Error(
          ErrorCode::kCorrupt,
          fmt::format("{}: its end is damaged, and a later log goes on", shown_path(torn_)));
    }
    visit(record);
  });
  next_number_ = read.next_number;
  // Where there is not even a beginning there never was a record.
  if (read.torn > 0 && read.bytes > 0) torn_ = path;
  return read;
}

void settle_log(const std::string& path, const LogRead& read) {
  const auto check = [&](int error, std::string_view what) {
    if (error)
      throw Error(ErrorCode::kStorageFailed,
                  fmt::format("{}: it {}: {}", shown_path(path), what, system_message(error)));
  };
  FileHandle file;
  check(open_file(path, O_RDWR | O_CREAT, 0644, file), "cannot be opened");
  if (file_system().ftruncate(file.get(), read.bytes) != 0) check(errno, "cannot be cut");
  std::string bytes(record_log_magic());
  std::uint64_t begin = 0;
  if (read.bytes > 0) {
    // Where a sync has failed, the system has the bytes and takes them for synced: only what is
    // written once more is sure to be on the disk after the next sync.
    begin = std::min(read.synced, read.bytes);
    bytes.resize(static_cast<std::size_t>(read.bytes - begin));
    std::size_t got = 0;
    check(pread_fully(file.get(), bytes.data(), bytes.size(), begin, &got), "cannot be read");
    bytes.resize(got);
  }
  check(pwrite_fully(file.get(), bytes.data(), bytes.size(), begin), "cannot be written");
  if (file_system().fsync(file.get()) != 0) check(errno, "cannot be synced");
}

SalvagedLog salvage_log(const std::string& path, const HashLayout& layout, std::uint64_t& last,
                        const std::function<void(LogRecord&)>& visit) {
  const std::string bytes = read_whole(path);
  SalvagedLog out;
  LogRecord record;
  std::size_t at = std::min(bytes.size(), record_log_magic().size());
  while (at < bytes.size()) {
    std::string_view rest = std::string_view(bytes).substr(at);
    std::uint32_t kind = 0;
    std::string_view payload;
    if (!take_record(rest, kind, payload)) {
      ++at;  // the next one may begin anywhere
      ++out.skipped;
      continue;
    }
    at = bytes.size() - rest.size();
    std::uint64_t synced = 0;
    try {
      parse(kind, payload, layout, record, synced);
    } catch (const Error&) {
      ++out.unfit;
      continue;
    }
    if (record.number <= last) continue;
    last = record.number;
    ++out.records;
    visit(record);
  }
  return out;
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
  throw Error(ErrorCode::kStorageFailed,
              fmt::format("{}: it {}: {}", shown_path(path_), what, system_message(error)));
}

void WriteLog::start_at(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  next_ = number;
  written_ = synced_ = number - 1;
}

void WriteLog::append(bool is_removal, const DocumentHashes& document) {
  const std::lock_guard lock(mutex_);
  if (sync_error_ != 0)
    fail(sync_error_, "could not be synced, so that nothing more is written; open the store again");
  if (buffer_.size() > kMostKept)
    throw Error(ErrorCode::kStorageFailed,
                fmt::format("{}: {} bytes wait to be written; free space there", shown_path(path_),
                            buffer_.size()));
  const std::string payload = payload_of(next_, synced_bytes_, is_removal, document);
  const std::string head = record_head(is_removal ? kRemoval : kPut, payload);
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
           "could not be synced, so that nothing more is written; open the store again");
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
      }
    }
    changed_.notify_all();
    if (write_error)
      fail(write_error,
           "cannot be written, so that what was asked for is in memory only; free "
           "space there, and write again");
  }
}

// What could not be written whole is cut off, at once or, if that fails too, before the next try.
int WriteLog::write_out() noexcept {
  if (half_written_ && file_system().ftruncate(file_.get(), written_bytes_) != 0) return errno;
  half_written_ = true;
  const int error = write_fully(file_.get(), writing_.data(), writing_.size());
  half_written_ = error != 0 && file_system().ftruncate(file_.get(), written_bytes_) != 0;
  return error;
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
