// Times parts of an index that the command line cannot time.
//
//   index_speed parts CORPUS KNOWN NEW          the index part alone, in memory: hashes are ready
//   index_speed memory CORPUS KNOWN NEW [threads|callers N]
//                                               text in, similar documents out, in memory
//   index_speed query STORE KNOWN NEW           a store on disk: each query alone, twice
//   index_speed open STORE KNOWN                a store on disk: until it answers
//   index_speed load STORE CORPUS               a new store on disk: each call of 1,024 documents
//   index_speed server STORE QUERIES BATCH      a store on a server: each query once, BATCH a call
//   index_speed attributes STORE CORPUS         a new store on disk, - for memory: queries with and
//                                               without conditions on attributes
//   index_speed found STORE TOKENS OUT          a new store on a server: which pairs are similar
//   index_speed judge TOKENS [PAIRS]            which similar pairs are found: by an index, or as
//                                               PAIRS says (two numbers a line)
//
// CORPUS has the documents to add, KNOWN has queries that are documents of it, under other ids, and
// NEW has other queries: JSON lines with "id" and "text". TOKENS has "values" instead of the text.
// Only a piece of the corpus is in memory at a time, so the process's memory is that of the index.
// Prints one JSON object, with times in microseconds: the median of several passes, between which
// the caches are filled with other data.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include "benzer/index.h"
#include "benzer/similarity.h"

#include "engine/hasher.h"
#include "engine/search.h"
#include "speed_program.h"
#include "store/memory/memory_store.h"

namespace {

using namespace benzer;  // this program uses internals of the library
using namespace benzer::bench;

constexpr std::size_t kPiece = 1024;  // documents that an index takes at a time
constexpr int kPasses = 5;

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Evicts the index from the CPU caches, by filling them with other data.
class Eviction {
 public:
  Eviction() : bytes_(std::size_t{128} << 20, 1) {}
  void run() {
    for (std::size_t at = 0; at < bytes_.size(); at += 64) ++bytes_[at];
  }

