#include "result_tables.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "benzer/internal/json.h"

#include "../../apps/shared/dedup_records.h"
#include "columns.h"
#include "id_column.h"

namespace nb = nanobind;

namespace benzer::python {
namespace {

constexpr bool kWithReferences = true;

// Columns that name documents: PREFIXrow, PREFIXid, and PREFIXsource if sources have names.
// with_references: whether the documents may be references, whose ids may have another type.
class LabelColumns {
 public:
  LabelColumns(const Corpus& corpus, const std::string& prefix, bool with_references = false)
      : corpus_(corpus),
        row_(prefix + "row", Column::Kind::kInteger),
        id_(prefix + "id"),
        with_references_(with_references),
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
    id_.add(label);
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
    out.push_back(id_.column(corpus_.id_format(with_references_)));
    if (has_sources_) out.push_back(std::move(source_));
  }

 private:
  const Corpus& corpus_;
  Column row_;
  IdColumn id_;
  bool with_references_;
  Column source_;
  bool has_sources_;
};

// Columns with the place of a run of words: in bytes, in characters, and its length in words.
class RunColumns {
 public:
  explicit RunColumns(const std::string& prefix) {
    for (const char* name : {"begin", "end", "begin_char", "end_char", "words"})
      columns_.emplace_back(prefix + name, Column::Kind::kInteger);
  }
  void add(const TextRun& run, std::uint64_t words) {
    const std::uint64_t values[] = {run.begin, run.end, run.begin_char, run.end_char, words};
    for (std::size_t i = 0; i < columns_.size(); ++i)
      columns_[i].add(static_cast<std::int64_t>(values[i]));
  }
  void append_to(Columns& out) {
    for (Column& column : columns_) out.push_back(std::move(column));
  }

 private:
  Columns columns_;
};

// Texts of tables may be any bytes, and those of a column of texts must be UTF-8.
std::string valid_text(std::string_view bytes) {
  std::string out;
  append_valid_utf8(out, bytes);
  return out;
}

}  // namespace

nb::object removed_table(const Corpus& corpus, const DedupResult& result) {
  LabelColumns removed(corpus, ""), kept(corpus, "kept_", kWithReferences),
      linked(corpus, "linked_", kWithReferences);
  Column reference("kept_is_reference", Column::Kind::kBoolean);
  Column score("score", Column::Kind::kNumber), link_score("linked_score", Column::Kind::kNumber);
  ShareColumns shares("share_of_removed", "share_of_keeper", !result.sizes.empty());
  for (std::size_t i = 0; i < result.removed.size(); ++i) {
    check_signals(static_cast<std::int64_t>(i));
    const Removal& removal = result.removed[i];
    removed.add(removal.document);
    kept.add(removal.keeper);
    reference.add(removal.keeper && *removal.keeper < corpus.references());
    removal.keeper ? score.add(removal.score) : score.add_null();
    if (!result.sizes.empty())
      shares.add(removal.keeper ? std::optional(result.shares(removal)) : std::nullopt);
    if (result.links.empty()) continue;
    if (removal.keeper) {
      linked.add(result.links[i].document);
      link_score.add(result.links[i].score);
    } else {
      linked.add(std::nullopt);
      link_score.add_null();
    }
  }
  Columns out;
  removed.append_to(out);
  kept.append_to(out);
  if (corpus.references() > 0) out.push_back(std::move(reference));
  out.push_back(std::move(score));
  shares.append_to(out);
  if (!result.links.empty()) {
    linked.append_to(out);
    out.push_back(std::move(link_score));
  }
  return make_table(std::move(out));
}

nb::object clusters_table(const Corpus& corpus, const DedupResult& result,
                          const Clusters& clusters) {
  LabelColumns labels(corpus, "", kWithReferences);
  Column number("cluster", Column::Kind::kInteger), score("score", Column::Kind::kNumber);
  Column is_kept("is_kept", Column::Kind::kBoolean);
  const auto add = [&](std::size_t cluster, std::uint32_t document, bool kept, double similarity) {
    check_signals(number.size());
    number.add(static_cast<std::int64_t>(cluster) + 1);
    labels.add(document);
    is_kept.add(kept);
    score.add(similarity);
  };
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    const Cluster cluster = clusters[i];
    add(i, cluster.keeper, true, 1);
    for (const std::uint32_t place : cluster.removals)
      add(i, result.removed[place].document, false, result.removed[place].score);
  }
  Columns out;
  out.push_back(std::move(number));
  labels.append_to(out);
  out.push_back(std::move(is_kept));
  out.push_back(std::move(score));
  return make_table(std::move(out));
}

