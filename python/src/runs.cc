// Binds runs over a corpus: deduplicate and pairs, of tables and of files.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include "benzer/arrow.h"
#include "benzer/dedup.h"
#include "benzer/index.h"
#include "benzer/input.h"
#include "benzer/output.h"
#include "benzer/report.h"

#include "../../apps/shared/dedup_records.h"
#include "../../apps/shared/guard_rail_error.h"
#include "../../apps/shared/settings.h"
#include "../../apps/shared/summary.h"
#include "background.h"
#include "bind.h"
#include "columns.h"
#include "documents.h"
#include "options.h"
#include "sources.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

using apps::Options;

// The corpus of a run, and what was read of it.
class Documents {
 public:
  // Tables, if there are any; else the files that the options name.
  Documents(const Options& options, const FeatureSpec& features, nb::list tables,
            nb::list references) {
    InputOptions input = apps::input_options(options);
    input.has_weights = features.takes_weights();
    const ErrorText pictures =
        "pictures are read from folders and files here, and the documents are ";
    const ErrorText advice = "name the files with the pictures, or add the documents to an Index";
    if (nb::len(tables) == 0) {
      reference_sources_ = input.references.size();
      for (const auto* paths : {&input.inputs, &input.references})
        for (const std::string& path : *paths)
          if (Index::is_at(path))
            throw Error(ErrorCode::kInvalidArgument, Subject::index(path),
                        "this is an index, which holds hashes and no texts",
                        "open it with Index.open(), or name the files that it was made of");
      InputOptions files = input;
      files.images = features.image() != nullptr;
      files.warn = [this](const Error& problem) { tell(problem.what()); };
      files.stop = &stop_;
      auto corpus = std::make_unique<FileCorpus>(std::move(files));
      apps::check_fields_apply(options, *corpus);
      if (features.image() && corpus->format() != InputFormat::kText)
        throw Error(ErrorCode::kInvalidArgument, pictures + "records", advice);
      files_ = corpus.get();
      corpus_ = std::move(corpus);
      return;
    }
    if (features.image()) throw Error(ErrorCode::kInvalidArgument, pictures + "a table", advice);
    ArrowOptions arrow;
    static_cast<RecordFields&>(arrow) = input;
    arrow.inputs = arrow_inputs(tables);
    arrow.references = arrow_inputs(references);
    reference_sources_ = arrow.references.size();
    arrow.memory_limit = input.memory_limit;
    arrow.work_folder = input.work_folder;
    arrow.stop = &stop_;
    auto corpus = std::make_unique<ArrowCorpus>(std::move(arrow));
    tables_ = corpus.get();
    corpus_ = std::move(corpus);
  }

  Corpus& corpus() noexcept { return *corpus_; }
  const Corpus& corpus() const noexcept { return *corpus_; }
  FileCorpus* files() noexcept { return files_; }
  // How many of the corpus's sources are references; they are the first ones.
  std::size_t reference_sources() const noexcept { return reference_sources_; }
  InputCounts counts() const { return files_ ? files_->counts() : tables_->counts(); }
  const std::vector<std::string>& problems() const noexcept { return problems_; }
  // Carries out work that these options control, and notes pictures that cannot be decoded.
  template <class Work>
  void run(SimilarityOptions& asked, nb::object progress, Work&& work) {
    Background background(stop_, std::move(progress));
    asked.progress = background.report();
    asked.stop = background.stop();
    asked.problem = [this](std::uint32_t document, const std::string& problem) {
      tell(corpus_->label(document).source + ": " + problem);
    };
    background.run(work);
    asked.progress = {};
    asked.stop = nullptr;
  }
  // The flag that ends whatever reads the documents.
  std::atomic<bool>& stop() noexcept { return stop_; }

  // Notes a problem with a document; the first ones are kept.
  void tell(const std::string& problem) {
    if (problems_.size() < kMostProblems) problems_.push_back(problem);
  }

 private:
  static constexpr std::size_t kMostProblems = 1000;

  std::unique_ptr<Corpus> corpus_;
  FileCorpus* files_ = nullptr;
  ArrowCorpus* tables_ = nullptr;
  std::size_t reference_sources_ = 0;
  std::vector<std::string> problems_;
  std::atomic<bool> stop_{false};
};

// Columns that name documents: PREFIXrow, PREFIXid, and PREFIXsource if sources have names.
class LabelColumns {
 public:
  LabelColumns(const Corpus& corpus, const std::string& prefix)
      : corpus_(corpus),
        row_(prefix + "row", Column::Kind::kInteger),
        id_(prefix + "id"),
        source_(prefix + "source", Column::Kind::kText) {
    const auto sources = corpus.sources();
    has_sources_ = std::any_of(sources.begin(), sources.end(),
                               [](const std::string& name) { return !name.empty(); });
  }

