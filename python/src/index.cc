// Binds indexes.
#include "benzer/index.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>
#include <unistd.h>

#include "benzer/arrow.h"
#include "benzer/compare.h"
#include "benzer/internal/json.h"

#include "../../apps/shared/guard_rail_error.h"
#include "../../apps/shared/index_settings.h"
#include "../../apps/shared/match_json.h"
#include "../../apps/shared/settings.h"
#include "../../apps/shared/stats_json.h"
#include "background.h"
#include "bind.h"
#include "columns.h"
#include "documents.h"
#include "index_additions.h"
#include "index_questions.h"
#include "options.h"
#include "sources.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

constexpr std::size_t kBatch = 4096;  // documents that are hashed together

bool has_shares(const Index& index) { return index.schema().measure == Measure::kContainment; }

nb::list ids_of(const std::vector<std::string>& ids) {
  nb::list out;
  for (const std::string& id : ids) out.append(python_text(id));
  return out;
}

// An index that Python has opened, and the process that opened it.
class OpenIndex {
 public:
  OpenIndex(std::shared_ptr<Index> index, std::shared_ptr<std::atomic<bool>> stop,
            std::string shown)
      : index_(std::move(index)), stop_(std::move(stop)), shown_(std::move(shown)) {
    const Durability level = index_->durability().durability;
    has_servers_ =
        !shown_.empty() && (level == Durability::kMemory || level == Durability::kReplicas ||
                            level == Durability::kDisk);
  }
  ~OpenIndex() {
    // The threads of an index do not exist in a process that was forked, so that closing it there
    // would wait for them for ever. Its files are those of the other process anyway.
    if (index_ && getpid() != process_) new std::shared_ptr<Index>(std::move(index_));
    if (!index_) return;
    nb::gil_scoped_release release;
    index_.reset();
  }
  OpenIndex(const OpenIndex&) = delete;
  OpenIndex& operator=(const OpenIndex&) = delete;

  static std::unique_ptr<OpenIndex> open(nb::str name, nb::dict settings, bool create,
                                         bool read_only) {
    const std::string location = bytes_of(name, "the location");
    apps::Options options = options_of(apps::kIndex, settings);
    options.inputs = {location};
    options.create = create;
    auto stop = std::make_shared<std::atomic<bool>>(false);
    std::shared_ptr<Index> index;
    Background background(*stop);
    background.run([&] {
      OpenOptions open = apps::write_options(options);
      if (create) {
        const std::optional<Schema> schema = apps::given_schema(options);
        if (schema)
          open.create_with = *schema;
        else if (!Index::is_at(location))
          open.create_with = Schema();
      }
      open.read_only = read_only;
      open.stop = stop.get();
      index = std::make_shared<Index>(Index::open(location, open));
    });
    return std::make_unique<OpenIndex>(std::move(index), std::move(stop), Index::shown(location));
  }

  static std::unique_ptr<OpenIndex> in_memory(nb::dict settings) {
    const apps::Options options = options_of(apps::kIndex, settings);
    std::shared_ptr<Index> index;
    {
      nb::gil_scoped_release release;  // the schema may name files
      index =
          std::make_shared<Index>(Index::in_memory(apps::given_schema(options).value_or(Schema())));
    }
    return std::make_unique<OpenIndex>(std::move(index), std::make_shared<std::atomic<bool>>(false),
                                       "");
  }

  std::shared_ptr<Index> index() const {
    std::shared_ptr<Index> out;
    {
      const std::lock_guard lock(mutex_);
      out = index_;
    }
    if (!out) throw Error(ErrorCode::kInvalidArgument, "the index is closed", "open it again");
    if (getpid() != process_)
      throw Error(ErrorCode::kInvalidArgument,
                  "the index was opened before this process was forked",
                  "open it in the new process, read_only if the other one goes on writing");
    return out;
  }

  void close() {
    std::shared_ptr<Index> closing;
    {
      const std::lock_guard lock(mutex_);
      if (!index_) return;
    }
    closing = index();
    nb::gil_scoped_release release;
    closing->close();
    const std::lock_guard lock(mutex_);
    index_.reset();
  }
  bool is_closed() const {
    const std::lock_guard lock(mutex_);
    return !index_;
  }

  // Throws if the index is closed, or was opened before a fork.
  void check_open() const { index(); }

  std::string schema() const { return index()->schema().str(); }

