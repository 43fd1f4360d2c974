// The server itself: what it is, whether it is well, and its page.
#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/version.h"

#include "../shared/json.h"
#include "page.h"
#include "routes.h"

namespace benzer::server {
namespace {

std::string_view label_of(std::size_t route) {
  static const std::vector<std::string> labels = [] {
    std::vector<std::string> out;
    for (const Route& one : routes()) out.push_back(fmt::format("{} {}", one.method, one.path));
    out.emplace_back("none");
    return out;
  }();
  return labels[route];
}

}  // namespace

Response about(Api&, Request& request) {
  if (request.accept.find("text/html") != request.accept.npos)
    return {303, "text/plain", {}, {{"Location", "/ui/"}}};
  JsonObject out;
  out.add("name", "benzer").add("version", version());
  return {200, "application/json", out.str() + "\n"};
}

Response show_page(Api&, Request& request) {
  const auto file = page_file(request.path[1]);
  if (!file) throw Problem(404, "no_such_route", "the page has no such file");
  Response out{200, std::string(file->content_type), std::string(file->bytes)};
  if (file->is_gzip) out.headers.emplace_back("Content-Encoding", "gzip");
  // Names stay the same when the program is another one.
  out.headers.emplace_back("Cache-Control", "no-cache");
  out.headers.emplace_back(
      "Content-Security-Policy",
      "default-src 'self'; img-src 'self' data: blob:; frame-ancestors 'none'; "
      "base-uri 'none'; form-action 'none'");
  out.headers.emplace_back("Referrer-Policy", "no-referrer");
  return out;
}

Response health(Api&, Request&) { return {200, "application/json", "{\"status\":\"alive\"}\n"}; }

Response ready(Api& api, Request&) {
  JsonArray reasons;
  const bool is_ready = !api.is_draining();
  if (!is_ready) reasons.raw("{\"reason\":\"the server is stopping\"}");
  for (const Collections::State& state : api.collections().list()) {
    if (state.collection) continue;
    // One that is damaged does not keep the others from answering. Whoever has no key learns no
    // more of it.
    JsonObject one;
    reasons.raw(one.add("collection", state.name).add("reason", state.state()).str());
  }
  JsonObject out;
  out.add("status", is_ready ? "ready" : "stopping").raw("reasons", reasons.str());
  return {is_ready ? 200 : 503, "application/json", out.str() + "\n"};
}

Response show_limits(Api& api, Request&) {
  const ApiLimits& limits = api.limits();
  JsonObject out;
  out.add("body_bytes", limits.body_bytes).add("bulk_bytes", limits.bulk_bytes);
  out.add("bulk_lines", limits.bulk_lines).add("batch", limits.batch).add("ids", limits.ids);
  out.add("matches", limits.matches).add("all_matches", limits.all_matches);
  out.add("answer_bytes", limits.answer_bytes).add("refused_lines", limits.refused_lines);
  out.add("rows", limits.rows).add("requests_per_second", limits.requests_per_second);
  return {200, "application/json", out.str() + "\n"};
}

Response metrics(Api& api, Request&) {
  std::string out;
  api.metrics().print(out, label_of);
  std::string are_ready, fail, documents, buckets, largest, candidates, hits;
  for (const Collections::State& state : api.collections().list()) {
    const std::string label = fmt::format("collection=\"{}\"", state.name);
    std::uint64_t size = 0;
    std::shared_ptr<const SampleFigures> figures;
    if (state.collection) try {
        size = state.collection->index().size();
        figures = state.collection->figures();
      } catch (const Error&) {  // it is damaged or cannot be reached: the others have figures still
      }
    are_ready += fmt::format("benzer_collection_ready{{{}}} {}\n", label, figures ? 1 : 0);
    if (state.collection)
      fail += fmt::format("benzer_collection_maintenance_failing{{{}}} {}\n", label,
                          state.collection->index().maintenance_problem() ? 1 : 0);
    if (!figures) continue;
    documents += fmt::format("benzer_documents{{{}}} {}\n", label, size);
    for (const SampleFigures::Buckets& row : figures->buckets)
      buckets += fmt::format("benzer_buckets{{{},documents=\"{}-{}\"}} {:.0f}\n", label, row.from,
                             row.to, row.buckets);
    largest += fmt::format("benzer_bucket_largest{{{}}} {}\n", label, figures->largest_bucket);
    candidates += fmt::format("benzer_sample_candidates{{{}}} {}\n", label, figures->candidates);
    hits += fmt::format("benzer_sample_hits{{{}}} {}\n", label, figures->similar);
  }
  const auto add = [&](std::string_view name, std::string_view help, const std::string& rows) {
    print_metric(out, name, "gauge", help);
    out += rows;
  };
  add("collection_ready", "1: it can be read.", are_ready);
  add("collection_maintenance_failing",
      "1: segments cannot be written or merged; stats of the collection say why.", fail);
  add("documents", "Documents in a collection.", documents);
  add("buckets", "Buckets with so many documents: an estimate from 200 documents.", buckets);
  add("bucket_largest", "Documents in the largest bucket of 200 documents.", largest);
  add("sample_candidates", "Candidates of 200 documents.", candidates);
  add("sample_hits", "Those of these that reach min_threshold.", hits);
  return {200, "text/plain; version=0.0.4", std::move(out)};
}

}  // namespace benzer::server
