// Limits the time that is spent on bytes which look like records and are not, when damaged files
// are searched for whole records.
//
// Whoever chooses ids, or makes a file, can make any number of bytes look like the heads of long
// records, and each has to be read to its end before its checksum can be compared.
#pragma once

#include <cstdint>

namespace benzer {

class RecordTries {
 public:
  // Returns whether a record of this length, at most that of the file, may be tried, and counts it.
  // Short ones always may. Long ones may until they have a few times as many bytes as the file, so
  // that a search takes time in proportion to the file.
  bool take(std::uint64_t length, std::uint64_t file_bytes) noexcept {
    if (length <= kShort) return true;
    if (tried_ + length > kMostTimes * file_bytes) return false;
    tried_ += length;
    return true;
  }

 private:
  static constexpr std::uint64_t kShort = 4096;
  static constexpr std::uint64_t kMostTimes = 8;
  std::uint64_t tried_ = 0;  // bytes of long ones
};

}  // namespace benzer