  nb::tuple add(nb::list documents, int threads) {
    const auto to = index();
    const std::vector<Document> all = documents_of(documents, to->schema());
    Added added;
    run_long([&](const std::atomic<bool>* stop) {
      added.count(all, to->index_documents(to->hash_documents(all, threads, stop)), 0);
    });
    return added.tuple();
  }

  nb::tuple add_table(nb::list sources, const std::string& id_field, int threads,
                      nb::object progress) {
    const auto to = index();
    Added added;
    std::atomic<bool> own_stop{false};
    std::atomic<bool>& stop = has_servers_ ? *stop_ : own_stop;
    Background background(stop, std::move(progress));
    const auto report = background.report();
    ArrowCorpus corpus(table_options(sources, input_fields(to->schema()), id_field));
    background.run([&] {
      std::uint64_t done = 0;
      std::vector<Document> waiting;
      const auto put = [&] {
        added.count(waiting, to->index_documents(to->hash_documents(waiting, threads, &stop)),
                    done);
        done += waiting.size();
        waiting.clear();
        if (report) report({"index", done, 0});
      };
      read_documents(corpus, to->schema(), threads, [&](std::vector<Document>& batch) {
        throw_if_stopped(&stop);
        for (Document& document : batch) waiting.push_back(std::move(document));
        if (waiting.size() >= kBatch) put();
      });
      put();
    });
    return added.tuple();
  }

  std::vector<Match> similar(nb::object document, nb::dict settings) const {
    const auto from = index();
    const Document query = document_of(document, from->schema(), false);
    return answer(question(settings), has_servers_ || is_large(query),
                  [&](const SimilarOptions& options) {
                    return from->find_similar_documents(query, options);
                  });
  }

  std::vector<std::vector<Match>> similar_many(nb::list documents, std::uint64_t begin,
                                               nb::dict settings, int threads) const {
    const auto from = index();
    return ask_many(*from, documents, begin, question(settings), finds_similar(*from, threads));
  }
  std::vector<std::vector<Match>> similar_table(nb::list sources, const std::string& id_field,
                                                nb::dict settings, int threads) const {
    const auto from = index();
    return ask_table(*from, sources, id_field, question(settings), threads,
                     finds_similar(*from, threads));
  }

  nb::list passages(nb::list documents, std::uint64_t begin, nb::dict settings, int threads) const {
    const auto from = index();
    return lists_of(ask_many(*from, documents, begin, passages_question(settings),
                             finds_passages(*from, threads)));
  }
  nb::list passages_table(nb::list sources, const std::string& id_field, nb::dict settings,
                          int threads) const {
    const auto from = index();
    return lists_of(ask_table(*from, sources, id_field, passages_question(settings), threads,
                              finds_passages(*from, threads)));
  }

  std::vector<Match> similar_to(nb::str name, nb::dict settings) const {
    const auto from = index();
    const std::string id = bytes_of(name, "an id");
    return answer(question(settings), has_servers_, [&](const SimilarOptions& options) {
      return from->find_similar_to(id, options);
    });
  }

  std::pair<bool, std::vector<Match>> check_and_add(nb::object document, nb::dict settings) {
    const auto to = index();
    const Document one = document_of(document, to->schema(), true);
    SimilarOptions asked = question(settings);
    const auto ask = [&](const SimilarOptions& options) { return to->check_and_add(one, options); };
    CheckResult result;
    if (has_servers_)
      run_long([&](const std::atomic<bool>*) { result = ask(asked); });
    else
      result = answer(std::move(asked), is_large(one), ask);
    return {result.added, std::move(result.matches)};
  }

  nb::list check_many(nb::list documents, nb::dict settings) {
    const auto to = index();
    const std::vector<Document> all = documents_of(documents, to->schema());
    Checked checked(*to, question(settings));
    run_long([&](const std::atomic<bool>* stop) { checked.check(all, stop); });
    return checked.list();
  }

  nb::list check_table(nb::list sources, const std::string& id_field, nb::dict settings) {
    const auto to = index();
    Checked checked(*to, question(settings));
    ArrowCorpus corpus(table_options(sources, input_fields(to->schema()), id_field));
    run_long([&](const std::atomic<bool>* stop) {
      read_documents(corpus, to->schema(), 1,
                     [&](std::vector<Document>& batch) { checked.check(batch, stop); });
    });
    return checked.list();
  }

  std::vector<bool> remove(nb::list names) {
    const auto from = index();
    std::vector<std::string> ids;
    for (const nb::handle name : items_of(names)) ids.push_back(bytes_of(name, "an id"));
    std::vector<bool> removed;
    run_short([&] { removed = from->remove(ids); });
    return removed;
  }

