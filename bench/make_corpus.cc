// Writes a corpus of JSON lines with planted near-duplicates, and the exact similarity of every
// pair that was planted.
//
//   make_corpus POOL OUT DOCUMENTS SEED [--bytes N | --median N] [--part K/N | --ids FILE]
//               [--truth FILE [--truth-of-one-in N]]
//
// Documents are sentences of POOL in random order, of lognormal length (median 2.5 KB, or that of
// --median; sigma 0.8).
// A fifth of them are near-duplicates of another one, at Jaccard similarities from 0.5 to 1: half
// by scattered replacement of words, a quarter by appending, a quarter by cutting. A document and
// its near-duplicates (a family in this program) are scattered over the whole file. With --bytes
// every document has that length and there are no near-duplicates. --part writes the K-th of N
// equal parts of the corpus, --ids only the documents whose ids are the lines of a file, and
// --truth-of-one-in the pairs of every N-th family.
//
// The same pool and seed give the same bytes on every machine, because the program uses only
// integers and +, -, *, / of doubles (compiled without contraction), and no mathematical library.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace {

// SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every machine.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double normal() {  // Irwin-Hall: the sum of twelve uniform numbers, the same on every machine
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += unit();
    return sum;
  }

 private:
  std::uint64_t state_;
};

double exponential(double x) {  // for |x| <= 5
  const double y = x / 64;
  double term = 1, sum = 1;
  for (int i = 1; i <= 12; ++i) sum += term *= y / i;
  for (int i = 0; i < 6; ++i) sum *= sum;
  return sum;
}

double fifth_root(double x) {  // for 0 < x <= 1, by Newton's method
  double r = 1;
  for (int i = 0; i < 60; ++i) r -= (r - x / (r * r * r * r)) / 5;
  return r;
}

// Words as they are in the text, with their punctuation; an empty one ends a paragraph.
using Words = std::vector<std::string_view>;

class Pool {
 public:
  explicit Pool(const char* path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error(std::string("cannot read the pool ") + path);
    text_.assign(std::istreambuf_iterator<char>(file), {});
    for (std::size_t at = 0; at < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', at), text_.size());
      sentences_.emplace_back(text_.data() + at, end - at);
      at = end + 1;
    }
    if (sentences_.size() < 1000)
      throw std::runtime_error("the pool has fewer than 1,000 sentences");
  }
  std::string_view sentence(Random& random) const {
    return sentences_[random.below(sentences_.size())];
  }
  std::string_view word(Random& random) const {
    const std::string_view from = sentence(random);
    const std::size_t at = random.below(from.size());
    const std::size_t begin = from.rfind(' ', at) + 1;  // npos + 1 is 0
    const std::size_t end = std::min(from.find(' ', begin), from.size());
    return end > begin ? from.substr(begin, end - begin) : from.substr(0, from.find(' '));
  }

 private:
  std::string text_;
  std::vector<std::string_view> sentences_;
};

void add_sentence(Words& words, std::string_view sentence) {
  while (!sentence.empty()) {
    const std::size_t end = std::min(sentence.find(' '), sentence.size());
    if (end > 0) words.push_back(sentence.substr(0, end));
    sentence.remove_prefix(std::min(end + 1, sentence.size()));
  }
}

Words make_original(const Pool& pool, Random& random, std::size_t length_bytes) {
  Words words;
  std::size_t bytes = 0;
  for (int in_paragraph = 0; bytes < length_bytes; ++in_paragraph) {
    const std::string_view sentence = pool.sentence(random);
    add_sentence(words, sentence);
    bytes += sentence.size() + 1;
    if (in_paragraph >= 3 && random.below(4) == 0 && bytes < length_bytes) {
      words.emplace_back();
      bytes += 1;
      in_paragraph = -1;
    }
  }
  return words;
}