nb::bytes kept_mask(const Corpus& corpus, const DedupResult& result) {
  const std::uint32_t references = corpus.references();
  std::string out(corpus.size() - references, '\1');
  for (const Removal& removal : result.removed) out[removal.document - references] = '\0';
  return nb::bytes(out.data(), out.size());
}

nb::object annotations_table(const Corpus& corpus, const DedupResult& result,
                             const Clusters& clusters) {
  const std::vector<std::string> names = apps::annotation_names();
  Column cluster(names[0], Column::Kind::kInteger);
  IdColumn keeper(names[1]);
  Column score(names[2], Column::Kind::kNumber);
  Column is_kept(names[3], Column::Kind::kBoolean);
  const apps::Marks marks(result, clusters);
  for (std::uint32_t i = corpus.references(); i < corpus.size(); ++i) {
    check_signals(i);
    const apps::Marks::Mark mark = marks.of(i);
    is_kept.add(mark.is_kept);
    if (!mark.cluster) {
      cluster.add_null();
      keeper.add_null();
      score.add_null();
      continue;
    }
    cluster.add(static_cast<std::int64_t>(*mark.cluster) + 1);
    keeper.add(corpus.label(mark.keeper));
    score.add(mark.score);
  }
  Columns out;
  out.push_back(std::move(cluster));
  out.push_back(keeper.column(corpus.id_format(kWithReferences)));
  out.push_back(std::move(score));
  out.push_back(std::move(is_kept));
  return make_table(std::move(out));
}

nb::object pairs_table(
    const Corpus& corpus,
    const std::function<void(const std::function<void(const FoundPair&)>&)>& for_each,
    Measure measure) {
  LabelColumns a(corpus, "a_", kWithReferences), b(corpus, "b_");
  Column score("score", Column::Kind::kNumber);
  Column is_reference("a_is_reference", Column::Kind::kBoolean);
  ShareColumns shares("share_of_a", "share_of_b", measure == Measure::kContainment);
  for_each([&](const FoundPair& pair) {
    check_signals(score.size());
    a.add(pair.a);
    b.add(pair.b);
    is_reference.add(pair.a < corpus.references());
    score.add(pair.score);
    shares.add(pair.shares);
  });
  Columns out;
  a.append_to(out);
  if (corpus.references() > 0) out.push_back(std::move(is_reference));
  b.append_to(out);
  out.push_back(std::move(score));
  shares.append_to(out);
  return make_table(std::move(out));
}

struct PassageTable::Parts {
  Parts(const Corpus& corpus, const PassageRemoval* of)
      : removal(of), document(corpus, ""), first_document(corpus, "first_", kWithReferences) {}

  const PassageRemoval* removal;
  LabelColumns document, first_document;
  RunColumns place{""}, first_place{"first_"};
  Column score{"score", Column::Kind::kNumber}, cluster{"cluster", Column::Kind::kInteger};
  Column text{"text", Column::Kind::kText};
  Column left{"first_left", Column::Kind::kInteger};
};

PassageTable::PassageTable(const Corpus& corpus, const PassageRemoval* removal)
    : parts_(std::make_unique<Parts>(corpus, removal)) {}
PassageTable::~PassageTable() = default;

void PassageTable::add(const Passage& passage) {
  Parts& to = *parts_;
  to.document.add(passage.place.document);
  to.place.add(passage.place, passage.words);
  to.score.add(passage.score());
  to.cluster.add(static_cast<std::int64_t>(passage.cluster));
  to.first_document.add(passage.first.document);
  to.first_place.add(passage.first, passage.first_words);
  if (to.removal)
    to.left.add(
        static_cast<std::int64_t>(to.removal->words_left(passage.first, passage.first_words)));
  else
    to.text.add(std::string_view(valid_text(passage.text)));
}