  bool contains(nb::str name) const {
    const auto from = index();
    const std::string id = bytes_of(name, "an id");
    bool found = false;
    run_short([&] { found = from->contains(id); });
    return found;
  }
  std::uint64_t size() const {
    const auto from = index();
    std::uint64_t size = 0;
    run_short([&] { size = from->size(); });
    return size;
  }

  nb::object get(nb::str name) const {
    const auto from = index();
    const std::string id = bytes_of(name, "an id");
    std::optional<IndexedDocument> found;
    run_short([&] { found = from->get(id); });
    if (!found) return nb::none();
    nb::dict features;
    for (const IndexedDocument::Part& part : found->fields)
      features[python_text(part.field)] = part.features;
    return nb::make_tuple(python_text(found->id), features, attributes_of(found->attributes));
  }

  nb::list ids_after(nb::str last, std::size_t most) const {
    const auto from = index();
    const std::string after = bytes_of(last, "an id");
    std::vector<std::string> ids;
    run_short([&] { ids = from->ids_after(after, most); });
    return ids_of(ids);
  }

  nb::object pairs(nb::dict settings, nb::object progress) const {
    const auto from = index();
    WholeIndexOptions options = whole(settings);
    Column a("a_id", Column::Kind::kText), b("b_id", Column::Kind::kText);
    Column score("score", Column::Kind::kNumber);
    ShareColumns shares("share_of_a", "share_of_b", has_shares(*from));
    run_whole(options, std::move(progress), [&] {
      from->for_each_similar_pair(options, [&](const ScoredIds& pair) {
        a.add(pair.a);
        b.add(pair.b);
        score.add(pair.score);
        shares.add(pair.shares);
      });
    });
    Columns out;
    out.push_back(std::move(a));
    out.push_back(std::move(b));
    out.push_back(std::move(score));
    shares.append_to(out);
    return make_table(std::move(out));
  }

  nb::object clusters(nb::dict settings, nb::object progress) const {
    const auto from = index();
    WholeIndexOptions options = whole(settings);
    Column number("cluster", Column::Kind::kInteger), id("id", Column::Kind::kText);
    Column is_kept("is_kept", Column::Kind::kBoolean), score("score", Column::Kind::kNumber);
    ShareColumns shares("share_of_removed", "share_of_keeper", has_shares(*from));
    std::int64_t cluster_number = 0;
    const auto add = [&](const std::string& document, bool kept, double similarity,
                         const std::optional<Shares>& both) {
      number.add(cluster_number);
      id.add(std::string_view(document));
      is_kept.add(kept);
      score.add(similarity);
      shares.add(both);
    };
    run_whole(options, std::move(progress), [&] {
      from->for_each_cluster(options, [&](const IndexCluster& cluster) {
        ++cluster_number;
        add(cluster.keeper, true, 1, Shares{1, 1});
        for (const IndexCluster::Member& member : cluster.members)
          add(member.id, false, member.score, member.shares);
      });
    });
    Columns out;
    out.push_back(std::move(number));
    out.push_back(std::move(id));
    out.push_back(std::move(is_kept));
    out.push_back(std::move(score));
    shares.append_to(out);
    return make_table(std::move(out));
  }

  // Returns the documents that are similar to a keeper, and with `remove` removes them.
  nb::object deduplicate(nb::dict settings, nb::object progress) const {
    const auto from = index();
    const apps::Options given = options_of(apps::kDedup, settings);
    WholeIndexOptions options = apps::whole_index_options(given);
    if (given.remove && has_servers_)
      throw Error(ErrorCode::kInvalidArgument, Subject::index(shown_),
                  "other clients may write to an index in Redis between finding and removing",
                  "call remove() with the ids that this call returns without remove=True");
    IndexDedup found;
    std::uint64_t gone = 0;
    run_whole(options, std::move(progress), [&] {
      found = from->deduplicate(options);
      if (!given.remove) return;
      const auto breaches = check_guard_rails(found, GuardRails::in_place());
      if (!given.allow_large_clusters && !breaches.empty())
        throw apps::guard_rail_error(shown_.empty() ? "in memory" : shown_, breaches);
      found.for_each_batch([&](const std::vector<std::string>& ids) {
        throw_if_stopped(options.stop);
        from->remove(ids);
        gone += ids.size();
        if (options.progress) options.progress({"remove", gone, found.removals});
      });
    });
    Column id("id", Column::Kind::kText), keeper("kept_id", Column::Kind::kText);
    Column score("score", Column::Kind::kNumber);
    ShareColumns shares("share_of_removed", "share_of_keeper", has_shares(*from));
    for (const IndexCluster& cluster : found.clusters)
      for (const IndexCluster::Member& member : cluster.members) {
        check_signals(id.size());
        id.add(std::string_view(member.id));
        keeper.add(std::string_view(cluster.keeper));
        score.add(member.score);
        shares.add(member.shares);
      }
    Columns out;
    out.push_back(std::move(id));
    out.push_back(std::move(keeper));
    out.push_back(std::move(score));
    shares.append_to(out);
    return make_table(std::move(out));
  }