 private:
  std::vector<unsigned char> bytes_;
};

// Times ask(begin, end), which returns the number of matches, for all queries in pieces. The answer
// is in microseconds of CPU a query.
template <class Ask>
void time_batches(Answer& answer, const std::string& name, std::size_t count, Eviction& eviction,
                  Ask ask) {
  std::vector<double> micros;
  std::size_t matches = 0;
  for (int pass = 0; pass < kPasses; ++pass) {
    eviction.run();
    matches = 0;
    const double started = cpu();
    for (std::size_t begin = 0; begin < count; begin += kPiece)
      matches += ask(begin, std::min(count, begin + kPiece));
    micros.push_back((cpu() - started) / static_cast<double>(count) * 1e6);
  }
  answer.add(name, quantile(micros, 0.5));
  answer.add(name + "_matches", static_cast<double>(matches) / static_cast<double>(count));
}

void measure_parts(const char* corpus, const char* known, const char* unknown) {
  const Schema schema = Schema::parse(kTexts).completed();
  const Hasher hasher(schema);
  Hasher::Scratch scratch;
  const auto hash = [&](const std::vector<Document>& documents, std::vector<DocumentHashes>& out) {
    out.resize(documents.size());
    for (std::size_t i = 0; i < out.size(); ++i) hasher.hash(documents[i], scratch, out[i]);
  };
  std::vector<std::pair<std::string, std::vector<DocumentHashes>>> asked(2);
  asked[0].first = "known";
  hash(queries(known), asked[0].second);
  asked[1].first = "new";
  hash(queries(unknown), asked[1].second);
  Eviction eviction;

  MemoryStore store(hasher.layout());
  Lines lines(corpus, kText);
  std::vector<Document> documents;
  std::vector<DocumentHashes> hashes;
  double hashing = 0, inserting = 0;
  std::size_t count = 0;
  while (lines.next(documents, kPiece)) {
    const double begin = cpu();
    hash(documents, hashes);
    const double hashed = cpu();
    const auto writer = store.writer();
    for (const DocumentHashes& document : hashes) writer->add_hashes(document);
    writer->commit();
    inserting += cpu() - hashed;
    hashing += hashed - begin;
    count += hashes.size();
  }
  Answer answer;
  const double each = 1e6 / static_cast<double>(count);
  answer.add("documents", static_cast<double>(count));
  answer.add("hash", hashing * each).add("insert", inserting * each);
  for (const auto& [name, of] : asked) {
    const auto ask = [&, &of = of](std::size_t begin, std::size_t end) {
      const Search search(schema, {});
      const auto reader = store.reader();
      SimilarCounts counts;
      std::size_t matches = 0;
      for (const auto& list :
           search.run(*reader, std::span(of).subspan(begin, end - begin), counts))
        matches += list.size();
      return matches;
    };
    time_batches(answer, "batch_" + name, of.size(), eviction, ask);
    eviction.run();
    time_each(answer, "alone_" + name, of.size(), [&](std::size_t i) { return ask(i, i + 1); });
  }
  answer.print();
}

void measure_memory(const char* corpus, const char* known, const char* unknown,
                    const std::string& how, int threads) {
  Index index = Index::in_memory(Schema::parse(kTexts));
  const std::vector<std::pair<std::string, std::vector<Document>>> asked = {
      {"known", queries(known)}, {"new", queries(unknown)}};
  Eviction eviction;
  Lines lines(corpus, kText);
  std::vector<Document> documents;
  const int callers = how == "callers" ? threads : 1;
  const int inside = how == "callers" ? 1 : threads;
  double spent = 0, used = 0;
  const std::uint64_t before = resident_bytes();
  while (lines.next(documents, 8 * kPiece)) {
    std::vector<std::vector<Document>> shares(static_cast<std::size_t>(callers));
    for (std::size_t i = 0; i < documents.size(); ++i)
      shares[i * shares.size() / documents.size()].push_back(std::move(documents[i]));
    const double started = wall(), cpu_started = process_cpu();
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < shares.size(); ++i)
      others.emplace_back([&, i] { index.index_documents(shares[i], inside); });
    index.index_documents(shares[0], inside);
    for (std::thread& other : others) other.join();
    spent += wall() - started;
    used += process_cpu() - cpu_started;
  }
  Answer answer;
  const IndexStats stats = index.stats();
  const auto count = static_cast<double>(stats.documents);
  answer.add("documents", count).add("wall", spent / count * 1e6).add("cpu", used / count * 1e6);
  answer.add("tables", static_cast<double>(stats.table_bytes) / count);
  answer.add("keys", static_cast<double>(stats.key_bytes) / count);
  answer.add("cuts", static_cast<double>(stats.cut_bytes) / count);
  answer.add("features", static_cast<double>(stats.feature_bytes) / count);
  answer.add("ids", static_cast<double>(stats.id_bytes) / count);
  answer.add("resident", static_cast<double>(resident_bytes() - before) / count);
  for (const auto& [name, of] : asked) {
    std::vector<double> micros, cpu_micros;
    for (int pass = 0; pass < kPasses; ++pass) {
      eviction.run();
      const double started = wall(), cpu_started = process_cpu();
      index.find_similar_documents(of, {}, threads);
      cpu_micros.push_back((process_cpu() - cpu_started) / static_cast<double>(of.size()) * 1e6);
      micros.push_back((wall() - started) / static_cast<double>(of.size()) * 1e6);
    }
    answer.add("batch_cpu_" + name, quantile(cpu_micros, 0.5));
    answer.add("batch_" + name, quantile(micros, 0.5));
    eviction.run();
    time_each(answer, "alone_" + name, of.size(),
              [&, &of = of](std::size_t i) { return index.find_similar_documents(of[i]).size(); });
  }
  answer.print();
}

void measure_query(const char* store, const char* known, const char* unknown) {
  OpenOptions options;
  options.read_only = true;
  const Index index = Index::open(store, options);
  Eviction eviction;
  Answer answer;
  answer.add("documents", static_cast<double>(index.size()));
  answer.add("segments", static_cast<double>(index.stats().segments));
  const std::vector<std::pair<std::string, std::vector<Document>>> asked = {
      {"known", queries(known)}, {"new", queries(unknown)}};
  for (const std::string suffix : {"_first", ""}) {
    for (const auto& [name, of] : asked) {
      time_each(answer, name + suffix, of.size(), [&, &of = of](std::size_t i) {
        return index.find_similar_documents(of[i]).size();
      });
      eviction.run();
    }
  }
  answer.print();
}

