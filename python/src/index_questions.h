// Asks an index about documents of Python: one, a list, or those of tables.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>

#include "benzer/arrow.h"
#include "benzer/index.h"

#include "background.h"
#include "documents.h"
#include "sources.h"

namespace benzer::python {

// Whether hashing it may take longer than somebody likes to wait.
inline bool is_large(const Document& document) {
  constexpr std::size_t kLarge = std::size_t{1} << 18;  // bytes, a few milliseconds
  std::size_t bytes = 0;
  for (const Field& field : document.fields) {
    bytes += field.text.size() + (field.file.empty() ? 0 : kLarge);
    for (const std::string& value : field.values) bytes += value.size();
  }
  return bytes >= kLarge;
}

// Ctrl-C ends an answer that may take long: with a floor all documents are looked at. Others take
// less time than it takes to start a thread for them.
template <class Ask>
auto answer(SimilarOptions options, bool is_long, const Ask& ask) {
  if (!options.floor && !is_long) {
    nanobind::gil_scoped_release release;
    return ask(options);
  }
  decltype(ask(options)) out;
  run_stoppable([&](const std::atomic<bool>* stop) {
    options.stop = stop;
    out = ask(options);
  });
  return out;
}

inline ArrowOptions table_options(nanobind::list sources, std::vector<InputField> fields,
                                  const std::string& id_field) {
  ArrowOptions out;
  out.inputs = arrow_inputs(sources);
  out.fields = std::move(fields);
  out.id_field = id_field;
  return out;
}

// Asks about many documents. ask(documents, options) answers for each. begin: the place of the
// first document among those of the user, for messages.
template <class Options, class Ask>
auto ask_many(const Index& index, nanobind::list documents, std::uint64_t begin, Options options,
              const Ask& ask) {
  const std::vector<Document> queries = queries_of(documents, index.schema(), begin);
  options.problem = problem_at(begin);
  decltype(ask(queries, options)) found;
  run_stoppable([&](const std::atomic<bool>* stop) {
    options.stop = stop;
    found = ask(queries, options);
  });
  return found;
}

// The same for the documents of tables.
template <class Options, class Ask>
auto ask_table(const Index& index, nanobind::list sources, const std::string& id_field,
               Options options, int threads, const Ask& ask) {
  ArrowCorpus corpus(table_options(sources, query_fields(index.schema()), id_field));
  decltype(ask(std::vector<Document>(), options)) found;
  run_stoppable([&](const std::atomic<bool>* stop) {
    options.stop = stop;
    read_documents(corpus, index.schema(), threads, [&](std::vector<Document>& batch) {
      options.problem = problem_at(found.size());
      for (auto& one : ask(batch, options)) found.push_back(std::move(one));
    });
  });
  return found;
}

inline auto finds_similar(const Index& index, int threads) {
  return [&index, threads](const std::vector<Document>& queries, const SimilarOptions& options) {
    return index.find_similar_documents(queries, options, threads);
  };
}

inline auto finds_passages(const Index& index, int threads) {
  return [&index, threads](const std::vector<Document>& queries,
                           const SharedPassagesOptions& options) {
    return index.find_shared_passages(queries, options, threads);
  };
}

}  // namespace benzer::python