  std::vector<std::pair<std::string, std::string>> update(nb::list documents) {
    const auto to = index();
    const std::vector<AttributeChange> changes = changes_of(documents);
    std::vector<IndexResult> results;
    run_short([&] { results = to->change_attributes(changes); });
    std::vector<std::pair<std::string, std::string>> out;
    for (const IndexResult& result : results) {
      const bool changed = result.outcome == IndexResult::Outcome::kReplaced;
      const bool missing = result.outcome == IndexResult::Outcome::kNotThere;
      out.emplace_back(changed ? "changed" : missing ? "missing" : "refused", result.problem);
    }
    return out;
  }

  std::uint64_t remove_expired() {
    const auto from = index();
    std::uint64_t removed = 0;
    run_long([&](const std::atomic<bool>* stop) {
      for (const bool gone : from->remove_expired(from->expired(stop).ids)) removed += gone;
    });
    return removed;
  }

  std::string stats() const {
    const auto from = index();
    std::string json;
    run_short([&] {
      JsonObject out;
      out.add("schema", from->schema().str()).add("durability", from->durability().str());
      apps::add_numbers(out, from->stats());
      json = out.str();
    });
    return json;
  }

  void verify() const {
    const auto from = index();
    Background(*stop_).run([&] { from->verify(); });
  }
  void compact() {
    const auto to = index();
    Background(*stop_).run([&] { to->compact(); });
  }
  std::pair<std::uint64_t, std::uint64_t> snapshot(nb::str name, bool copy) const {
    const auto from = index();
    const std::string folder = bytes_of(name, "the folder");
    SnapshotResult result;
    Background(*stop_).run([&] { result = from->snapshot(folder, {.copy = copy}); });
    return {result.linked_bytes, result.copied_bytes};
  }
  double floor_recall() const { return index()->floor_recall(); }
  std::string durability() const { return index()->durability().str(); }
  const std::string& shown() const noexcept { return shown_; }

 private:
  static nb::list lists_of(const std::vector<std::vector<PassageMatch>>& found) {
    nb::list out;
    for (const std::vector<PassageMatch>& matches : found) out.append(list_of(matches));
    return out;
  }
  static nb::list list_of(const std::vector<PassageMatch>& matches) {
    nb::list out;
    for (const PassageMatch& match : matches) {
      nb::list passages;
      for (const QueryPassage& one : match.passages)
        passages.append(nb::make_tuple(python_text(one.field), one.begin, one.end, one.begin_char,
                                       one.end_char, one.words, python_text(one.text)));
      out.append(nb::make_tuple(python_text(match.id), match.words, passages,
                                attributes_of(match.attributes)));
    }
    return out;
  }
  static SharedPassagesOptions passages_question(nb::dict settings) {
    return apps::shared_passages_options(options_of(apps::kSimilar, settings));
  }
  static SimilarOptions question(nb::dict settings) {
    return apps::similar_options(options_of(apps::kSimilar, settings));
  }
  static WholeIndexOptions whole(nb::dict settings) {
    return apps::whole_index_options(options_of(apps::kClusters, settings));
  }
  // Runs work that is over in less time than it takes to start a thread for it, unless it waits for
  // a server: then Ctrl-C ends it. The flag is that of the index, which alone ends writes to a
  // server, so calls of other threads that wait for a server end, too.
  template <class Work>
  void run_short(const Work& work) const {
    if (has_servers_) return Background(*stop_).run(work);
    nb::gil_scoped_release release;
    work();
  }
  // Runs work that looks at the flag that it is given.
  template <class Work>
  void run_long(const Work& work) const {
    if (!has_servers_) return run_stoppable(work);
    Background(*stop_).run([&] { work(stop_.get()); });
  }
  template <class Work>
  void run_whole(WholeIndexOptions& options, nb::object progress, Work&& work) const {
    std::atomic<bool> stop{false};
    Background background(stop, std::move(progress));
    options.progress = background.report();
    options.stop = background.stop();
    background.run(work);
  }

