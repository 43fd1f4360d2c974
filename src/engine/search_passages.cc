// Finds which passages of a text the documents of an index of containment have.
#include <algorithm>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/runtime.h"

#include "base/character_counter.h"
#include "base/parallel.h"
#include "engine/attributes.h"
#include "engine/hasher.h"
#include "engine/traced_field.h"
#include "engine/wanted_copies.h"
#include "engine/whole_index.h"
#include "features/config_text.h"
#include "store/sampled_keys.h"

namespace benzer {
namespace {

constexpr std::size_t kWholeText = std::numeric_limits<std::size_t>::max();
// Documents that are kept before the worst are discarded, however low the limit is.
constexpr std::size_t kMostKept = 1024;

// The words of a shingle, if runs of them are passages; else 0.
std::size_t words_of_shingle(const FeatureSpec& spec) {
  const TextFeatures* const text = spec.text();
  if (!text || text->bag ||
      (text->kind != TextFeatures::Kind::kWords &&
       text->kind != TextFeatures::Kind::kDictionaryWords))
    return 0;
  return static_cast<std::size_t>(text->shingle);
}

void check_passages(const Schema& schema, const SharedPassagesOptions& options) {
  if (!schema.keys)
    throw Error(ErrorCode::kInvalidArgument,
                "passages are found by the keys of an index of containment, and this one has bands",
                "make it with " + Parameter{"measure", "containment"});
  std::size_t longest = 0;
  for (const FieldSpec& field : schema.fields)
    longest = std::max(longest, words_of_shingle(field.features));
  if (longest == 0)
    throw Error(ErrorCode::kInvalidArgument,
                "passages are runs of words, and no field of the index has the features text:wordN "
                "or text:wordsN: " +
                    schema.str());
  if (options.min_words < longest)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("min_words"),
                fmt::format("passages of {} words are shorter than the shingles of the index",
                            options.min_words),
                fmt::format("ask for {} or more", longest));
}

// The shingles [first, end) of a field of the query.
struct Run {
  std::size_t field;  // its place in Query::fields_
  std::size_t first, end;
};

// A document with its runs, and how many words of the query these have.
struct Found {
  DocumentNumber document;
  std::uint64_t words;
  std::shared_ptr<const std::vector<Run>> runs;  // of its copies, too
};

// One document whose passages are looked for.
class Query {
 public:
  Query(const Hasher& hasher, const AttributeFilter& filter, const Document& document,
        const SharedPassagesOptions& options)
      : filter_(filter), id_(document.id), options_(options) {
    for (const Field& field : document.fields) {
      throw_if_stopped(options.stop);
      const std::size_t number = *hasher.schema().find(field.name);
      const std::size_t shingle = words_of_shingle(hasher.extractor(number).spec());
      if (shingle == 0) continue;
      try {
        hasher.extractor(number).check_can_be_traced(field.text);
      } catch (const Error& error) {
        problem_ = error.what();
        return;
      }
      TracedField traced = trace_field(hasher.extractor(number), field, kWholeText);
      if (traced.is_short || traced.pieces.size() + shingle - 1 < options.min_words) continue;
      fields_.push_back(
          {field.name, static_cast<std::uint32_t>(number), shingle, std::move(traced)});
    }
  }

  // Returns why the document cannot be asked about, as a sentence; empty if it can.
  const std::string& problem() const noexcept { return problem_; }

  std::vector<PassageMatch> run(StoreReader& reader, SimilarCounts& counts) {
    ++counts.queries;
    for (const DocumentNumber document : candidates(reader)) {
      throw_if_stopped(options_.stop);
      ++counts.candidates;
      look_at(reader, document, counts);
    }
    std::vector<PassageMatch> out = best(reader);
    reader.throw_if_unreadable();
    return out;
  }

 private:
  struct TracedText {
    std::string name;
    std::uint32_t number;
    std::size_t shingle;  // words
    TracedField traced;
  };

  // The originals that share a key with a field.
  std::vector<DocumentNumber> candidates(StoreReader& reader) const {
    std::vector<DocumentNumber> out;
    std::vector<FieldHashes> keys;
    for (const TracedText& field : fields_) {
      std::vector<std::uint64_t> features;
      for (const TracedField::Piece& piece : field.traced.pieces) features.push_back(piece.feature);
      keys.push_back({field.number, {}, query_keys(features), {}});
    }
    std::vector<const FieldHashes*> asked;
    for (const FieldHashes& field : keys) asked.push_back(&field);
    std::vector<std::vector<DocumentNumber>> found(asked.size());
    reader.get_ids(asked, found);
    for (const std::vector<DocumentNumber>& of_field : found)
      out.insert(out.end(), of_field.begin(), of_field.end());
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    reader.prefetch(out);
    return out;
  }

