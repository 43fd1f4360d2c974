#include "store/disk/read_log.h"

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/file.h"
#include "base/record_log.h"
#include "store/disk/record_tries.h"

namespace benzer {
namespace {

constexpr std::size_t kWindow = std::size_t{1} << 20;

struct RawRecord {
  std::uint32_t kind = 0;
  std::string_view payload;  // valid until the next one is taken
  std::uint64_t end = 0;
};

// Reads a log of which only a part is in memory: a window, or one record if that is longer.
class LogBytes {
 public:
  // most: bytes of the file that are looked at.
  explicit LogBytes(const std::string& path, Unreadable unreadable = Unreadable::kFails,
                    std::uint64_t most = kWholeLog)
      : path_(path), unreadable_(unreadable) {
    struct stat status{};
    int error = open_to_read(path, file_);
    if (!error && file_system().fstat(file_.get(), &status) != 0) error = errno;
    if (error)
      throw Error(error == ENOENT ? ErrorCode::kCorrupt : ErrorCode::kStorageFailed,
                  Subject::file(path),
                  fmt::format("the log cannot be read: {}", system_message(error)));
    size_ = std::min(most, static_cast<std::uint64_t>(status.st_size));
  }

  std::uint64_t size() const noexcept { return size_; }

  // Returns the bytes from there on that are in memory: at least `wanted`, if the file has them.
  std::string_view from(std::uint64_t at, std::uint64_t wanted) {
    wanted = std::min(wanted, size_ - std::min(at, size_));
    if (at < begin_ || at + wanted > begin_ + bytes_.size()) load(at, wanted);
    return std::string_view(bytes_).substr(static_cast<std::size_t>(at - begin_));
  }

  // Returns the record that begins there, if it is whole.
  std::optional<RawRecord> take(std::uint64_t at) {
    const std::uint64_t length = record_length(from(at, kRecordHeadBytes));
    if (length == 0 || length > size_ - at) return std::nullopt;
    std::string_view bytes = from(at, length).substr(0, static_cast<std::size_t>(length));
    RawRecord out;
    if (!take_record(bytes, out.kind, out.payload)) return std::nullopt;
    out.end = at + length;
    return out;
  }

  // The same where another record has ended, in a file that may be damaged. What an id holds is
  // seldom there, so these tries are counted apart: an id must not hide the long records.
  std::optional<RawRecord> take_next(std::uint64_t at) {
    const std::uint64_t length = record_length(from(at, kRecordHeadBytes));
    if (length > size_ - at || !next_tries_.take(length, size_)) return std::nullopt;
    return take(at);
  }

  // Returns the first place from there on where a whole record begins, or the end of the file.
  std::uint64_t find(std::uint64_t at) {
    while (at < size_) {
      // The upper three bytes of a record's kind are zeros, and so are the four bytes after it.
      constexpr std::string_view kZeros("\0\0\0\0\0\0\0", 7);
      const std::string_view bytes = from(at, kRecordHeadBytes);
      const std::size_t zeros = bytes.find(kZeros, 1);
      if (zeros == std::string_view::npos) {
        if (at + bytes.size() == size_) return size_;
        at += bytes.size() - std::min(bytes.size() - 1, kZeros.size());
        continue;
      }
      at += zeros - 1;
      const std::uint64_t length = record_length(from(at, kRecordHeadBytes));
      if (length != 0 && length <= size_ - at && tries_.take(length, size_) && take(at)) return at;
      ++at;
    }
    return size_;
  }

 private:
  void load(std::uint64_t at, std::uint64_t wanted) {
    bytes_.resize(static_cast<std::size_t>(
        std::min(std::max(wanted, std::uint64_t{kWindow}), size_ - std::min(at, size_))));
    begin_ = at;
    std::size_t got = 0;
    const int error = read_at(file_.get(), bytes_.data(), bytes_.size(), at, unreadable_, &got);
    if (error) fail_to_read(path_, fmt::format("the page of byte {}", at + got), error);
    bytes_.resize(got);
    if (got < wanted) size_ = at + got;  // the file was cut while it was read
  }