  mutable std::mutex mutex_;  // of index_
  std::shared_ptr<Index> index_;
  std::shared_ptr<std::atomic<bool>> stop_;
  std::string shown_;
  bool has_servers_ = false;
  pid_t process_ = getpid();
};

nb::list passages_of(const FieldExplanation& explanation) {
  nb::list out;
  for (const SharedPassage& passage : explanation.passages) out.append(python_text(passage.text));
  return out;
}

}  // namespace

void bind_index(nb::module_& module) {
  nb::class_<FieldMatch>(module, "FieldMatch")
      .def_prop_ro("field", [](const FieldMatch& self) { return python_text(self.field); })
      .def_ro("score", &FieldMatch::score)
      .def_prop_ro("shares",
                   [](const FieldMatch& self) -> nb::object {
                     if (!self.shares) return nb::none();
                     return nb::make_tuple(self.shares->of_a, self.shares->of_b);
                   })
      .def_prop_ro("bands",
                   [](const FieldMatch& self) -> nb::object {
                     if (!self.explanation) return nb::none();
                     return nb::cast(self.explanation->bands);
                   })
      .def_prop_ro("passages", [](const FieldMatch& self) -> nb::object {
        if (!self.explanation) return nb::none();
        return passages_of(*self.explanation);
      });
  nb::class_<Match>(module, "Match")
      .def_prop_ro("id", [](const Match& self) { return python_text(self.id); })
      .def_ro("score", &Match::score)
      .def_ro("exact", &Match::exact)
      .def_ro("fields", &Match::fields)
      .def_ro("found_probability", &Match::found_probability)
      .def_prop_ro("attributes", [](const Match& self) { return attributes_of(self.attributes); })
      .def("json", [](const Match& self) { return python_text(apps::match_json(self, nullptr)); });
  nb::class_<OpenIndex>(module, "Index")
      .def_static("open", &OpenIndex::open)
      .def_static("in_memory", &OpenIndex::in_memory)
      .def("close", &OpenIndex::close)
      .def("is_closed", &OpenIndex::is_closed)
      .def("check_open", &OpenIndex::check_open)
      .def("schema", &OpenIndex::schema)
      .def("add", &OpenIndex::add)
      .def("add_table", &OpenIndex::add_table, nb::arg("sources"), nb::arg("id"),
           nb::arg("threads"), nb::arg("progress").none())
      .def("similar", &OpenIndex::similar)
      .def("passages", &OpenIndex::passages)
      .def("passages_table", &OpenIndex::passages_table)
      .def("similar_many", &OpenIndex::similar_many)
      .def("similar_table", &OpenIndex::similar_table)
      .def("similar_to", &OpenIndex::similar_to)
      .def("check_and_add", &OpenIndex::check_and_add)
      .def("check_many", &OpenIndex::check_many)
      .def("check_table", &OpenIndex::check_table)
      .def("remove", &OpenIndex::remove)
      .def("contains", &OpenIndex::contains)
      .def("size", &OpenIndex::size)
      .def("get", &OpenIndex::get)
      .def("ids_after", &OpenIndex::ids_after)
      .def("pairs", &OpenIndex::pairs, nb::arg("settings"), nb::arg("progress").none())
      .def("clusters", &OpenIndex::clusters, nb::arg("settings"), nb::arg("progress").none())
      .def("deduplicate", &OpenIndex::deduplicate, nb::arg("settings"), nb::arg("progress").none())
      .def("update", &OpenIndex::update)
      .def("remove_expired", &OpenIndex::remove_expired)
      .def("stats", &OpenIndex::stats)
      .def("verify", &OpenIndex::verify)
      .def("compact", &OpenIndex::compact)
      .def("snapshot", &OpenIndex::snapshot)
      .def("floor_recall", &OpenIndex::floor_recall)
      .def("durability", &OpenIndex::durability)
      .def("shown", &OpenIndex::shown);
  module.def(
      "id_text", [](nb::object value) { return python_text(id_of(value)); },
      nb::arg("value").none());
  module.def("is_index", [](nb::str name) {
    const std::string location = bytes_of(name, "the location");
    nb::gil_scoped_release release;
    return Index::is_at(location);
  });
}

}  // namespace benzer::python
