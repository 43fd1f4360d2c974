#include "store/disk/repair.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/given_path.h"
#include "store/disk/disk_store.h"
#include "store/disk/maintenance_problems.h"
#include "store/disk/salvage.h"
#include "store/disk/segment_writer.h"

namespace benzer {
namespace {

constexpr std::size_t kMostLostIds = 100;

std::string name_of_path(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::uint64_t count(const std::vector<bool>& bits) {
  return static_cast<std::uint64_t>(std::count(bits.begin(), bits.end(), true));
}

}  // namespace

Repair::Repair(const std::string& folder, const HashLayout& layout, std::uint64_t fingerprint)
    : layout_(layout), fingerprint_(fingerprint), folder_(folder) {
  folder_.lock();
  folder_.remove_unfinished_repair();
  check_fingerprints();
  next_number_ = folder_.next_number();
}

// With another schema all files would seem damaged.
void Repair::check_fingerprints() const {
  for (const std::uint64_t number : folder_.numbers("segment")) {
    const std::optional<std::uint64_t> found = Segment::fingerprint_of(folder_.segment(number));
    if (found && *found != fingerprint_)
      throw Error(ErrorCode::kInvalidArgument, Subject::file(folder_.segment(number)),
                  "it was made by another schema than the one given", "give the index's own");
  }
}

RepairReport Repair::run() {
  find_manifest();
  read_logs();
  read_parts();
  if (!report_.was_sound()) finish();
  const DiskStore store(folder_.path(), layout_, fingerprint_, {.read_only = true});
  store.verify();
  report_.documents = store.reader()->size();
  return std::move(report_);
}

RepairReport::File& Repair::report(const std::string& path, const std::string& problem) {
  RepairReport::File& file = report_.files.emplace_back();
  file.name = name_of_path(path);
  file.problem = problem;
  return file;
}

RepairReport::File& Repair::report(const std::string& path, const Error& damage) {
  return report(path, problem_of(damage, path));
}

std::string Repair::problem_of(const Error& damage, const std::string& path) {
  if (damage.subject().name != given_path(path)) return damage.what();
  return Error(damage.code(), damage.detail(), damage.hint()).what();
}

bool Repair::is_there(const std::string& path) {
  struct stat status{};
  return file_system().stat(path.c_str(), &status) == 0;
}

void Repair::keep_damaged(const std::string& name) {
  folder_.keep_damaged(name);
  has_kept_files_ = true;
}

void Repair::replace_schema(const std::string& schema, const Error& problem) {
  const std::string path = folder_.path() + "/BENZER";
  report(path, problem);
  if (is_there(path)) keep_damaged("BENZER");
  schema_ = schema;
}

// Gives no new file this number: files may be named that are missing, or were never here.
void Repair::keep_clear_of(std::uint64_t number) noexcept {
  if (number < std::numeric_limits<std::uint64_t>::max())
    next_number_ = std::max(next_number_, number + 1);
}

std::uint64_t Repair::new_number() {
  folder_.check_in_place();
  if (!has_begun_) folder_.begin_repair(next_number_);
  has_begun_ = true;
  return next_number_++;
}

void Repair::find_manifest() {
  const std::string path = folder_.path() + "/MANIFEST";
  auto damage = damage_of([&] { manifest_ = folder_.read_manifest(); });
  if (!damage) {
    keep_clear_of(manifest_.log);
    for (const Manifest::Part& named : manifest_.parts) {
      keep_clear_of(named.segment);
      keep_clear_of(named.removed);
    }
    damage = earlier_than();
    if (!damage) return;
  }
  manifest_report_ = report_.files.size();
  report(path, *damage);
  if (is_there(path)) keep_damaged("MANIFEST");
  is_collected_ = true;
  collect();
}

// Returns why the manifest is of an earlier time and was copied here, if it is. Such a manifest may
// be sound, but it lacks later removals. A segment shows that which it does not name: one that was
// made when the log began later, or that was merged from a segment that it names. A segment that
// cannot be read may be such a one, unless it is one that the manifest names, under another name.
std::optional<Error> Repair::earlier_than() const {
  const bool lacks_log = !is_there(folder_.log(manifest_.log));
  std::set<std::uint64_t> named, missing;
  std::set<std::uint64_t> checksums;  // of the seals of those that are named
  for (const Manifest::Part& part : manifest_.parts) {
    named.insert(part.segment);
    checksums.insert(part.segment_seal.checksum);
    if (!is_there(folder_.segment(part.segment))) missing.insert(part.segment);
  }
  for (const std::uint64_t number : folder_.numbers("segment")) {
    if (named.contains(number)) continue;
    std::optional<SegmentOrigin> origin;
    damage_of([&] { origin = Segment(folder_.segment(number), layout_, fingerprint_).origin(); });
    const bool may_be_later =
        origin ? (lacks_log && origin->log > manifest_.log) ||
                     std::ranges::any_of(
                         origin->merged,
                         [&](std::uint64_t merged) { return missing.contains(merged); })
               : (lacks_log || !missing.empty()) &&
                     !checksums.contains(read_seal(folder_.segment(number)).checksum);
    if (may_be_later)
      return Error(ErrorCode::kCorrupt,
                   fmt::format("it names files that are not there, and not segment-{:06}: it is of "
                               "an earlier time",
                               number));
  }
  return std::nullopt;
}

void Repair::read_logs() {
  if (manifest_.log == 0) find_first_log();
  std::optional<SyncMark::Place> mark;
  if (const auto damage = damage_of([&] { mark = SyncMark::read(folder_.sync_mark()); })) {
    report(folder_.sync_mark(), *damage);
    keep_damaged(name_of_path(folder_.sync_mark()));
    is_mark_lost_ = true;
  }
  // The mark may be of another store: it must not be about the log that is written here.
  if (mark) keep_clear_of(mark->log);
  LogChain chain(folder_, layout_, mark);
  const auto damage = damage_of([&] {
    for (std::size_t left = chain.begin(manifest_).size(); left > 0; --left)
      chain.read([](LogRecord&) {});
    chain.end();
  });
  if (damage) salvage_logs(chain, *damage);
}

// Takes the first log that is there: no segment says where the log begins.
void Repair::find_first_log() {
  const std::vector<std::uint64_t> logs = folder_.numbers("log");
  if (logs.empty()) return;
  manifest_.log = logs.front();
  std::uint64_t last = 0, first = 0;
  salvage_log(folder_.log(logs.front()), layout_, last, [&](LogRecord& record) {
    if (first == 0) manifest_.first_record = first = record.number;
  });
}

// Copies all whole records, with new numbers, to a new log. problem: of the log that the chain has
// reported.
void Repair::salvage_logs(const LogChain& chain, const Error& problem) {
  std::vector<std::uint64_t> numbers = folder_.numbers("log", manifest_.log);
  const auto damaged = std::lower_bound(numbers.begin(), numbers.end(), chain.damaged());
  if (damaged == numbers.end() || *damaged != chain.damaged())
    numbers.insert(damaged, chain.damaged());
  const std::uint64_t next_log = new_number();
  WriteLog log(folder_.log(next_log), {.next_number = 1}, Durability::kNone);
  log.start_at(manifest_.first_record);

  std::vector<SalvagedLog> logs;
  std::vector<std::uint64_t> lost(numbers.size());
  std::uint64_t last = manifest_.first_record - 1, expected = last + 1, unfit = 0;
  for (const std::uint64_t number : numbers) {
    const std::size_t place = logs.size();
    bool is_first = true;
    const auto take = [&](LogRecord& record) {
      // Records that are missing before the first one of a log were lost by the log before it.
      lost[is_first && place > 0 ? place - 1 : place] += record.number - expected;
      is_first = false;
      expected = record.number + 1;
      log.append(record.is_removal, record.document);
      log.wait(log.next_number() - 1);
    };
    const std::string path = folder_.log(number);
    logs.push_back(is_there(path) ? salvage_log(path, layout_, last, take) : SalvagedLog());
    unfit += logs.back().unfit;
  }
  if (unfit > 0 && log.next_number() == manifest_.first_record)
    throw Error(ErrorCode::kInvalidArgument, Subject::file(folder_.log(numbers.front())),
                "its records were made by another schema than the one given",
                "give the index's own");
  if (chain.synced_number() > expected) lost.back() += chain.synced_number() - expected;

  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const bool is_damaged = numbers[i] == chain.damaged();
    const std::uint64_t strange = logs[i].unfit + logs[i].passed_over;
    if (!is_damaged && lost[i] == 0 && logs[i].skipped == 0 && strange == 0) continue;
    const std::string path = folder_.log(numbers[i]);
    RepairReport::File& file =
        report(path, is_damaged ? problem_of(problem, path)
                     : strange > 0
                         ? fmt::format("{} records of it are not of this place in the log", strange)
                         : fmt::format("{} bytes of it are in no whole record", logs[i].skipped));
    if (is_there(path)) keep_damaged(file.name);
    file.saved = logs[i].records;
    file.lost = lost[i];
    // Without a mark it is unknown how many records were acknowledged. A log is deleted when a
    // segment has its records, so if there was no manifest, a missing log may mean that a segment
    // is missing.
    file.lost_unknown =
        (is_collected_ && !is_there(path)) || (strange > 0 && !is_damaged) ||
        (chain.synced_number() == 0 && lost[i] == 0 && (logs[i].skipped > 0 || !is_there(path)));
  }
  log.sync();
  manifest_.log = next_log;
}

void Repair::read_parts() {
  for (const Manifest::Part& named : manifest_.parts) read_part(named);
  for (Part& part : parts_) remove_as_in_sources(part);
  settle_ids();
}

// Finds a file by its seal: another file may have been put in its place, and it may be there under
// another name.
std::string Repair::find_file(std::string_view kind, const std::string& path, const Seal& wanted) {
  if (!wanted.is_known() || read_seal(path) == wanted) return path;
  for (const std::uint64_t number : folder_.numbers(kind)) {
    const std::string other = folder_.numbered(kind, number);
    if (read_seal(other) == wanted) return other;
  }
  return path;
}

void Repair::read_part(const Manifest::Part& named) {
  const std::string path = folder_.segment(named.segment);
  const std::string found = find_file("segment", path, named.segment_seal);
  const Seal seal = read_seal(found);
  const bool is_another =
      named.segment_seal.is_known() && seal.is_known() && seal != named.segment_seal;
  if (!is_there(found) || is_another) {
    RepairReport::File& file =
        report(path, is_another ? "it is another file than the manifest names" : "it is missing");
    file.lost_unknown = true;
    if (is_another) keep_damaged(file.name);
    return;
  }
  Part& part = parts_.emplace_back();
  part.number = part.new_number = part.newest = named.segment;
  part.seal = named.segment_seal;
  part.removed_file = named.removed;
  read_list(named, seal, part);
  bool is_stranger = false;
  const auto damage = damage_of([&] {
    part.segment = std::make_unique<Segment>(found, layout_, fingerprint_);
    part.newest = part.segment->origin().newest;
    part.merged = part.segment->origin().merged;
    part.first_record = part.segment->origin().first_record;
    part.segment->verify();
    if (found != path)
      throw Error(ErrorCode::kCorrupt, fmt::format("it is there as {}", name_of_path(found)));
    const std::uint64_t own = part.segment->origin().number;
    if (own == 0 || own == named.segment) return;
    is_stranger = true;
    throw Error(ErrorCode::kCorrupt, fmt::format("it is segment {}", own));
  });
  if (damage) {
    const std::size_t place = report_.files.size();
    salvage(part, found, *damage);
    part.may_be_another |= is_stranger;
    // The segment that was there before is lost, unless it is there under another name.
    report_.files[place].lost_unknown |= is_stranger && !own_numbers_.contains(named.segment);
    return;
  }
  part.removed.resize(part.segment->size());
}

void Repair::read_list(const Manifest::Part& named, const Seal& segment, Part& part) {
  if (named.removed == 0) {
    if (!lost_list_) return;
    part.is_known = false;
    part.missing = kNoDocument;
    part.list_report = *lost_list_;
    return;
  }
  const std::string path = folder_.removed(named.removed);
  const std::string found = find_file("removed", path, named.removed_seal);
  const bool is_named = !named.removed_seal.is_known() || read_seal(found) == named.removed_seal;
  RemovedList list;
  const auto damage = damage_of([&] {
    list = folder_.read_removed(found);
    if (!list.is_about(part.number, segment))
      throw Error(
          ErrorCode::kCorrupt,
          fmt::format("it is about another segment {} than the one there is", list.segment));
    if (!is_named) throw Error(ErrorCode::kCorrupt, "it is another list than the manifest names");
    if (found != path)
      throw Error(ErrorCode::kCorrupt, fmt::format("it is there as {}", name_of_path(found)));
  });
  if (damage) {
    part.needs_list = true;
    part.list_report = report_.files.size();
    RepairReport::File& file = report(path, *damage);
    std::optional<std::uint64_t> missing;
    list = {};
    if (is_there(path)) keep_damaged(file.name);
    if (found != path && is_there(found)) keep_damaged(name_of_path(found));
    if (is_there(found)) {
      SalvagedList salvaged = salvage_removed(found);
      // A removed document stays removed, so an earlier list of the same segment is right as far as
      // it goes. A list of another segment would remove any documents.
      if (salvaged.list.is_about(part.number, segment) ||
          (is_named && salvaged.list.segment == 0)) {
        list = std::move(salvaged.list);
        if (is_named) missing = salvaged.missing;
      }
    }
    file.saved = list.documents.size();
    part.missing = missing.value_or(kNoDocument);
    part.is_known = part.missing == 0;
  }
  if (!list.documents.empty()) part.removed.resize(std::size_t{list.documents.back()} + 1);
  for (const std::uint32_t document : list.documents) part.removed[document] = true;
}

void Repair::salvage(Part& part, const std::string& path, const Error& problem) {
  const std::size_t place = report_.files.size();
  RepairReport::File& file = report(folder_.segment(part.number), problem);
  if (is_there(folder_.segment(part.number))) keep_damaged(file.name);
  if (path != folder_.segment(part.number)) keep_damaged(name_of_path(path));
  const auto is_removed = [&](DocumentNumber document) {
    return document < part.removed.size() && part.removed[document];
  };
  part.new_number = new_number();
  const std::string repaired = folder_.segment(part.new_number);
  SegmentWriter writer(repaired, layout_, fingerprint_, id_seed_);
  const SalvagedSegment salvaged =
      salvage_segment(path, layout_, [&](segment_bytes::ReadRecord& record) {
        if (!is_removed(record.number)) writer.add(record.document);
      });
  file.saved = writer.size();
  writer.seal({part.new_number, part.newest, manifest_.log, manifest_.first_record, {part.number}});

  std::size_t documents = salvaged.found.size();
  if (part.segment) {
    documents = std::max<std::size_t>(documents, part.segment->size());
  } else {
    // The file may be another segment, whose records are whole, unless it had the seal that the
    // manifest names. Manifests of version 1 name only a number.
    part.may_be_another = part.seal.is_known() ? !had_seal(path, part.seal) : is_collected_;
    file.lost_unknown = part.may_be_another || !salvaged.has_end;
    // Or it is of a merge that was not finished: what was removed from its sources is in no list
    // about it.
    if (is_collected_ && part.removed_file == 0) {
      part.is_known = false;
      part.missing = kNoDocument;
      part.list_report = place;
    }
  }
  for (DocumentNumber document = 0; document < documents; ++document) {
    if (is_removed(document) || (document < salvaged.found.size() && salvaged.found[document]))
      continue;
    ++file.lost;
    if (file.lost_ids.size() == kMostLostIds) continue;
    const auto copy = salvaged.lost_copies.find(document);
    if (copy != salvaged.lost_copies.end()) {
      file.lost_ids.push_back(copy->second);
    } else if (part.segment) {
      damage_of([&] { file.lost_ids.emplace_back(part.segment->id(document)); });
    }
  }
  part.segment = std::make_unique<Segment>(repaired, layout_, fingerprint_);
  part.removed.assign(part.segment->size(), false);
  part.removed_file = 0;
}

// Settles which document of an id is kept. If it is not known which documents of a segment had been
// removed, those that are in another segment, too, count as removed. If it is known of neither, the
// document of the later segment is kept: that has later documents, or the same ones and was made
// when more of the log was in segments.
void Repair::settle_ids() {
  for (Part& part : parts_) {
    if (part.is_known && !is_collected_ && !part.may_be_another) continue;
    // A bulk load keeps all versions of a document in its segment, and lists the earlier ones.
    part.segment->for_each_earlier([&](DocumentNumber document) {
      if (part.removed[document]) return;
      part.removed[document] = true;
      part.needs_list = true;
      if (!part.is_known && part.missing > 0) --part.missing;
    });
    for (const Part& other : parts_) {
      if (&other == &part) continue;
      const bool other_wins = part.may_be_another != other.may_be_another
                                  ? part.may_be_another
                                  : (other.is_known && !part.is_known) ||
                                        (other.is_known == part.is_known &&
                                         std::tie(other.newest, other.first_record, other.number) >
                                             std::tie(part.newest, part.first_record, part.number));
      if (!other_wins) continue;
      part.segment->for_each_same_id(*other.segment, [&](DocumentNumber document,
                                                         DocumentNumber others) {
        if (other.removed[others] || part.removed[document]) return;
        part.removed[document] = true;
        part.needs_list = true;
        if (part.is_known && is_collected_) {
          ++report_.files[manifest_report_].returned;  // of the manifest: their order is a guess
        } else if (!part.is_known && part.missing > 0) {
          --part.missing;
        }
      });
    }
    if (part.is_known) continue;
    const std::uint64_t live = part.segment->size() - count(part.removed);
    report_.files[part.list_report].returned += std::min(part.missing, live);
  }
}

void Repair::finish() {
  Manifest manifest{manifest_.log, manifest_.first_record, {}};
  for (Part& part : parts_) {
    if (part.segment->size() == 0) continue;
    if (part.needs_list || part.new_number != part.number) {
      RemovedList list{part.new_number, part.segment->seal().checksum, {}};
      for (DocumentNumber document = 0; document < part.removed.size(); ++document)
        if (part.removed[document]) list.documents.push_back(document);
      part.removed_file = list.documents.empty() ? 0 : new_number();
      if (part.removed_file != 0) folder_.write_removed(part.removed_file, list);
    }
    const Seal of_list =
        part.removed_file == 0 ? Seal() : read_seal(folder_.removed(part.removed_file));
    manifest.parts.push_back({part.new_number, part.segment->seal(), part.removed_file, of_list});
  }
  folder_.sync();
  folder_.write_manifest(manifest);
  folder_.end_repair();
  if (is_mark_lost_) file_system().unlink(folder_.sync_mark().c_str());
  if (!schema_.empty()) StoreFolder::write_schema(folder_.path(), schema_);
  folder_.remove_others(manifest);
  remove_problem(folder_.path());  // it was about what is repaired now
}

}  // namespace benzer
