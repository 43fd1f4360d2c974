// Finds out which files count in a store that has lost its manifest, by what they say themselves.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "store/disk/repair.h"
#include "store/disk/salvage.h"

namespace benzer {

struct Repair::Collected {
  struct Found {
    std::uint64_t name = 0, own = 0;  // number of its name and its own; 0: it does not say that
    std::uint64_t checksum = 0;       // of the seal
    std::uint64_t log = 0;            // that begins after it
    bool is_merged = false;           // or loaded: it was not made of a log
  };
  // Returns whether the file has the number of a merged segment, but is another segment.
  bool is_misplaced(std::uint64_t name) const {
    return std::ranges::any_of(segments, [&](const Found& found) {
      return found.name == name && found.own != 0 && found.own != name &&
             !merged.contains(found.own);
    });
  }
  std::vector<Found> segments;  // that can be opened
  std::set<std::uint64_t> merged, left_out;
};

// Each segment says which files do not count: the segments that it was merged from, and the log
// that it was written from. Of several lists about a segment the last one counts.
void Repair::collect() {
  manifest_ = {};
  Collected collected;
  open_segments(collected);
  leave_out_copies(collected);
  leave_out_merged(collected);
  collect_lists();
  for (const std::uint64_t number : folder_.numbers("segment")) {
    if (collected.left_out.contains(number)) continue;
    if (collected.merged.contains(number) && !collected.is_misplaced(number)) continue;
    manifest_.parts.push_back({number, {}, list_about(number), {}});
  }
  begin_at_earlier_logs(collected);
}

void Repair::open_segments(Collected& collected) {
  for (const std::uint64_t number : folder_.numbers("segment")) {
    damage_of([&] {
      const Segment segment(folder_.segment(number), layout_, fingerprint_);
      const SegmentOrigin& origin = segment.origin();
      collected.segments.push_back(
          {number, origin.number, segment.seal().checksum, origin.log, !origin.merged.empty()});
      if (origin.number != 0) own_numbers_.insert(origin.number);
      collected.merged.insert(origin.merged.begin(), origin.merged.end());
      for (const std::uint64_t named : {origin.number, origin.newest, origin.log})
        keep_clear_of(named);
      for (const std::uint64_t named : origin.merged) keep_clear_of(named);
      manifest_.log = std::max(manifest_.log, origin.log);
      manifest_.first_record = std::max(manifest_.first_record, origin.first_record);
    });
  }
}

// Of several copies of a file, that with the file's own number counts, or else the first one.
void Repair::leave_out_copies(Collected& collected) {
  std::map<std::uint64_t, Collected::Found> by_checksum;
  for (const Collected::Found& found : collected.segments) {
    const auto [known, is_new] = by_checksum.emplace(found.checksum, found);
    if (is_new) continue;
    const bool is_better = found.own == found.name;
    const std::uint64_t copy = is_better ? known->second.name : found.name;
    if (is_better) known->second = found;
    collected.left_out.insert(copy);
    RepairReport::File& file = report(folder_.segment(copy), "it is a copy of another segment");
    file.lost_unknown = true;  // of the segment that was there before
  }
}

void Repair::leave_out(Collected& collected, std::uint64_t segment, const std::string& problem) {
  RepairReport::File& file = report(folder_.segment(segment), problem);
  file.lost_unknown = true;
  keep_damaged(file.name);
  collected.left_out.insert(segment);
}

// A segment that was merged is deleted after the manifest was written, and is reported only if it
// is damaged. A repair that was ended between two steps also leaves damaged ones.
void Repair::leave_out_merged(Collected& collected) {
  const std::set<std::uint64_t>& merged = collected.merged;
  for (const Collected::Found& found : collected.segments)
    if (!collected.left_out.contains(found.name) && found.own != found.name &&
        merged.contains(found.own))
      leave_out(collected, found.name,
                fmt::format("it is segment {}, which was merged into another one", found.own));
  for (const std::uint64_t number : folder_.numbers("segment")) {
    if (!merged.contains(number) || collected.left_out.contains(number)) continue;
    if (collected.is_misplaced(number)) continue;
    const std::string path = folder_.segment(number);
    const auto damage = damage_of([&] { Segment(path, layout_, fingerprint_).verify(); });
    if (damage) leave_out(collected, number, problem_of(*damage, path));
  }
}

void Repair::collect_lists() {
  for (const std::uint64_t number : folder_.numbers("removed")) {
    const SalvagedList list = salvage_removed(folder_.removed(number));
    if (list.list.segment != 0) {
      keep_clear_of(list.list.segment);
      lists_[list.list.segment] = number;
      if (list.list.segment_checksum != 0) lists_by_checksum_[list.list.segment_checksum] = number;
    } else {
      // It may be about any segment.
      if (!lost_list_) lost_list_ = report_.files.size();
      const RepairReport::File& file =
          report(folder_.removed(number), "it is damaged, and its segment is not known");
      keep_damaged(file.name);
    }
  }
}

std::uint64_t Repair::list_about(std::uint64_t segment) const {
  const auto by_checksum = lists_by_checksum_.find(read_seal(folder_.segment(segment)).checksum);
  if (by_checksum != lists_by_checksum_.end()) return by_checksum->second;
  const auto by_number = lists_.find(segment);
  return by_number != lists_.end() ? by_number->second : 0;
}

// A segment may be there that does not count yet, if a process was killed before it wrote the
// manifest. It has the documents of the log that it was written from, but the lists of what that
// log removes from other segments may be missing. The log is still there then, and reading it once
// more does no harm: what it ends with is what is there until the next log goes on.
void Repair::begin_at_earlier_logs(const Collected& collected) {
  std::vector<std::uint64_t> logs = folder_.numbers("log");
  while (!logs.empty() && logs.back() >= manifest_.log) logs.pop_back();
  // The segment counts if there is a later one, merged or loaded after its log was done.
  const auto is_of_last_log = [&](const Collected::Found& found) {
    return found.log == manifest_.log && !collected.left_out.contains(found.name);
  };
  const bool is_done = std::ranges::count_if(collected.segments, is_of_last_log) > 1 ||
                       std::ranges::any_of(collected.segments, [&](const Collected::Found& found) {
                         return is_of_last_log(found) && found.is_merged;
                       });
  std::uint64_t empty = 0;  // the last one without a record
  for (; !logs.empty(); logs.pop_back()) {
    const std::string path = folder_.log(logs.back());
    std::uint64_t first = 0, last = 0;
    const SalvagedLog log = salvage_log(path, layout_, last, [&](LogRecord& record) {
      if (first == 0) first = record.number;
    });
    const bool is_damaged = log.skipped + log.unfit + log.passed_over > 0;
    if (!is_damaged && first == 0) {
      empty = logs.back();
      continue;
    }
    // Logs are deleted in their order, so the next log must go on where the last one of these ends.
    if (is_done || is_damaged || last + 1 != manifest_.first_record) {
      leave_out_log(path, is_damaged ? "it is damaged"
                          : is_done  ? "the segments that are there are later"
                                     : "its records end before those of the next log begin");
      return;
    }
    manifest_.log = logs.back();
    manifest_.first_record = first;
    empty = 0;
  }
  if (empty != 0) leave_out_log(folder_.log(empty), "it is empty");
}

void Repair::leave_out_log(const std::string& path, std::string_view why) {
  RepairReport::File& file =
      report(path, fmt::format("{}, and it is not known whether the segments have all of it", why));
  file.lost_unknown = true;
  keep_damaged(file.name);
}

// A merged segment may not count yet, either: what was removed while it was written is in lists
// about its sources. The sources are still there then, and have all of its documents; those that no
// source has any more were removed.
void Repair::remove_as_in_sources(Part& part) {
  if (!is_collected_ || part.merged.empty()) return;
  std::vector<bool> is_known(part.segment->size()), is_live(part.segment->size());
  std::vector<std::pair<std::uint64_t, std::uint64_t>> missing;  // list, and numbers that it lacks
  for (const std::uint64_t number : part.merged) {
    const std::uint64_t list_number = list_about(number);
    const bool was_read = !damage_of([&] {
      const Segment source(folder_.segment(number), layout_, fingerprint_);
      std::vector<bool> removed(source.size());
      if (list_number != 0) {
        const SalvagedList salvaged = salvage_removed(folder_.removed(list_number));
        if (salvaged.list.is_about(number, source.seal()))
          for (const DocumentNumber document : salvaged.list.documents)
            if (document < removed.size()) removed[document] = true;
        if (salvaged.missing != 0)
          missing.emplace_back(list_number, salvaged.missing.value_or(kNoDocument));
      } else if (lost_list_ && part.is_known) {
        missing.emplace_back(0, kNoDocument);
      }
      part.segment->for_each_same_id(source,
                                     [&](DocumentNumber document, DocumentNumber in_source) {
                                       is_known[document] = true;
                                       if (!removed[in_source]) is_live[document] = true;
                                     });
    });
    if (!was_read) return;
  }
  // Other files that were put in the place of its sources say nothing about it.
  if (std::ranges::find(is_known, false) != is_known.end()) return;
  std::uint64_t live = 0;
  for (DocumentNumber document = 0; document < part.removed.size(); ++document) {
    if (!is_live[document] && !part.removed[document]) {
      part.removed[document] = true;
      part.needs_list = true;
    }
    live += !part.removed[document];
  }
  for (const auto& [list, numbers] : missing) {
    RepairReport::File& file =
        list != 0 ? report(folder_.removed(list), "it is damaged") : report_.files[*lost_list_];
    if (list != 0) keep_damaged(file.name);
    file.returned += std::min(numbers, live);
  }
}

}  // namespace benzer