void measure_server(const char* store, const char* asked, std::size_t batch) {
  OpenOptions options;
  options.read_only = true;
  const Index index = Index::open(store, options);
  std::vector<std::vector<Document>> calls;
  std::vector<Document> documents = queries(asked);
  for (std::size_t i = 0; i < documents.size(); ++i) {
    if (i % batch == 0) calls.emplace_back();
    calls.back().push_back(std::move(documents[i]));
  }
  index.find_similar_documents(calls.back());  // connects
  Answer answer;
  const double started = wall(), cpu_started = process_cpu();
  std::size_t matches = 0;
  time_each(answer, "call", calls.size(), [&](std::size_t i) {
    for (const auto& list : index.find_similar_documents(calls[i])) matches += list.size();
    return calls[i].size();
  });
  const auto count = static_cast<double>(documents.size());
  answer.add("queries", count).add("per_second", count / (wall() - started));
  answer.add("cpu", (process_cpu() - cpu_started) / count * 1e6);
  answer.add("matches", static_cast<double>(matches) / count);
  answer.print();
}

void measure_open(const char* store, const char* known) {
  const std::vector<Document> asked = queries(known);
  const double started = wall();
  Index index = Index::open(store);
  const double opened = wall();
  index.find_similar_documents(asked[0]);
  Answer answer;
  answer.add("open_ms", (opened - started) * 1e3).add("answer_ms", (wall() - opened) * 1e3);
  answer.add("documents", static_cast<double>(index.size()));
  answer.add("torn_bytes", static_cast<double>(index.stats().torn_bytes));
  answer.print();
}

void measure_load(const char* store, const char* corpus) {
  OpenOptions options;
  options.create_with = Schema::parse(kTexts);
  Index index = Index::open(store, options);
  Lines lines(corpus, kText);
  std::vector<Document> piece;
  std::vector<double> micros;
  while (lines.next(piece, kPiece)) {
    const double started = wall();
    index.index_documents(piece);
    micros.push_back((wall() - started) * 1e6);
  }
  Answer answer;
  for (const auto& [name, share] :
       {std::pair{"call_p50", 0.5}, {"call_p99", 0.99}, {"call_max", 1.0}})
    answer.add(name, quantile(micros, share));
  const IndexStats stats = index.stats();
  answer.add("documents", static_cast<double>(stats.documents));
  answer.add("segments", static_cast<double>(stats.segments));
  answer.add("merges", stats.upkeep ? static_cast<double>(stats.upkeep->merges) : 0);
  answer.print();
}

// Twenty versions of each document, so that a query finds many, of which a condition leaves few.
void measure_attributes(const std::string& store, const char* corpus) {
  constexpr int kVersions = 20, kParts = 1000;
  constexpr std::size_t kAsked = 2000;
  Schema schema = Schema::parse(kTexts);
  schema.attributes = {AttributeSpec::parse("part=number")};
  OpenOptions open;
  open.create_with = schema;
  Index index = store == "-" ? Index::in_memory(schema) : Index::open(store, open);
  Lines lines(corpus, kText);
  std::vector<Document> piece, versions, asked;
  int number = 0;
  while (lines.next(piece, kPiece)) {
    versions.clear();
    for (const Document& document : piece) {
      if (asked.size() < kAsked) asked.push_back({"", document.fields});
      for (int version = 0; version < kVersions; ++version) {
        Document& one = versions.emplace_back(document);
        one.id += "-" + std::to_string(version);
        one.fields[0].text += " version " + std::to_string(version);
        one.attributes = {{"part", std::to_string(number++ * 7919 % kParts)}};
      }
    }
    index.index_documents(versions);
  }
  index.close();
  const std::vector<std::pair<std::string, std::vector<Condition>>> kinds = {
      {"all", {}},
      {"half", {Condition::parse("part<500")}},
      {"one_in_1000", {Condition::parse("part=7")}}};
  std::map<std::string, std::vector<double>> micros;
  std::map<std::string, SimilarCounts> counts;
  Eviction eviction;
  for (int pass = 0; pass < kPasses; ++pass) {
    for (const auto& [name, conditions] : kinds) {
      eviction.run();
      counts[name] = {};
      const double started = process_cpu();
      index.find_similar_documents(asked, {.where = conditions, .counts = &counts[name]}, 1);
      micros[name].push_back((process_cpu() - started) / static_cast<double>(asked.size()) * 1e6);
    }
  }
  Answer answer;
  answer.add("documents", static_cast<double>(index.size()));
  for (const auto& [name, conditions] : kinds) {
    answer.add(name, quantile(micros[name], 0.5));
    answer.add(name + "_similar",
               static_cast<double>(counts[name].similar) / static_cast<double>(asked.size()));
  }
  answer.print();
}

using Pair = std::pair<std::uint32_t, std::uint32_t>;

std::vector<Pair> pairs_in(const char* path) {
  std::ifstream file(path);
  std::vector<Pair> out;
  for (std::uint32_t a = 0, b = 0; file >> a >> b;) out.push_back(std::minmax(a, b));
  return out;
}