  void add(std::uint32_t document) {
    const DocumentLabel label = corpus_.label(document);
    if (label.line == 0)
      row_.add_null();
    else
      row_.add(static_cast<std::int64_t>(label.line) - 1);
    id_.add(label.id_json);
    if (has_sources_) source_.add(std::string_view(label.source));
  }
  void add(const std::optional<std::uint32_t>& document) {
    if (document) {
      add(*document);
      return;
    }
    row_.add_null();
    id_.add_null();
    if (has_sources_) source_.add_null();
  }
  void append_to(Columns& out) {
    out.push_back(std::move(row_));
    out.push_back(id_.column());
    if (has_sources_) out.push_back(std::move(source_));
  }

 private:
  const Corpus& corpus_;
  Column row_;
  IdColumn id_;
  Column source_;
  bool has_sources_;
};

// Puts what every run has into its summary.
apps::Summary summary_of(const Options& options, const Documents& documents,
                         const SimilarityOptions& asked, const SimilarityCounts& counts) {
  apps::Summary out;
  out.command = options.command == apps::kDedup ? "dedup" : "pairs";
  out.counts = counts;
  out.input = documents.counts();
  out.threshold = asked.threshold;
  out.short_policy = asked.short_policy;
  out.threads = apps::thread_count(options);
  const auto sources = documents.corpus().sources();
  for (std::size_t i = 0; i < sources.size(); ++i)
    (i < documents.reference_sources() ? out.against : out.inputs).push_back(sources[i]);
  out.by = options.by.value_or("");
  return out;
}

class DedupRun {
 public:
  DedupRun(nb::dict settings, nb::list tables, nb::list references)
      : options_(options_of(apps::kDedup, settings)) {
    asked_ = apps::dedup_options(options_);
    asked_.collect = options_.pairs_list ? Collect::kSimilar : Collect::kNothing;
    if (options_.report) asked_.collect = Collect::kCompared;
    documents_ = std::make_unique<Documents>(options_, asked_.config.features, tables, references);
  }

  void run(nb::object progress) {
    documents_->run(asked_, std::move(progress), [&] {
      result_ = deduplicate(documents_->corpus(), asked_);
      clusters_ = std::make_unique<Clusters>(result_);
    });
  }

  void check_guard_rails() const {
    const auto breaches = benzer::check_guard_rails(documents_->corpus(), result_);
    if (!breaches.empty()) throw apps::guard_rail_error(documents_->corpus(), breaches);
  }

  std::string summary() const {
    const Corpus& corpus = documents_->corpus();
    apps::Summary out = summary_of(options_, *documents_, asked_, result_.counts);
    out.keep = asked_.keep.str();
    out.clustering = asked_.clustering;
    out.dry_run = true;
    out.kept = result_.kept;
    out.removed = result_.removed.size();
    out.clusters = result_.clusters;
    for (std::size_t i = 0; i < clusters_->size(); ++i)
      out.largest_cluster =
          std::max<std::uint64_t>(out.largest_cluster, (*clusters_)[i].removals.size() + 1);
    const std::vector<SourceCounts> sources = count_sources(corpus, result_);
    for (std::size_t i = documents_->reference_sources(); i < sources.size(); ++i)
      out.sources.push_back({corpus.sources()[i], sources[i]});
    for (const Removal& removal : result_.removed) {
      if (!removal.keeper) continue;
      ++out.similar_to_kept;
      out.equal_to_kept += removal.score == 1;
    }
    return out.json();
  }

  nb::object removed() const {
    const Corpus& corpus = documents_->corpus();
    LabelColumns gone(corpus, ""), kept(corpus, "kept_"), linked(corpus, "linked_");
    Column reference("kept_is_reference", Column::Kind::kBoolean);
    Column score("score", Column::Kind::kNumber), link_score("linked_score", Column::Kind::kNumber);
    for (std::size_t i = 0; i < result_.removed.size(); ++i) {
      const Removal& removal = result_.removed[i];
      gone.add(removal.document);
      kept.add(removal.keeper);
      reference.add(removal.keeper && *removal.keeper < corpus.references());
      removal.keeper ? score.add(removal.score) : score.add_null();
      if (result_.links.empty()) continue;
      if (removal.keeper) {
        linked.add(result_.links[i].document);
        link_score.add(result_.links[i].score);
      } else {
        linked.add(std::nullopt);
        link_score.add_null();
      }
    }
    Columns out;
    gone.append_to(out);
    kept.append_to(out);
    if (corpus.references() > 0) out.push_back(std::move(reference));
    out.push_back(std::move(score));
    if (!result_.links.empty()) {
      linked.append_to(out);
      out.push_back(std::move(link_score));
    }
    return make_table(std::move(out));
  }

