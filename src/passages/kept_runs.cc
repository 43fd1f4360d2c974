#include "passages/kept_runs.h"

#include "benzer/error.h"
#include "benzer/internal/stage_files.h"

#include "base/random_seed.h"

namespace benzer {
namespace {

constexpr std::uint32_t kSeedRecord = 1;

}  // namespace

std::uint64_t word_seed(const PassageOptions& options) {
  if (!options.keep_stages || options.work_folder.empty()) return random_seed();
  const std::string path = options.work_folder + "/" + std::string(kWordSeedStage);
  std::uint32_t kind = 0;
  std::string payload;
  try {
    RecordLogReader reader;
    if (reader.open(path) && reader.next(kind, payload) && kind == kSeedRecord)
      return FieldReader(payload).number();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::kCorrupt) throw;
  }
  // What was kept with a seed that is lost is done again.
  const std::uint64_t seed = random_seed();
  payload.clear();
  FieldWriter(payload).number(seed);
  RecordLogWriter writer;
  writer.open(path + std::string(kGrowingStage), 0);
  writer.append(kSeedRecord, payload);
  writer.close_as(path);
  return seed;
}

void remove_kept_runs(const std::string& folder) noexcept {
  for (const std::string_view name : {kEqualRunsStage, kNearRunsStage, kWordSeedStage})
    StageLog::remove(folder, name);
}

}  // namespace benzer