// Adds the documents to an empty index, and returns the pairs that it finds.
std::vector<Pair> pairs_by_index(Index index, const std::vector<Document>& documents) {
  index.index_documents(documents);
  std::map<std::string, std::uint32_t> numbers;
  for (const Document& document : documents)
    numbers.emplace(document.id, static_cast<std::uint32_t>(numbers.size()));
  SimilarOptions options;
  options.limit = documents.size();
  const auto found = index.find_similar_documents(documents, options);
  std::vector<Pair> out;
  for (std::uint32_t a = 0; a < found.size(); ++a)
    for (const Match& match : found[a]) out.push_back(std::minmax(a, numbers.at(match.id)));
  return out;
}

void find_pairs(const char* store, const char* tokens, const char* out) {
  std::vector<Document> documents;
  Lines(tokens, kValues).next(documents, std::size_t{1} << 24);
  OpenOptions options;
  options.create_with = Schema::parse(kTokens);
  std::ofstream file(out);
  for (const auto& [a, b] : pairs_by_index(Index::open(store, options), documents))
    file << a << ' ' << b << '\n';
  Answer().add("documents", static_cast<double>(documents.size())).print();
}

// Judges by an exact join of the feature sets, which uses no sketches, bands or stores.
void judge(const char* tokens, const char* pairs) {
  std::vector<Document> documents;
  Lines(tokens, kValues).next(documents, std::size_t{1} << 24);
  const FeatureExtractor extractor(Schema::parse(kTokens).fields[0].features);
  FeatureBuffer buffer;
  std::vector<FeatureSet> sets;
  for (const Document& document : documents) {
    const std::vector<std::string>& values = document.fields[0].values;
    const std::vector<std::string_view> views(values.begin(), values.end());
    extractor.extract_values(views, buffer);
    sets.emplace_back(buffer.features());
  }
  std::map<Pair, double> truth;
  for (const SimilarSets& pair : exact_join(sets, Threshold::parse("0.8"), 1))
    truth[{pair.a, pair.b}] = pair.overlap.jaccard();

  std::vector<Pair> found =
      pairs ? pairs_in(pairs) : pairs_by_index(Index::in_memory(Schema::parse(kTokens)), documents);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  double all = 0, right = 0, near = 0, near_right = 0;
  for (const auto& [pair, jaccard] : truth) {
    const bool is_found = std::binary_search(found.begin(), found.end(), pair);
    ++all;
    right += is_found;
    near += jaccard < 0.82;
    near_right += jaccard < 0.82 && is_found;
  }
  Answer answer;
  answer.add("documents", static_cast<double>(documents.size()));
  answer.add("pairs", all).add("recall", right / all);
  answer.add("near_pairs", near).add("near_recall", near_right / near);
  answer.add("found", static_cast<double>(found.size()));
  answer.add("precision", right / static_cast<double>(found.size()));
  answer.print();
}

int run(const std::vector<std::string>& words) {
  const auto word = [&](std::size_t i) { return words[i].c_str(); };
  const std::string& what = words.empty() ? "" : words[0];
  if (what == "parts" && words.size() == 4) {
    measure_parts(word(1), word(2), word(3));
  } else if (what == "memory" && (words.size() == 4 || words.size() == 6)) {
    const bool is_given = words.size() == 6;
    measure_memory(word(1), word(2), word(3), is_given ? words[4] : "threads",
                   is_given ? std::stoi(words[5]) : 1);
  } else if (what == "query" && words.size() == 4) {
    measure_query(word(1), word(2), word(3));
  } else if (what == "open" && words.size() == 3) {
    measure_open(word(1), word(2));
  } else if (what == "load" && words.size() == 3) {
    measure_load(word(1), word(2));
  } else if (what == "server" && words.size() == 4) {
    measure_server(word(1), word(2), std::stoul(words[3]));
  } else if (what == "attributes" && words.size() == 3) {
    measure_attributes(words[1], word(2));
  } else if (what == "found" && words.size() == 4) {
    find_pairs(word(1), word(2), word(3));
  } else if (what == "judge" && (words.size() == 2 || words.size() == 3)) {
    judge(word(1), words.size() == 3 ? word(2) : nullptr);
  } else {
    std::fputs("usage: see the head of bench/index_speed.cc\n", stderr);
    return 2;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run({arguments + 1, arguments + count});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "index_speed: %s\n", error.what());
    return 1;
  }
}