  // Every cluster with its documents, the kept one first.
  nb::object clusters() const {
    LabelColumns labels(documents_->corpus(), "");
    Column number("cluster", Column::Kind::kInteger), score("score", Column::Kind::kNumber);
    Column is_kept("is_kept", Column::Kind::kBoolean);
    const auto add = [&](std::size_t cluster, std::uint32_t document, bool kept,
                         double similarity) {
      number.add(static_cast<std::int64_t>(cluster) + 1);
      labels.add(document);
      is_kept.add(kept);
      score.add(similarity);
    };
    for (std::size_t i = 0; i < clusters_->size(); ++i) {
      const Cluster cluster = (*clusters_)[i];
      add(i, cluster.keeper, true, 1);
      for (const std::uint32_t place : cluster.removals)
        add(i, result_.removed[place].document, false, result_.removed[place].score);
    }
    Columns out;
    out.push_back(std::move(number));
    labels.append_to(out);
    out.push_back(std::move(is_kept));
    out.push_back(std::move(score));
    return make_table(std::move(out));
  }

  // The compared pairs that reach the threshold, if they were asked for.
  nb::object pairs() const;

  // One byte for each document that is no reference: 1 if it is kept.
  nb::bytes kept() const {
    const std::uint32_t references = documents_->corpus().references();
    std::string out(documents_->corpus().size() - references, '\1');
    for (const Removal& removal : result_.removed) out[removal.document - references] = '\0';
    return nb::bytes(out.data(), out.size());
  }

  // The columns that annotate the documents that are no references.
  nb::object annotations() const {
    const Corpus& corpus = documents_->corpus();
    const FileCorpus::Annotation annotation = apps::annotation_of(corpus, result_, *clusters_);
    Column cluster(annotation.names[0], Column::Kind::kInteger);
    IdColumn keeper(annotation.names[1]);
    Column score(annotation.names[2], Column::Kind::kNumber);
    std::vector<std::string> values;
    for (std::uint32_t i = corpus.references(); i < corpus.size(); ++i) {
      annotation.values(i, values);
      if (values[0] == "null") {
        cluster.add_null();
        keeper.add_null();
        score.add_null();
        continue;
      }
      cluster.add(static_cast<std::int64_t>(std::stoll(values[0])));
      keeper.add(values[1]);
      score.add(std::stod(values[2]));
    }
    Columns out;
    out.push_back(std::move(cluster));
    out.push_back(keeper.column());
    out.push_back(std::move(score));
    return make_table(std::move(out));
  }

  // Documents of each source, references first.
  std::vector<std::uint64_t> source_sizes() const {
    std::vector<std::uint64_t> out;
    for (const SourceCounts& source : count_sources(documents_->corpus(), result_))
      out.push_back(source.documents);
    return out;
  }

  // The report as a page and as JSON.
  std::pair<std::string, std::string> report(const std::vector<std::string>& command,
                                             const std::string& output) {
    RunFacts facts;
    facts.command = command;
    const apps::Summary summary = summary_of(options_, *documents_, asked_, result_.counts);
    facts.inputs = summary.inputs;
    facts.references = summary.against;
    facts.output = output;
    facts.dry_run = output.empty();
    facts.group_field = options_.by.value_or("");
    facts.input = documents_->counts();
    facts.problems = documents_->problems();
    if (facts.problems.size() > kShownProblems) facts.problems.resize(kShownProblems);
    Background background(documents_->stop());
    std::pair<std::string, std::string> out;
    asked_.stop = background.stop();
    background.run([&] {
      const Report report = collect_report(documents_->corpus(), asked_, result_, facts);
      out = {report_html(report), report_json(report)};
    });
    asked_.stop = nullptr;
    return out;
  }

  // The list of removed documents, as the command line writes it.
  std::string removed_lines() const {
    std::string out;
    for (std::size_t i = 0; i < result_.removed.size(); ++i)
      out += apps::removed_line(documents_->corpus(), result_, i);
    return out;
  }

  // For inputs that are files: writes the records that are kept, or all of them with annotations.
  void write(const std::string& path, bool annotated, nb::object progress) {
    FileCorpus* files = documents_->files();
    if (!files)
      throw Error(ErrorCode::kInvalidArgument, "only records of files are written as they are");
    Background background(documents_->stop(), std::move(progress));
    const auto report = background.report();
    const auto tell = [&](std::uint64_t done) {
      throw_if_stopped(background.stop());
      if (report) report({"write", done, annotated ? result_.counts.documents : result_.kept});
    };
    background.run([&] {
      OutputFile out(path, apps::thread_count(options_), background.stop());
      if (annotated) {
        files->write_annotated(apps::annotation_of(*files, result_, *clusters_), out, nullptr,
                               tell);
      } else {
        std::vector<std::uint32_t> numbers;
        for (const Removal& removal : result_.removed) numbers.push_back(removal.document);
        files->write_kept(numbers, out, nullptr, tell);
      }
      out.commit();
    });
  }

