#include "dedup/verify_log.h"

#include <algorithm>
#include <bit>

#include "benzer/error.h"

namespace benzer {
namespace {

enum : std::uint32_t { kAbout = 1, kDone = 2 };

// Pairs of the work in one record; they take about a second.
constexpr std::uint64_t kPairsPerRecord = std::uint64_t{1} << 16;

// A pair as it is written.
struct SavedPair {
  SetNumber a, b;
  std::uint64_t score;  // the bits of the double
};

void write_pairs(FieldWriter& fields, const std::vector<ScoredPair>& pairs) {
  std::vector<SavedPair> saved(pairs.size());
  std::transform(pairs.begin(), pairs.end(), saved.begin(), [](const ScoredPair& pair) {
    return SavedPair{pair.a, pair.b, std::bit_cast<std::uint64_t>(pair.score)};
  });
  fields.list(saved);
}

// Reads pairs. Returns false if they are not pairs a < b of this many sets.
bool read_pairs(FieldReader& fields, SetNumber sets, std::vector<ScoredPair>& pairs) {
  std::vector<SavedPair> saved;
  fields.list(saved);
  pairs.resize(saved.size());
  std::transform(saved.begin(), saved.end(), pairs.begin(), [](const SavedPair& pair) {
    return ScoredPair{pair.a, pair.b, std::bit_cast<double>(pair.score)};
  });
  return std::all_of(pairs.begin(), pairs.end(),
                     [sets](const ScoredPair& pair) { return pair.a < pair.b && pair.b < sets; });
}

std::string path_in(const std::string& folder) { return folder + "/benzer-verify"; }

}  // namespace

std::uint64_t VerifyLog::replay(const Work& work, const Visit& visit) {
  if (folder_.empty()) return 0;
  const std::string path = path_in(folder_);
  std::uint64_t done = 0, whole = 0;
  try {
    RecordLogReader reader;
    std::uint32_t kind = 0;
    std::string payload;
    if (reader.open(path) && reader.next(kind, payload) && kind == kAbout &&
        FieldReader(payload).number() == work.hash) {
      whole = reader.whole();
      std::vector<ScoredPair> similar, below;
      while (reader.next(kind, payload) && kind == kDone) {
        FieldReader fields(payload);
        const std::uint64_t pairs = fields.number();
        if (!read_pairs(fields, work.sets, similar) || !read_pairs(fields, work.sets, below) ||
            pairs > work.pairs - done)
          break;
        visit(similar, below);
        done += pairs;
        whole = reader.whole();
      }
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;  // damaged results are computed again
  }
  writer_.open(path, whole);
  if (whole == 0) {
    std::string payload;
    FieldWriter(payload).number(work.hash);
    writer_.append(kAbout, payload);
  }
  return done;
}

void VerifyLog::add(std::uint64_t pairs, const std::vector<ScoredPair>& similar,
                    const std::vector<ScoredPair>& below) {
  if (folder_.empty()) return;
  pairs_ += pairs;
  similar_.insert(similar_.end(), similar.begin(), similar.end());
  below_.insert(below_.end(), below.begin(), below.end());
  if (pairs_ >= kPairsPerRecord) flush();
}

void VerifyLog::flush() {
  if (folder_.empty() || pairs_ == 0) return;
  std::string payload;
  FieldWriter fields(payload);
  fields.number(pairs_);
  write_pairs(fields, similar_);
  write_pairs(fields, below_);
  writer_.append(kDone, payload);
  pairs_ = 0;
  similar_.clear();
  below_.clear();
}

void VerifyLog::remove(const std::string& folder) noexcept {
  if (!folder.empty()) file_system().unlink(path_in(folder).c_str());
}

}  // namespace benzer