nb::object PassageTable::take() {
  Columns out;
  parts_->document.append_to(out);
  parts_->place.append_to(out);
  out.push_back(std::move(parts_->score));
  out.push_back(std::move(parts_->cluster));
  parts_->first_document.append_to(out);
  parts_->first_place.append_to(out);
  out.push_back(std::move(parts_->removal ? parts_->left : parts_->text));
  return make_table(std::move(out));
}

struct CutTable::Parts {
  explicit Parts(const Corpus& corpus) : document(corpus, "") {}

  LabelColumns document;
  Column places[4] = {
      Column("begin", Column::Kind::kInteger), Column("end", Column::Kind::kInteger),
      Column("begin_char", Column::Kind::kInteger), Column("end_char", Column::Kind::kInteger)};
  Column words{"words", Column::Kind::kInteger};
  Column is_dropped{"is_dropped", Column::Kind::kBoolean};
  Column text{"text", Column::Kind::kText};
};

CutTable::CutTable(const Corpus& corpus) : parts_(std::make_unique<Parts>(corpus)) {}
CutTable::~CutTable() = default;

void CutTable::add(const DocumentCuts& document, std::string_view text) {
  Parts& to = *parts_;
  std::uint64_t at = 0, at_char = 0;
  const auto char_of = [&](std::uint64_t byte) {
    for (; at < byte; ++at) at_char += (static_cast<unsigned char>(text[at]) & 0xC0) != 0x80;
    return at_char;
  };
  const auto add_rest = [&](std::uint64_t words, std::string_view what) {
    to.document.add(document.document);
    to.words.add(static_cast<std::int64_t>(words));
    to.text.add(std::string_view(valid_text(what)));
  };
  for (const PassageCut& cut : document.cuts) {
    const std::uint64_t begin_char = char_of(cut.begin);
    const std::uint64_t values[] = {cut.begin, cut.end, begin_char, char_of(cut.end)};
    for (std::size_t i = 0; i < std::size(values); ++i)
      to.places[i].add(static_cast<std::int64_t>(values[i]));
    to.is_dropped.add(false);
    add_rest(cut.words, text.substr(cut.begin, cut.end - cut.begin));
  }
  if (!document.dropped) return;
  for (Column& place : to.places) place.add_null();
  to.is_dropped.add(true);
  add_rest(document.words_left, without_cuts(text, document.cuts));
}

nb::object CutTable::take() {
  Columns out;
  parts_->document.append_to(out);
  for (Column& place : parts_->places) out.push_back(std::move(place));
  for (Column* column : {&parts_->words, &parts_->is_dropped, &parts_->text})
    out.push_back(std::move(*column));
  return make_table(std::move(out));
}

void EditedTexts::add(const DocumentCuts& document, std::string_view text) {
  if (!document.dropped) text_.add(std::string_view(valid_text(without_cuts(text, document.cuts))));
}

nb::object EditedTexts::take() {
  Columns out;
  out.push_back(std::move(text_));
  return make_table(std::move(out));
}

nb::bytes kept_mask(const Corpus& corpus, const PassageRemoval& removal) {
  const std::uint32_t references = corpus.references();
  std::string out(corpus.size() - references, '\1');
  for (const DocumentCuts& document : removal.documents)
    if (document.dropped) out[document.document - references] = '\0';
  return nb::bytes(out.data(), out.size());
}

nb::bytes edited_mask(const Corpus& corpus, const PassageRemoval& removal) {
  std::uint32_t before = corpus.references();  // what is not in the mask
  std::string out(corpus.size() - before - removal.dropped, '\0');
  for (const DocumentCuts& document : removal.documents) {
    if (document.dropped)
      ++before;
    else if (!document.cuts.empty())
      out[document.document - before] = '\1';
  }
  return nb::bytes(out.data(), out.size());
}

std::vector<std::uint64_t> source_sizes(const Corpus& corpus, const DedupResult& result) {
  std::vector<std::uint64_t> out;
  for (const SourceCounts& source : count_sources(corpus, result)) out.push_back(source.documents);
  return out;
}

}  // namespace benzer::python
