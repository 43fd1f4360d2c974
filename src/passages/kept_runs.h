// Finds runs of words piece by piece and, if the run keeps its stages, keeps them in its work
// folder, so that a later run goes on behind the last piece.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/big_list.h"
#include "base/pipeline.h"
#include "base/record_log.h"
#include "base/stage_log.h"
#include "passages/earlier_runs.h"
#include "passages/kept_words.h"
#include "passages/read_words.h"

namespace benzer {

// Returns the seed of the hashes of words. With a work folder that keeps stages it is drawn once
// and kept there, since what is kept depends on it; it stays as secret as the folder is.
std::uint64_t word_seed(const PassageOptions& options);

// Removes the seed and both logs from a work folder; does nothing for an empty one.
void remove_kept_runs(const std::string& folder) noexcept;

// Whether a run that was kept is of a row of so many words.
inline bool is_inside(const EarlierRun& run, std::uint64_t words) noexcept {
  return run.first < run.place && run.place < words && run.words <= words - run.place &&
         run.first_words <= words - run.first && run.words > 0 && run.first_words > 0;
}

// Returns the sorted runs of all pieces, without repeats. name: of the log
// (benzer/internal/stage_files.h). produce(piece) makes the next piece, or returns false; it must
// make the same pieces of the same words. work(piece) appends the runs of a piece to piece.runs,
// from any thread. done(piece) is called when they are taken, in order.
template <class Piece, class Produce, class Work, class Done>
BigList<EarlierRun> collect_runs(const WordReading& reading, std::string_view name,
                                 const KeptWords& words, Produce produce, Work work, Done done) {
  const PassageOptions& options = reading.options;
  Sorter<EarlierRun> sorter(reading.workspace, reading.workspace.share(8),
                            Sorter<EarlierRun>::kDrop);
  const auto take = [&](const Piece& piece) {
    for (const EarlierRun& run : piece.runs) sorter.add(run);
    done(piece);
  };
  StageLog log(options.keep_stages ? options.work_folder : std::string(), name);
  Piece kept;
  log.replay(words.digest(), [&](std::string_view saved) {
    std::vector<EarlierRun> runs;
    FieldReader fields(saved);
    fields.list(runs);
    const auto fits = [&](const EarlierRun& run) { return is_inside(run, words.size()); };
    if (!fields.at_end() || !std::all_of(runs.begin(), runs.end(), fits) || !produce(kept))
      return false;
    kept.runs = std::move(runs);
    take(kept);
    return true;
  });
  std::string saved;
  ordered_pipeline<Piece>(
      reading.threads,
      [&](Piece& piece) {
        piece.runs.clear();
        return produce(piece);
      },
      work,
      [&](const Piece& piece) {
        if (log.is_kept()) {
          saved.clear();
          FieldWriter(saved).list(piece.runs);
          log.append(saved);
        }
        take(piece);
      });
  return sorter.finish();
}

}  // namespace benzer