  const std::string path_;
  const Unreadable unreadable_;
  FileHandle file_;
  std::uint64_t size_ = 0;
  std::uint64_t begin_ = 0;  // of what is in memory
  std::string bytes_;
  RecordTries tries_, next_tries_;
};

// Users choose the ids, and one may look like a record. A record that is found after damage is
// accepted only if nothing in it is impossible there: the records before it fit into the bytes
// since the last sound one, and it does not say that anything after it was synced.
constexpr std::uint64_t kLeastRecordBytes = kRecordHeadBytes + 3 * sizeof(std::uint64_t) + 1;

bool may_follow(const LogRecord& record, std::uint64_t at, std::uint64_t next_number,
                std::uint64_t end) {
  return record.synced <= at && record.number >= next_number &&
         record.number - next_number <= (at - end) / kLeastRecordBytes;
}

// Returns whether a record after `begin` says that the log was synced beyond `begin`. Then what is
// damaged there was acknowledged.
bool was_synced_beyond(LogBytes& bytes, std::uint64_t begin, std::uint64_t next_number,
                       const HashLayout& layout) {
  LogRecord record;
  for (std::uint64_t at = bytes.find(begin + 1); at < bytes.size(); at = bytes.find(at + 1)) {
    const std::optional<RawRecord> found = bytes.take(at);
    if (found && record.parse(found->kind, found->payload, layout) && record.synced > begin &&
        may_follow(record, at, next_number, begin))
      return true;
  }
  return false;
}

// Throws if a file without the magic of this version has that of a later one.
void refuse_later_version(const std::string& path, std::string_view bytes) {
  const std::string_view name = record_log_magic().substr(0, record_log_magic().size() - 1);
  if (bytes.size() <= name.size() || !bytes.starts_with(name)) return;
  const char version = bytes[name.size()];
  if (version >= '2' && version <= '9')
    throw Error(ErrorCode::kInvalidArgument, Subject::file(path),
                fmt::format("it has the version {} of logs, and this program reads 1", version),
                "use the program that made it");
}

}  // namespace

LogRead read_log(const std::string& path, const HashLayout& layout, std::uint64_t first,
                 std::uint64_t synced, const std::function<void(LogRecord&)>& visit,
                 std::uint64_t most) {
  LogBytes bytes(path, Unreadable::kFails, most);
  LogRead out{0, 0, 0, first};
  const auto fail = [&](std::string_view what) {
    throw Error(ErrorCode::kCorrupt, Subject::file(path),
                fmt::format("byte {} {}", out.bytes, what));
  };
  const std::string_view magic = record_log_magic();
  const std::string begin(bytes.from(0, magic.size()).substr(0, magic.size()));
  if (begin != magic) {
    // The log is of a later version, unless a damaged byte makes it look like one.
    LogRecord of_this_version;
    const std::optional<RawRecord> first_record = bytes.take(magic.size());
    if (!first_record || !of_this_version.parse(first_record->kind, first_record->payload, layout))
      refuse_later_version(path, bytes.from(0, magic.size()).substr(0, magic.size()));
    // Records follow only when the magic was synced. Before that some of its bytes may be missing.
    const auto is_missing = [](char is, char wanted) { return is == wanted || is == '\0'; };
    if (synced > 0 || bytes.size() > magic.size() ||
        !std::equal(begin.begin(), begin.end(), magic.begin(), is_missing))
      fail("is not where a log begins");
    out.torn = bytes.size();
    return out;
  }
  out.bytes = magic.size();
  out.synced = synced;
  LogRecord record;
  while (const std::optional<RawRecord> raw = bytes.take(out.bytes)) {
    if (!record.parse(raw->kind, raw->payload, layout))
      fail("begins a record that does not fit the index");
    if (record.number != out.next_number || record.synced > out.bytes)
      fail("begins a record that is not the next one");
    visit(record);
    out.synced = std::max(out.synced, record.synced);
    ++out.next_number;
    out.bytes = raw->end;
  }
  out.torn = bytes.size() - out.bytes;
  if (out.torn > 0 &&
      (out.bytes < synced || was_synced_beyond(bytes, out.bytes, out.next_number, layout)))
    fail("begins a damaged record that was synced");
  if (out.bytes < synced) fail(fmt::format("is its end, and it was synced up to byte {}", synced));
  return out;
}

LogChain::LogChain(const StoreFolder& folder, const HashLayout& layout,
                   std::optional<SyncMark::Place> mark)
    : folder_(folder), layout_(layout), mark_(mark) {}

const std::vector<std::uint64_t>& LogChain::begin(const Manifest& manifest) {
  next_number_ = manifest.first_record;
  logs_ = folder_.numbers("log", manifest.log);
  if (mark_ && mark_->log < manifest.log) mark_.reset();
  const auto require = [&](bool is_there, std::uint64_t log) {
    damaged_ = log;
    if (!is_there)
      throw Error(ErrorCode::kCorrupt, Subject::file(folder_.log(log)), "the log is not there");
  };
  require(!logs_.empty() && logs_.front() == manifest.log, manifest.log);
  if (mark_) require(std::binary_search(logs_.begin(), logs_.end(), mark_->log), mark_->log);
  // From the last one to the first, since a log has all of its records before the next one gets
  // any: if a record of a later log counts here, an earlier log is whole.
  sizes_.assign(logs_.size(), kWholeLog);
  for (std::size_t i = logs_.size(); i-- > 0;) {
    struct stat status{};
    if (file_system().stat(folder_.log(logs_[i]).c_str(), &status) == 0)
      sizes_[i] = static_cast<std::uint64_t>(status.st_size);
    else if (errno == ENOENT && i > 0 && i + 1 == logs_.size())
      sizes_[i] = 0;  // given up; if it had records, the first log is missing, too
  }
  return logs_;
}

LogRead LogChain::read(const std::function<void(LogRecord&)>& visit) {
  const std::uint64_t most = sizes_.at(next_log_);
  const std::uint64_t log = logs_.at(next_log_++);
  const std::string path = folder_.log(log);
  damaged_ = log;
  const std::uint64_t synced = mark_ && mark_->log == log ? mark_->bytes : 0;
  const auto take = [&](LogRecord& record) {
    if (torn_ != 0) {
      damaged_ = torn_;
      throw Error(ErrorCode::kCorrupt, Subject::file(folder_.log(torn_)),
                  "its end is damaged, although a later log follows");
    }
    visit(record);
  };
  LogRead read;
  try {
    read = read_log(path, layout_, next_number_, synced, take, most);
  } catch (const Error&) {
    // A writer makes a log before it ends the one before, and deletes it again if that fails.
    const bool is_last = next_log_ > 1 && next_log_ == logs_.size();
    const bool had_records = most > record_log_magic().size() || synced > 0;
    struct stat status{};
    if (!is_last || had_records || file_system().stat(path.c_str(), &status) == 0 ||
        errno != ENOENT)
      throw;
    return {.next_number = next_number_};
  }
  next_number_ = read.next_number;
  // A log without its magic never had a record.
  if (read.torn > 0 && read.bytes > 0) torn_ = log;
  return read;
}

void LogChain::end() {
  if (next_number_ >= synced_number()) return;
  // The records of the marked log are there, so an earlier log has lost its end.
  const auto marked = std::find(logs_.begin(), logs_.end(), mark_->log);
  damaged_ = marked == logs_.begin() ? *marked : *(marked - 1);
  throw Error(ErrorCode::kCorrupt, Subject::file(folder_.log(damaged_)),
              fmt::format("its last record is {}, and {} was synced", next_number_ - 1,
                          synced_number() - 1));
}

SalvagedLog salvage_log(const std::string& path, const HashLayout& layout, std::uint64_t& last,
                        const std::function<void(LogRecord&)>& visit) {
  LogBytes bytes(path, Unreadable::kAsZeros);
  SalvagedLog out;
  LogRecord record;
  std::uint64_t end = record_log_magic().size();  // of the last record that was accepted
  for (std::uint64_t at = std::min<std::uint64_t>(bytes.size(), record_log_magic().size());
       at < bytes.size();) {
    std::optional<RawRecord> found = bytes.take_next(at);
    if (!found) {
      const std::uint64_t next = bytes.find(at + 1);  // the next record may begin anywhere
      out.skipped += next - at;
      at = next;
      if (at < bytes.size()) found = bytes.take(at);
    }
    if (!found) continue;
    const std::uint64_t begin = std::exchange(at, found->end);
    if (!record.parse(found->kind, found->payload, layout)) {
      ++out.unfit;
      continue;
    }
    // How many are missing before the first record is unknown: earlier logs may be missing.
    const std::uint64_t least = out.records == 0 ? record.number : last + 1;
    if (record.number <= last || !may_follow(record, begin, least, end)) {
      ++out.passed_over;
      continue;
    }
    end = at;
    last = record.number;
    ++out.records;
    visit(record);
  }
  return out;
}

}  // namespace benzer