  bool reads(const std::string& path) {
    return documents_->files() && documents_->files()->reads(path);
  }
  const std::vector<std::string>& problems() const { return documents_->problems(); }

 private:
  static constexpr std::size_t kShownProblems = 20;

  Options options_;
  DedupOptions asked_;
  std::unique_ptr<Documents> documents_;
  DedupResult result_;
  std::unique_ptr<Clusters> clusters_;
};

nb::object pairs_table(
    const Corpus& corpus,
    const std::function<void(const std::function<void(const ScoredPair&)>&)>& for_each) {
  LabelColumns a(corpus, "a_"), b(corpus, "b_");
  Column score("score", Column::Kind::kNumber);
  for_each([&](const ScoredPair& pair) {
    a.add(pair.a);
    b.add(pair.b);
    score.add(pair.score);
  });
  Columns out;
  a.append_to(out);
  b.append_to(out);
  out.push_back(std::move(score));
  return make_table(std::move(out));
}

nb::object DedupRun::pairs() const {
  return pairs_table(documents_->corpus(),
                     [this](const auto& visit) { result_.similar.for_each(visit); });
}

class PairsRun {
 public:
  PairsRun(nb::dict settings, nb::list tables, nb::list references)
      : options_(options_of(apps::kPairs, settings)), asked_(apps::pairs_options(options_)) {
    documents_ = std::make_unique<Documents>(options_, asked_.config.features, tables, references);
  }

  void run(nb::object progress) {
    documents_->run(asked_, std::move(progress), [&] {
      counts_ = find_pairs(documents_->corpus(), asked_,
                           [this](const ScoredPair& pair) { pairs_.push_back(pair); });
    });
  }

  nb::object table() const {
    return pairs_table(documents_->corpus(), [this](const auto& visit) {
      for (const ScoredPair& pair : pairs_) visit(pair);
    });
  }
  std::size_t size() const noexcept { return pairs_.size(); }
  // Documents by their numbers: references first, then the others.
  nb::tuple pair(std::size_t i) const {
    const ScoredPair& pair = pairs_.at(i);
    return nb::make_tuple(pair.a, pair.b, pair.score);
  }
  std::string summary() const {
    apps::Summary out = summary_of(options_, *documents_, asked_, counts_);
    out.exact = options_.exact;
    out.pairs = pairs_.size();
    return out.json();
  }
  const std::vector<std::string>& problems() const { return documents_->problems(); }

 private:
  Options options_;
  PairsOptions asked_;
  std::unique_ptr<Documents> documents_;
  SimilarityCounts counts_;
  std::vector<ScoredPair> pairs_;
};

}  // namespace

void bind_runs(nb::module_& module) {
  nb::class_<DedupRun>(module, "DedupRun")
      .def(nb::init<nb::dict, nb::list, nb::list>())
      .def("run", &DedupRun::run, nb::arg("progress").none())
      .def("check_guard_rails", &DedupRun::check_guard_rails)
      .def("summary", &DedupRun::summary)
      .def("removed", &DedupRun::removed)
      .def("clusters", &DedupRun::clusters)
      .def("removed_lines", [](const DedupRun& self) { return python_text(self.removed_lines()); })
      .def("pairs", &DedupRun::pairs)
      .def("kept", &DedupRun::kept)
      .def("annotations", &DedupRun::annotations)
      .def("source_sizes", &DedupRun::source_sizes)
      .def("report",
           [](DedupRun& self, const std::vector<std::string>& command, const std::string& output) {
             const auto [page, json] = self.report(command, output);
             return nb::make_tuple(nb::str(page.data(), page.size()),
                                   nb::str(json.data(), json.size()));
           })
      .def("write", &DedupRun::write, nb::arg("path"), nb::arg("annotated"),
           nb::arg("progress").none())
      .def("reads", &DedupRun::reads)
      .def("problems", &DedupRun::problems);
  nb::class_<PairsRun>(module, "PairsRun")
      .def(nb::init<nb::dict, nb::list, nb::list>())
      .def("run", &PairsRun::run, nb::arg("progress").none())
      .def("table", &PairsRun::table)
      .def("pair", &PairsRun::pair)
      .def("__len__", &PairsRun::size)
      .def("summary", &PairsRun::summary)
      .def("problems", &PairsRun::problems);
}

}  // namespace benzer::python
