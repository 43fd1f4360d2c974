#include "base/stage_log.h"

#include "benzer/error.h"

namespace benzer {
namespace {

enum : std::uint32_t { kAbout = 1, kPiece = 2 };

std::string path_in(const std::string& folder, std::string_view name) {
  return folder.empty() ? std::string() : folder + "/" + std::string(name);
}

// Returns how many bytes of the log can be used.
std::uint64_t read(const std::string& path, std::uint64_t work,
                   const std::function<bool(std::string_view)>& take) {
  std::uint64_t whole = 0;
  try {
    RecordLogReader reader;
    std::uint32_t kind = 0;
    std::string payload;
    if (!reader.open(path) || !reader.next(kind, payload) || kind != kAbout ||
        FieldReader(payload).number() != work)
      return 0;
    do whole = reader.whole();
    while (reader.next(kind, payload) && kind == kPiece && take(payload));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;  // what is damaged is computed again
  }
  return whole;
}

}  // namespace

StageLog::StageLog(const std::string& folder, std::string_view name)
    : path_(path_in(folder, name)) {}

void StageLog::replay(std::uint64_t work, const std::function<bool(std::string_view)>& take) {
  if (path_.empty()) return;
  const std::uint64_t whole = read(path_, work, take);
  writer_.open(path_, whole);
  if (whole > 0) return;
  std::string payload;
  FieldWriter(payload).number(work);
  writer_.append(kAbout, payload);
}

void StageLog::append(std::string_view piece) {
  if (!path_.empty()) writer_.append(kPiece, piece);
}

void StageLog::remove(const std::string& folder, std::string_view name) noexcept {
  if (!folder.empty()) file_system().unlink(path_in(folder, name).c_str());
}

}  // namespace benzer