  void look_at(StoreReader& reader, DocumentNumber original, SimilarCounts& counts) {
    std::vector<DocumentNumber> wanted;
    const auto want = [&](DocumentNumber document) {
      throw_if_stopped(options_.stop);
      if (reader.id(document) != id_) wanted.push_back(document);
    };
    if (filter_.passes(reader, original)) want(original);
    for_each_wanted_copy(reader, filter_, original, options_.limit, options_.stop, want);
    if (wanted.empty()) return;
    ++counts.compared;
    auto runs = std::make_shared<std::vector<Run>>();
    std::uint64_t words = 0;
    for (std::size_t field = 0; field < fields_.size(); ++field)
      words += add_runs(reader.features(original, fields_[field].number), field, *runs);
    if (runs->empty()) return;
    counts.similar += filter_.is_needed()
                          ? wanted.size()
                          : count_others(reader, original, reader.count_copies(original), id_);
    for (const DocumentNumber document : wanted) found_.push_back({document, words, runs});
    if (found_.size() / 2 > std::max(options_.limit, kMostKept)) keep_best(reader);
  }

  // Adds the runs of a field that has these features in the document, and returns their words.
  std::uint64_t add_runs(std::span<const std::uint64_t> features, std::size_t number,
                         std::vector<Run>& out) {
    if (features.empty()) return 0;
    const TracedText& field = fields_[number];
    const std::vector<TracedField::Piece>& pieces = field.traced.pieces;
    lookup_.load(features);
    std::uint64_t words = 0;
    std::size_t counted = 0;  // words of the field before this one are counted
    for (std::size_t first = 0; first < pieces.size(); ++first) {
      std::size_t end = first;
      while (end < pieces.size() && lookup_.contains(pieces[end].feature)) ++end;
      const std::size_t last_word = end + field.shingle - 1;
      if (end > first && last_word - first >= options_.min_words) {
        out.push_back({number, first, end});
        words += last_word - std::max(first, counted);
        counted = last_word;
      }
      first = end;
    }
    return words;
  }

  void keep_best(StoreReader& reader) {
    const auto before = [&](const Found& x, const Found& y) {
      return x.words != y.words ? x.words > y.words : reader.id(x.document) < reader.id(y.document);
    };
    const std::size_t count = std::min(options_.limit, found_.size());
    std::partial_sort(found_.begin(), found_.begin() + static_cast<std::ptrdiff_t>(count),
                      found_.end(), before);
    found_.resize(count);
  }

  std::vector<PassageMatch> best(StoreReader& reader) {
    keep_best(reader);
    std::vector<PassageMatch> out;
    std::vector<CharacterCounter> characters;  // by field
    if (!found_.empty())
      for (const TracedText& field : fields_) characters.emplace_back(field.traced.text);
    for (const Found& found : found_) {
      PassageMatch& match = out.emplace_back();
      match.id = reader.id(found.document);
      match.words = found.words;
      match.attributes = filter_.codec().decode(reader.attributes(found.document));
      for (const Run& run : *found.runs)
        match.passages.push_back(passage_of(run, characters[run.field]));
    }
    return out;
  }

  QueryPassage passage_of(const Run& run, const CharacterCounter& characters) const {
    const TracedText& field = fields_[run.field];
    QueryPassage out{.field = field.name};
    out.begin = field.traced.pieces[run.first].begin;
    out.end = field.traced.pieces[run.end - 1].end;
    out.begin_char = characters.before(out.begin);
    out.end_char = characters.before(out.end);
    out.text = field.traced.text.substr(out.begin, out.end - out.begin);
    out.words = run.end - run.first + field.shingle - 1;
    return out;
  }

  const AttributeFilter& filter_;
  const std::string& id_;
  const SharedPassagesOptions& options_;
  std::string problem_;
  std::vector<TracedText> fields_;
  OverlapCounter lookup_;
  std::vector<Found> found_;
};

}  // namespace

std::vector<std::vector<PassageMatch>> Index::find_shared_passages(
    const std::vector<Document>& documents, const SharedPassagesOptions& options,
    int threads) const {
  check_passages(schema(), options);
  const Hasher& hasher = WholeIndex::hasher(*this);
  const AttributeFilter filter(schema(), options.where);
  QueryProblems problems(documents.size(), options.problem);
  hasher.check_queries(documents, problems);
  std::vector<std::vector<PassageMatch>> out(documents.size());
  std::mutex adding;
  parallel_for(resolve_threads(threads), documents.size(), 1,
               [&](std::size_t begin, std::size_t end) {
                 const auto reader = WholeIndex::reader(*this, options.stop);
                 SimilarCounts counts;
                 for (std::size_t i = begin; i < end; ++i) {
                   if (problems.has(i)) continue;
                   Query query(hasher, filter, documents[i], options);
                   if (query.problem().empty())
                     out[i] = query.run(*reader, counts);
                   else
                     problems.add(i, ErrorCode::kInvalidArgument, query.problem());
                 }
                 if (!options.counts) return;
                 const std::lock_guard lock(adding);
                 *options.counts += counts;
               });
  problems.tell_all();
  return out;
}

}  // namespace benzer