// A near-duplicate whose similarity to the original is about `similarity`.
Words make_copy(const Pool& pool, Random& random, const Words& original, double similarity) {
  Words copy = original;
  const auto count = static_cast<double>(original.size());
  const std::uint64_t kind = random.below(4);
  if (kind < 2) {  // a 5-gram survives if none of its words was replaced
    const double lost = (1 - similarity) / (1 + similarity);
    const auto replaced = static_cast<std::size_t>(count * (1 - fifth_root(1 - lost)) + 0.5);
    for (std::size_t i = 0; i < std::max<std::size_t>(replaced, 1); ++i)
      copy[random.below(copy.size())] = pool.word(random);
  } else if (kind == 2) {
    const auto wanted =
        original.size() + static_cast<std::size_t>(count * (1 / similarity - 1) + 1);
    while (copy.size() < wanted) add_sentence(copy, pool.sentence(random));
    copy.resize(wanted);
  } else {
    const auto left = static_cast<std::size_t>(count * similarity);
    const std::size_t from = random.below(2) == 0 ? 0 : original.size() - left;
    copy.assign(original.begin() + from, original.begin() + from + std::max<std::size_t>(left, 1));
  }
  return copy;
}

std::string join(const Words& words) {
  std::string text;
  for (const std::string_view word : words) {
    if (word.empty()) {
      text += "\n\n";
      continue;
    }
    if (!text.empty() && text.back() != '\n') text += ' ';
    text += word;
  }
  return text;
}

// --- Exact similarity --------------------------------------------------------------------------

char lower_alnum(char c) {  // 0: not part of a word
  if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) return c;
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : '\0';
}

// A 5-gram of lower-cased ASCII words. Words are numbered within a family, so that five numbers fit
// into 128 bits without hashing, and the similarity is exact.
using Shingle = unsigned __int128;

class Shingler {
 public:
  std::vector<Shingle> shingles(const std::string& text) {
    std::vector<std::uint32_t> ids;
    std::string word;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      const char c = i < text.size() ? lower_alnum(text[i]) : '\0';
      if (c != '\0') {
        word += c;
      } else if (!word.empty()) {
        ids.push_back(numbers_.try_emplace(word, static_cast<std::uint32_t>(numbers_.size() + 1))
                          .first->second);
        word.clear();
      }
    }
    std::vector<Shingle> result;
    Shingle window = 0;
    const Shingle mask = (Shingle{1} << 125) - 1;  // 25 bits a word
    for (std::size_t i = 0; i < ids.size(); ++i) {
      window = (window << 25 | ids[i]) & mask;
      if (i >= 4 || i + 1 == ids.size()) result.push_back(window);  // a shorter text is one shingle
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
  }
  void forget() { numbers_.clear(); }

 private:
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

std::size_t common(const std::vector<Shingle>& a, const std::vector<Shingle>& b) {
  std::size_t n = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    n += a[i] == b[j];
    const bool step_a = a[i] <= b[j], step_b = b[j] <= a[i];
    i += step_a;
    j += step_b;
  }
  return n;
}

// --- The corpus --------------------------------------------------------------------------------

struct Plan {
  std::uint64_t seed;
  std::size_t fixed_bytes = 0;  // 0: lognormal, with near-duplicates
  double median_bytes = 2500;

  Random stream(std::uint32_t family, std::uint32_t member) const {
    Random mix(seed ^ (std::uint64_t{family} << 20 | member) * 0xd1342543de82ef95u);
    mix.next();
    return Random(mix.next());
  }

  // Member 0 is the original; every copy is made from it.
  std::string text(const Pool& pool, std::uint32_t family, std::uint32_t member) const {
    Random random = stream(family, 0);
    std::size_t bytes = fixed_bytes;
    if (bytes == 0)
      bytes = static_cast<std::size_t>(median_bytes * exponential(0.8 * random.normal()));
    const Words original = make_original(pool, random, std::max<std::size_t>(bytes, 60));
    if (fixed_bytes != 0) return join(original).substr(0, fixed_bytes);
    if (member == 0) return join(original);
    Random edits = stream(family, member);
    const double similarity = 0.5 + 0.5 * edits.unit();
    return join(make_copy(pool, edits, original, similarity));
  }
};

