// Starts, watches and cancels tasks, and returns their reports.
#include <algorithm>
#include <chrono>

#include <fmt/format.h>

#include "benzer/dedup.h"
#include "benzer/error.h"
#include "benzer/runtime.h"

#include "../shared/json.h"
#include "api.h"
#include "dedup_report.h"
#include "json_body.h"
#include "page.h"

namespace benzer::server {
namespace {

// After this time a stream of events sends a comment: only writing shows that the client has gone,
// and proxies close idle connections.
constexpr auto kSilence = std::chrono::seconds(15);

Response accepted(const Task& task) {
  return {202,
          "application/json",
          task.json() + "\n",
          {{"Location", fmt::format("/v1/tasks/{}", task.id())}}};
}

// Starts a task. An index may be removed before its task begins, or while it runs. Then the task
// fails with Problem(404), and not with an error about files that were moved away.
Response start(Api& api, const Request& request, std::string kind,
               std::shared_ptr<ServedIndex> served,
               std::function<std::string(ServedIndex& served, Task& task)> work) {
  const std::string name = served->name();
  return accepted(
      *api.tasks().add(client_of(request), std::move(kind), name,
                       [served = std::move(served), work = std::move(work)](Task& task) {
                         served->check_there();
                         try {
                           return work(*served, task);
                         } catch (const Error&) {
                           if (!task.stop()) served->check_there();
                           throw;
                         }
                       }));
}

Response whole(Api& api, Request& request, std::string kind, void (*work)(ServedIndex& served)) {
  JsonBody(request).finish();
  return start(api, request, std::move(kind), served_index_of(api, request),
               [work](ServedIndex& served, Task&) {
                 work(served);
                 return std::string("{}");
               });
}

// The task that the path names. That of an index which the key is not for is as if it were not
// there.
std::shared_ptr<Task> task_of(Api& api, const Request& request) {
  auto task = api.tasks().find(request.path[2]);
  return may_see(request, task->index()) ? task : api.tasks().find({});
}

struct Dedup {
  WholeIndexOptions options;
  bool removes = false;
  GuardRails rails = GuardRails::in_place();
};

void check(const Dedup& dedup, const DedupFindings& found) {
  const std::vector<GuardRailBreach> breaches = check_guard_rails(found, dedup.rails);
  if (breaches.empty()) return;
  const GuardRailBreach& breach = breaches.front();
  if (breach.kind == GuardRailBreach::Kind::kCluster)
    throw Problem(409, "guard_rail",
                  fmt::format("a cluster has {} of {} documents, so nothing was removed",
                              breach.documents, breach.total))
        .at("/largest_cluster")
        .hint(
            "Look at it in the report of a run without 'remove'; if it is right, give a larger "
            "'largest_cluster'.");
  throw Problem(409, "guard_rail",
                fmt::format("{} of {} documents would be removed, so nothing was removed",
                            breach.documents, breach.total))
      .at("/largest_loss")
      .hint("If that is right, give a larger 'largest_loss'.");
}

// The report that is written before the first removal leaves open how many there were: after a
// kill, or when the last one cannot be written, it is the one that is found.
void remove_duplicates(ServedIndex& served, const ServedIndex::Standstill& still, Task& task,
                       DedupFindings& found, TaskReports& reports) {
  found.is_removing = true;
  reports.write(task.id(), found, &task.stop());
  found.is_removing = false;
  found.gone = 0;
  std::exception_ptr problem;
  try {
    found.for_each_batch([&](const std::vector<std::string>& ids) {
      throw_if_stopped(&task.stop());
      served.remove(ids, still, [&] { *found.gone += ids.size(); });
      task.set_result(summary_json(found));
    });
  } catch (...) {
    problem = std::current_exception();
    task.set_result(summary_json(found));
  }
  try {
    reports.write(task.id(), found);
  } catch (...) {
    if (!problem) problem = std::current_exception();
  }
  if (problem) std::rethrow_exception(problem);
}

std::string carry_out(ServedIndex& served, Dedup dedup, Task& task, TaskReports& reports) {
  // The index must not change between the search and the removal.
  const auto still = dedup.removes ? served.stand_still() : nullptr;
  DedupFindings found;
  dedup.options.stop = &task.stop();
  dedup.options.collect_compared = true;  // for the report
  dedup.options.progress = [&](const Progress& progress) {
    task.progress(progress.done, progress.total);
  };
  static_cast<IndexDedup&>(found) = served.index().deduplicate(dedup.options);
  // Taken before documents are removed, and written before that, too: whatever happens to the
  // index or to the server, there is a list of what may be gone.
  take_evidence(served, dedup.options, found);
  if (dedup.removes) task.set_result(summary_json(found));  // also if a guard rail stops it
  const bool removes = dedup.removes && check_guard_rails(found, dedup.rails).empty();
  if (removes) {
    remove_duplicates(served, *still, task, found, reports);
  } else {
    reports.write(task.id(), found, &task.stop());
    if (dedup.removes) check(dedup, found);  // throws
  }
  try {
    served.check_there();  // a dedup that only reports does not keep the index from being removed
  } catch (const Problem&) {
    reports.remove(task.id());
    throw;
  }
  return summary_json(found);
}

Response in_pieces(std::string type, std::function<std::optional<std::string>()> more) {
  Response out{200, std::move(type)};
  out.more = std::move(more);
  out.more_takes_long = true;
  return out;
}

}  // namespace

Response start_dedup(Api& api, Request& request) {
  const auto served = served_index_of(api, request);
  JsonBody body(request);
  Dedup dedup;
  dedup.options = read_whole_options(body);
  dedup.options.clustering = read_clustering(body, served->index().schema());
  dedup.removes = body.flag("remove").value_or(false);
  GuardRails& rails = dedup.rails;
  rails.largest_cluster = body.real("largest_cluster", 0, 1).value_or(rails.largest_cluster);
  rails.largest_loss = body.real("largest_loss", 0, 1).value_or(rails.largest_loss);
  body.finish();
  if (dedup.removes && served->index().stats().servers > 0)
    throw Error(ErrorCode::kInvalidArgument,
                "other processes may write to an index in Redis between finding and removing",
                "leave 'remove' out, look at the report, and send its ids to .../documents/delete "
                "while nobody writes");
  return start(api, request, "dedup", served,
               [dedup, &reports = api.reports()](ServedIndex& of, Task& task) {
                 return carry_out(of, dedup, task, reports);
               });
}

Response start_verify(Api& api, Request& request) {
  return whole(api, request, "verify", [](ServedIndex& served) { served.verify(); });
}

Response start_compact(Api& api, Request& request) {
  return whole(api, request, "compact", [](ServedIndex& served) { served.index().compact(); });
}

Response start_snapshot(Api& api, Request& request) {
  JsonBody body(request);
  SnapshotOptions options;
  options.copy = body.flag("copy").value_or(false);
  body.finish();
  const auto served = served_index_of(api, request);
  api.indexes().new_snapshot(served->name());  // throws now what it would throw in the task
  ServedIndexes& all = api.indexes();
  return start(api, request, "snapshot", served, [&all, options](ServedIndex& of, Task&) {
    const std::string folder = all.new_snapshot(of.name());
    const SnapshotResult result = of.snapshot(folder, options);
    JsonObject out;
    out.add("name", folder.substr(folder.rfind('/') + 1));
    out.add("linked_bytes", result.linked_bytes).add("copied_bytes", result.copied_bytes);
    return out.str();
  });
}

Response list_tasks(Api& api, Request& request) {
  JsonArray tasks;
  for (const auto& task : api.tasks().list())
    if (may_see(request, task->index())) tasks.raw(task->json());
  JsonObject out;
  return {200, "application/json", out.raw("tasks", tasks.str()).str() + "\n", {}};
}

Response get_task(Api& api, Request& request) {
  return {200, "application/json", task_of(api, request)->json() + "\n", {}};
}

Response cancel_task(Api& api, Request& request) {
  const auto task = task_of(api, request);
  if (task->is_over()) throw Problem(409, "task_is_over", "the task has ended already");
  api.tasks().cancel(*task);
  return {200, "application/json", task->json() + "\n", {}};
}

Response task_events(Api& api, Request& request) {
  const auto task = task_of(api, request);
  Response out{200, "text/event-stream", {}, {{"Cache-Control", "no-store"}}};
  using Clock = std::chrono::steady_clock;
  out.more = [task, seen = std::uint64_t{0}, is_first = true, ended = false,
              said = Clock::now()]() mutable -> std::optional<std::string> {
    if (ended) return std::nullopt;
    ended = task->is_over();  // read before json(), so that the last event has the final state
    const std::uint64_t version = task->version();
    if (!is_first && version == seen && !ended) {
      if (Clock::now() - said < kSilence) return std::string();
      said = Clock::now();
      return ": it goes on\n\n";
    }
    is_first = false;
    seen = version;
    said = Clock::now();
    return fmt::format("event: task\ndata: {}\n\n", task->json());
  };
  return out;
}

Response task_report(Api& api, Request& request) {
  const auto task = task_of(api, request);
  const auto asked = request.query.find("format");
  const std::string format = asked == request.query.end() ? "json" : asked->second;
  if (format != "json" && format != "ndjson" && format != "html")
    throw Problem(422, "wrong_value", "'format' is not json, ndjson or html").at("format");
  auto report = task->is_over() ? api.reports().read(task->id(), format) : std::nullopt;
  if (!report)
    throw Problem(409, "no_report", "only a deduplication that has ended has a report")
        .hint("The last reports are kept; GET /v1/tasks lists the tasks.");
  if (format == "json") return in_pieces("application/json", *std::move(report));
  if (format == "ndjson") return in_pieces("application/x-ndjson", *std::move(report));
  Response out = in_pieces("text/html; charset=utf-8", *std::move(report));
  out.headers.emplace_back("Content-Security-Policy", std::string(kReportPolicy));
  return out;
}

}  // namespace benzer::server
