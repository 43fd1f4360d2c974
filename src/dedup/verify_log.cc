#include "dedup/verify_log.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include "benzer/internal/stage_files.h"

#include "base/record_log.h"

namespace benzer {
namespace {

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

}  // namespace

VerifyLog::VerifyLog(const std::string& folder) : log_(folder, kVerifyStage) {}

std::uint64_t VerifyLog::replay(const Work& work, const Visit& visit) {
  std::uint64_t done = 0;
  std::vector<ScoredPair> similar, below;
  log_.replay(work.hash, [&](std::string_view piece) {
    FieldReader fields(piece);
    const std::uint64_t pairs = fields.number();
    if (!read_pairs(fields, work.sets, similar) || !read_pairs(fields, work.sets, below) ||
        pairs > work.pairs - done)
      return false;
    visit(similar, below);
    done += pairs;
    return true;
  });
  return done;
}

void VerifyLog::add(std::uint64_t pairs, const std::vector<ScoredPair>& similar,
                    const std::vector<ScoredPair>& below) {
  if (!log_.is_kept()) return;
  pairs_ += pairs;
  similar_.insert(similar_.end(), similar.begin(), similar.end());
  below_.insert(below_.end(), below.begin(), below.end());
  if (pairs_ >= kPairsPerRecord) flush();
}

void VerifyLog::flush() {
  if (pairs_ == 0) return;
  std::string payload;
  FieldWriter fields(payload);
  fields.number(pairs_);
  write_pairs(fields, similar_);
  write_pairs(fields, below_);
  log_.append(payload);
  pairs_ = 0;
  similar_.clear();
  below_.clear();
}

void VerifyLog::remove(const std::string& folder) noexcept {
  StageLog::remove(folder, kVerifyStage);
}

}  // namespace benzer