// Returns the number of members of each family. Of the families with copies, three quarters have
// one copy, and some have up to eight.
std::vector<std::uint32_t> family_sizes(std::uint32_t documents, std::uint64_t seed, bool copies) {
  if (!copies) return std::vector<std::uint32_t>(documents, 1);
  Random random(seed ^ 0x66616d696c696573u);
  std::vector<std::uint32_t> sizes;
  std::uint32_t left = documents, to_plant = documents / 5;
  while (left > 0) {
    std::uint32_t size = 1;
    if (to_plant > 0) {
      const std::uint64_t draw = random.below(20);
      size += draw < 15 ? 1 : draw < 18 ? 2 : static_cast<std::uint32_t>(3 + random.below(6));
      size = std::min({size, to_plant + 1, left});
      to_plant -= size - 1;
    }
    sizes.push_back(size);
    left -= size;
  }
  return sizes;
}

// Documents in their order. All ids have the same width, so that they sort by position.
struct Corpus {
  // A document is a member of a family; members of a family are numbered from 0.
  struct Membership {
    std::uint32_t family, member;
  };

  std::vector<Membership> documents;
  std::vector<std::uint32_t> places;  // of the members of one family after the other
  std::vector<std::uint32_t> first;   // of each family, in `places`; and the end

  std::span<const std::uint32_t> family(std::size_t f) const {
    return std::span(places).subspan(first[f], first[f + 1] - first[f]);
  }
  std::string id(std::uint32_t place) const {
    const int width = std::max(7, static_cast<int>(std::to_string(documents.size() - 1).size()));
    char text[32];
    std::snprintf(text, sizeof text, "d%0*u", width, place);
    return text;
  }
};

// Every member gets a random place.
Corpus arrange(std::uint32_t documents, std::uint64_t seed, bool copies) {
  Corpus corpus;
  corpus.places.resize(documents);
  std::iota(corpus.places.begin(), corpus.places.end(), 0u);
  Random shuffle(seed ^ 0x73687566666c6521u);
  for (std::uint32_t i = documents; i > 1; --i)
    std::swap(corpus.places[i - 1], corpus.places[shuffle.below(i)]);
  corpus.documents.resize(documents);
  corpus.first.push_back(0);
  for (const std::uint32_t size : family_sizes(documents, seed, copies)) {
    const auto family = static_cast<std::uint32_t>(corpus.first.size() - 1);
    const std::uint32_t begin = corpus.first.back();
    for (std::uint32_t m = 0; m < size; ++m)
      corpus.documents[corpus.places[begin + m]] = {family, m};
    corpus.first.push_back(begin + size);
  }
  return corpus;
}

void write_line(std::FILE* out, std::string& line, const std::string& id, const std::string& text) {
  line = "{\"id\":\"" + id + "\",\"text\":\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') line += '\\';
    if (c == '\n') {
      line += "\\n";
    } else {
      line += c;
    }
  }
  line += "\"}\n";
  if (std::fwrite(line.data(), 1, line.size(), out) != line.size())
    throw std::runtime_error("cannot write");
}

std::FILE* create(const char* path) {
  std::FILE* file = std::fopen(path, "wb");
  if (file == nullptr) throw std::runtime_error(std::string("cannot create ") + path);
  return file;
}

void finish(std::FILE* file) {
  if (std::fclose(file) != 0) throw std::runtime_error("cannot write");
}

