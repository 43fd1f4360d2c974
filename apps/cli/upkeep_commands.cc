// Implements the commands that inspect an index or maintain it.
#include <algorithm>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "../shared/id_line.h"
#include "../shared/index_settings.h"
#include "../shared/json.h"
#include "../shared/maintenance_json.h"
#include "../shared/match_json.h"
#include "../shared/settings.h"
#include "../shared/stats_json.h"
#include "commands.h"
#include "id_lines.h"
#include "index_messages.h"
#include "messages.h"
#include "signals.h"

namespace benzer::cli {
namespace {

std::string document_json(const IndexedDocument& document) {
  JsonObject fields;
  for (const IndexedDocument::Part& part : document.fields) {
    JsonArray keys;
    for (const std::uint32_t key : part.keys) keys.raw(fmt::format("\"{:08x}\"", key));
    JsonObject json;
    json.add("features", part.features).raw("keys", keys.str());
    fields.raw(part.field, json.str());
  }
  JsonObject json;
  json.add("id", document.id).raw("fields", fields.str());
  add_attributes(json, document.attributes);
  return json.str();
}

std::string outcome_of(const RepairReport::File& file) {
  std::string out;
  if (file.saved > 0 || file.lost > 0)
    out += fmt::format("; {} saved", with_separators(file.saved));
  if (file.lost > 0 || file.lost_unknown)
    out += fmt::format(", {}{} lost", file.lost_unknown ? "perhaps more than " : "",
                       with_separators(file.lost));
  for (std::size_t i = 0; i < file.lost_ids.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? ": " : ", ", printable(json_string(file.lost_ids[i])));
  if (file.returned > 0)
    out += fmt::format("; up to {} in the index may have been removed before",
                       counted(file.returned, "document", "documents"));
  return out;
}

int repair(const Options& options, const std::optional<Schema>& schema) {
  const RepairReport report = repair_index(options.inputs.front(), schema, server_options(options));
  const int code = report.is_complete() ? kDone : kSomeLost;
  if (options.json) {
    JsonArray files;
    for (const RepairReport::File& file : report.files) {
      JsonArray ids;
      for (const std::string& id : file.lost_ids) ids.raw(json_string(id));
      JsonObject json;
      json.add("file", file.name).add("problem", file.problem).add("saved", file.saved);
      json.add("lost", file.lost).add("lost_unknown", file.lost_unknown);
      json.raw("lost_ids", ids.str()).add("returned", file.returned);
      files.raw(json.str());
    }
    JsonObject json;
    json.add("index", index_name(options)).add("sound", report.was_sound());
    json.add("complete", report.is_complete()).add("documents", report.documents);
    json.raw("files", files.str());
    print_if_read(json.str() + "\n");
    return code;
  }
  std::string text = fmt::format("{} {}: {}\n", index_name(options),
                                 report.was_sound() ? "is sound" : "is repaired",
                                 counted(report.documents, "document", "documents"));
  for (const RepairReport::File& file : report.files)
    text += fmt::format("  {}: {}{}\n", file.name, file.problem, outcome_of(file));
  if (!report.was_sound())
    text +=
        fmt::format("  {}{}\n", report.is_complete() ? "nothing is lost" : "not all could be saved",
                    report.damaged.empty() ? "" : "; the damaged files are in " + report.damaged);
  print_if_read(text);
  return code;
}

}  // namespace

int run_get(const Options& options) {
  check_has_ids(options);
  const Index index = open_to_read(options, stop_flag());
  int code = kDone;
  for_all_ids(options, [&](const std::vector<std::string>& ids) {
    for (const std::string& id : ids) {
      if (const auto document = index.get(id)) {
        print_result(document_json(*document) + "\n");
      } else {
        tell_missing(id, options);
        code = kNotThere;
      }
    }
  });
  return code;
}

namespace {

int remove_expired(const Options& options) {
  if (options.inputs.size() > 1 || options.ids)
    refuse("--expired removes the documents that have expired, and ids are given, too",
           "give one or the other");
  Index index = open_to_write(options, stop_flag());
  const std::vector<bool> were_removed = index.remove_expired(index.expired().ids);
  const auto removed =
      static_cast<std::uint64_t>(std::count(were_removed.begin(), were_removed.end(), true));
  close_index(index, options);
  if (options.json) {
    JsonObject json;
    json.add("index", index_name(options)).add("removed", removed);
    print_if_read(json.add("durability", index.durability().str()).str() + "\n");
  } else {
    print_if_read(fmt::format("{}: {} had expired and {} removed\n", index_name(options),
                              counted(removed, "document", "documents"),
                              removed == 1 ? "is" : "are"));
  }
  return kDone;
}

}  // namespace

int run_remove(const Options& options) {
  if (options.expired) return remove_expired(options);
  check_has_ids(options);
  Index index = open_to_write(options, stop_flag());
  WriteLevel reached = index.durability();
  std::uint64_t removed = 0, missing = 0;
  for_all_ids(options, [&](const std::vector<std::string>& ids) {
    const std::vector<bool> was_there = index.remove(ids, &reached);
    for (std::size_t i = 0; i < ids.size(); ++i) {
      ++(was_there[i] ? removed : missing);
      if (!was_there[i]) tell_missing(ids[i], options);
    }
  });
  close_index(index, options);
  if (options.json) {
    JsonObject json;
    json.add("index", index_name(options)).add("removed", removed);
    json.add("missing", missing).add("durability", reached.str());
    print_if_read(json.str() + "\n");
  }
  return missing == 0 ? kDone : kNotThere;
}

int run_list(const Options& options) {
  const Index index = open_to_read(options, stop_flag());
  constexpr std::size_t kAtOnce = 1 << 16;
  std::string lines;
  index.for_each_id([&](std::string_view id) {
    append_id_line(id, lines);
    if (lines.size() < kAtOnce) return;
    print_result(lines);
    lines.clear();
  });
  print_result(lines);
  return kDone;
}

int run_stats(const Options& options) {
  const Index index = open_to_read(options, stop_flag());
  const IndexStats stats = index.stats();
  if (options.json) {
    JsonObject json;
    json.add("index", index_name(options)).add("schema", index.schema().str());
    add_numbers(json, stats);
    json.raw("maintenance_problem", maintenance_json(stats.maintenance_problem));
    print_result(json.str() + "\n");
    return kDone;
  }
  if (stats.servers > 0) {
    print_result(
        fmt::format("{}: {}\n"
                    "  schema    {}\n"
                    "  servers   {}, which use {} bytes, also for what is not of this index\n",
                    index_name(options), counted(stats.documents, "document", "documents"),
                    index.schema().str(), counted(stats.servers, "master", "masters"),
                    with_separators(stats.server_bytes)));
    return kDone;
  }
  print_result(fmt::format(
      "{}: {}\n"
      "  schema    {}\n"
      "  segments  {}, {} bytes, {} removed in them\n"
      "  log       {} bytes; the next opening takes about {:.2f} s\n"
      "  memory    for what is in the log: {} bytes for tables, keys and signatures, {} for "
      "features, {} for ids\n",
      index_name(options), counted(stats.documents, "document", "documents"), index.schema().str(),
      with_separators(stats.segments), with_separators(stats.segment_bytes),
      counted(stats.removed, "document", "documents"), with_separators(stats.log_bytes),
      stats.restart_seconds, with_separators(stats.table_bytes + stats.key_bytes + stats.cut_bytes),
      with_separators(stats.feature_bytes), with_separators(stats.id_bytes)));
  if (const auto& problem = stats.maintenance_problem)
    print_result(fmt::format("  problem   since {} background work fails: {}\n",
                             time_text(problem->at), printable(problem->error().what())));
  return kDone;
}

int run_verify(const Options& options) {
  const std::optional<Schema> schema = given_schema(options);
  if (options.repair) return repair(options, schema);
  if (schema) refuse("an index has its schema in it", "give one with --repair only");
  const Index index = open_to_read(options, stop_flag());
  index.verify();
  const IndexStats stats = index.stats();
  if (options.json) {
    JsonObject json;
    json.add("index", index_name(options)).add("sound", true);
    json.add("documents", stats.documents).add("torn_bytes", stats.torn_bytes);
    print_result(json.str() + "\n");
    return kDone;
  }
  print_result(fmt::format(
      "{} is sound: {}{}\n", index_name(options), counted(stats.documents, "document", "documents"),
      stats.torn_bytes == 0
          ? ""
          : fmt::format(
                "; the log ends with {} bytes of an incomplete record, which was never synced",
                stats.torn_bytes)));
  return kDone;
}

int run_snapshot(const Options& options) {
  const std::string& folder = options.inputs[1];
  SnapshotOptions how;
  how.copy = options.copy;
  const SnapshotResult result = open_to_read(options, stop_flag()).snapshot(folder, how);
  OpenOptions open;
  open.read_only = true;
  const std::uint64_t documents = Index::open(folder, open).size();
  if (options.json) {
    JsonObject json;
    json.add("index", index_name(options)).add("snapshot", folder).add("documents", documents);
    json.add("linked_bytes", result.linked_bytes).add("copied_bytes", result.copied_bytes);
    print_if_read(json.str() + "\n");
    return kDone;
  }
  print_if_read(fmt::format("{}: a snapshot of {} in {}, {} bytes linked and {} copied\n",
                            index_name(options), counted(documents, "document", "documents"),
                            folder, with_separators(result.linked_bytes),
                            with_separators(result.copied_bytes)));
  return kDone;
}

int run_compact(const Options& options) {
  Index index = open_to_write(options, stop_flag());
  const std::uint64_t before = index.stats().segment_bytes;
  index.compact();
  const IndexStats stats = index.stats();
  close_index(index, options);
  if (options.json) {
    JsonObject json;
    json.add("index", index_name(options)).add("documents", stats.documents);
    json.add("bytes_before", before).add("bytes", stats.segment_bytes);
    print_if_read(json.str() + "\n");
    return kDone;
  }
  print_if_read(fmt::format("{}: {} in {} bytes, {} before\n", index_name(options),
                            counted(stats.documents, "document", "documents"),
                            with_separators(stats.segment_bytes), with_separators(before)));
  return kDone;
}

}  // namespace benzer::cli