void write_truth(const Pool& pool, const Plan& plan, const Corpus& corpus, std::size_t one_in,
                 const char* path) {
  std::FILE* out = create(path);
  Shingler shingler;
  for (std::uint32_t f = 0; f + 1 < corpus.first.size(); f += one_in) {
    const auto places = corpus.family(f);
    if (places.size() < 2) continue;
    shingler.forget();
    std::vector<std::vector<Shingle>> sets;
    for (std::uint32_t m = 0; m < places.size(); ++m)
      sets.push_back(shingler.shingles(plan.text(pool, f, m)));
    for (std::size_t i = 0; i < sets.size(); ++i) {
      for (std::size_t j = i + 1; j < sets.size(); ++j) {
        const std::size_t n = common(sets[i], sets[j]), all = sets[i].size() + sets[j].size() - n;
        std::fprintf(out, "%s\t%s\t%zu\t%zu\t%.6f\n",
                     corpus.id(std::min(places[i], places[j])).c_str(),
                     corpus.id(std::max(places[i], places[j])).c_str(), n, all,
                     static_cast<double>(n) / static_cast<double>(all));
      }
    }
  }
  finish(out);
}

std::vector<std::uint32_t> read_ids(const char* path, std::uint32_t documents) {
  std::ifstream file(path);
  std::vector<std::uint32_t> places;
  for (std::string id; file >> id;) {
    places.push_back(static_cast<std::uint32_t>(std::strtoul(id.c_str() + 1, nullptr, 10)));
    if (places.back() >= documents) throw std::runtime_error("there is no document " + id);
  }
  return places;
}

int run(int count, char** arguments) {
  if (count < 5)
    throw std::runtime_error(
        "usage: make_corpus POOL OUT DOCUMENTS SEED [--truth FILE [--truth-of-one-in N]] "
        "[--bytes N | --median N] [--part K/N | --ids FILE]");
  const auto documents = static_cast<std::uint32_t>(std::strtoul(arguments[3], nullptr, 10));
  Plan plan{std::strtoull(arguments[4], nullptr, 10)};
  const char *truth = nullptr, *ids = nullptr;
  std::size_t truth_of_one_in = 1;
  std::uint64_t part = 1, parts = 1;
  for (int i = 5; i + 1 < count; i += 2) {
    if (std::strcmp(arguments[i], "--truth") == 0) truth = arguments[i + 1];
    if (std::strcmp(arguments[i], "--truth-of-one-in") == 0)
      truth_of_one_in = std::max(1ul, std::strtoul(arguments[i + 1], nullptr, 10));
    if (std::strcmp(arguments[i], "--bytes") == 0)
      plan.fixed_bytes = std::strtoul(arguments[i + 1], nullptr, 10);
    if (std::strcmp(arguments[i], "--median") == 0)
      plan.median_bytes = std::strtod(arguments[i + 1], nullptr);
    if (std::strcmp(arguments[i], "--ids") == 0) ids = arguments[i + 1];
    if (std::strcmp(arguments[i], "--part") == 0) {
      char* end = nullptr;
      part = std::strtoul(arguments[i + 1], &end, 10);
      parts = *end == '/' ? std::strtoul(end + 1, nullptr, 10) : 0;
      if (part < 1 || part > parts) throw std::runtime_error("--part is K/N, with K from 1 to N");
    }
  }
  const Pool pool(arguments[1]);
  const Corpus corpus = arrange(documents, plan.seed, plan.fixed_bytes == 0);

  std::FILE* out = create(arguments[2]);
  std::string line;
  const auto write = [&](std::uint32_t place) {
    const auto [family, member] = corpus.documents[place];
    write_line(out, line, corpus.id(place), plan.text(pool, family, member));
  };
  if (ids != nullptr) {
    for (const std::uint32_t place : read_ids(ids, documents)) write(place);
  } else {
    const std::uint64_t end = documents * part / parts;
    for (std::uint64_t i = documents * (part - 1) / parts; i < end; ++i)
      write(static_cast<std::uint32_t>(i));
  }
  finish(out);
  if (truth != nullptr) write_truth(pool, plan, corpus, truth_of_one_in, truth);
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  try {
    return run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_corpus: %s\n", error.what());
    return 1;
  }
}
