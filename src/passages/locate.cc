#include "passages/locate.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/character_counter.h"
#include "base/pipeline.h"
#include "base/pool.h"

namespace benzer {
namespace {

// So many documents are read at a time by one thread.
constexpr std::size_t kDocumentsAtATime = 64;
constexpr std::size_t kRunsAtATime = 4096;
// Memory that a byte of text takes while its words are located: every other one begins a word.
constexpr std::uint64_t kBytesPerByte = 10;

// A run of words by their numbers in a document.
struct WordRun {
  std::uint32_t document = 0;
  std::uint64_t first_word = 0, words = 0;
  friend bool operator==(const WordRun&, const WordRun&) = default;
};

// A run that is asked for, and what belongs to it.
template <class Extra>
struct Asked {
  WordRun run;
  Extra extra;
};

// A document that has been read, and how many words it has.
struct ReadText {
  std::string text;
  std::uint64_t words = 0;
};

// The runs that one thread locates at a time, and its results.
template <class Extra>
struct Piece {
  std::vector<Asked<Extra>> asked;
  std::vector<TextRun> places;
  std::vector<ReadText> texts;  // of each document
};

// The cluster of a run: its number, and how many runs it has.
struct Cluster {
  std::uint64_t number = 0, size = 0;
};

// The located first place of a run, its length, and its cluster.
struct LocatedFirst {
  TextRun place;
  std::uint64_t words = 0;
  Cluster cluster;
};

// A run that is reported.
struct ReportedRun {
  WordRun run;
  std::uint64_t equal = 0;
};

// The first place of a run, in the order of these places.
struct FirstPlace {
  WordPlace first;
  std::uint64_t words;
  std::uint64_t number;  // of the run
  friend auto operator<=>(const FirstPlace&, const FirstPlace&) = default;
};

// A run that is reported, or its first place, in the order of the runs.
template <class T>
struct Numbered {
  std::uint64_t number;
  T value;
  friend bool operator<(const Numbered& x, const Numbered& y) noexcept {
    return x.number < y.number;
  }
};

// Finds the parts of places that are asked for in rising order.
class PartFinder {
 public:
  explicit PartFinder(const BigList<KeptPart>& parts) : cursor_(parts), next_(cursor_.next()) {}

  WordRun locate(WordPlace place, std::uint64_t words) {
    for (; next_ != nullptr && next_->begin <= place; next_ = cursor_.next()) part_ = *next_;
    return {part_.document, part_.first_word + (place - part_.begin), words};
  }

 private:
  BigList<KeptPart>::Cursor cursor_;
  const KeptPart* next_;
  KeptPart part_{};
};

// Knows the places of the words of one document.
class LocatedWords {
 public:
  LocatedWords(const FeatureExtractor& extractor, std::string_view text)
      : text_(extractor.readable(text)), words_(extractor.word_places(text_)), characters_(text_) {}

  TextRun locate(const WordRun& run) const {
    TextRun out;
    out.document = run.document;
    out.first_word = run.first_word;
    out.begin = words_.at(run.first_word).begin;
    out.end = words_.at(run.first_word + run.words - 1).end;
    out.begin_char = characters_.before(out.begin);
    out.end_char = characters_.before(out.end);
    return out;
  }
  ReadText take_text() { return {std::move(text_), words_.size()}; }

 private:
  std::string text_;
  std::vector<TextRange> words_;
  CharacterCounter characters_;
};

// Locates runs in parallel. next(Asked&) gives the next one, or returns false. They should come
// document by document, because each document is then read once. consume() receives them in the
// same order, with the text of their document if with_texts.
template <class Extra, class Next, class Consume>
void locate_in_order(const WordReading& reading, bool with_texts, Next next, Consume consume) {
  Pool<Corpus::Reader> readers;
  MemoryRoom room(reading.options.memory_limit);
  Asked<Extra> following;
  bool has_following = next(following);
  const auto produce = [&](Piece<Extra>& piece) {
    throw_if_stopped(reading.options.stop);
    piece.asked.clear();
    std::size_t documents = 0;
    // With a limit, one document at a time, so that few texts are in memory.
    const std::size_t most = with_texts && reading.workspace.limited() ? 1 : kDocumentsAtATime;
    while (has_following) {
      // A document is read once, unless very many runs have the same first place in it.
      const bool is_same_document =
          !piece.asked.empty() && piece.asked.back().run.document == following.run.document;
      if (piece.asked.size() >= kRunsAtATime &&
          (!is_same_document || piece.asked.back().run == following.run))
        break;
      if (!is_same_document && ++documents > most) break;
      piece.asked.push_back(following);
      has_following = next(following);
    }
    return !piece.asked.empty();
  };
  const auto work = [&](Piece<Extra>& piece) {
    piece.places.clear();
    piece.texts.clear();
    std::unique_ptr<Corpus::Reader> reader = readers.take([&] { return reading.corpus.reader(); });
    for (std::size_t i = 0; i < piece.asked.size();) {
      const std::uint32_t document = piece.asked[i].run.document;
      const DocumentView view = reader->read(document);
      const MemoryRoom::Part part = room.take(kBytesPerByte * view.bytes);
      LocatedWords words(reading.extractor, view.text);
      for (; i < piece.asked.size() && piece.asked[i].run.document == document; ++i) {
        const bool is_same = i > 0 && piece.asked[i].run == piece.asked[i - 1].run;
        piece.places.push_back(is_same ? piece.places.back() : words.locate(piece.asked[i].run));
      }
      if (with_texts) piece.texts.push_back(words.take_text());
    }
    readers.give(std::move(reader));
  };
  ordered_pipeline<Piece<Extra>>(reading.threads, produce, work, [&](Piece<Extra>& piece) {
    const ReadText none;
    auto text = piece.texts.begin();
    for (std::size_t i = 0; i < piece.asked.size(); ++i) {
      const bool is_next = i > 0 && piece.places[i].document != piece.places[i - 1].document;
      if (with_texts && is_next) ++text;
      consume(piece.asked[i], piece.places[i], with_texts ? *text : none);
    }
    piece.texts.clear();
  });
}

}  // namespace

void locate_passages(const WordReading& reading, const BigList<KeptPart>& parts,
                     const BigList<EarlierRun>& runs, PassageCounts& counts,
                     const std::function<void(const Passage&)>& sink) {
  const Workspace& workspace = reading.workspace;
  const std::uint32_t references = reading.corpus.references();
  std::vector<bool> needed(reading.corpus.size());

  // Drops the runs that are inside another one, and those of references.
  Sorter<Numbered<ReportedRun>> reported_sorter(workspace, workspace.share(16));
  Sorter<FirstPlace> first_sorter(workspace, workspace.share(16));
  WordPlace end = 0;
  std::uint32_t document = references;
  PartFinder places(parts);
  runs.for_each([&](const EarlierRun& run) {
    const WordPlace run_end = run.place + run.words;
    if (run_end <= end) return;
    const WordPlace begin = std::max(run.place, std::exchange(end, run_end));
    const WordRun place = places.locate(run.place, run.words);
    if (place.document < references) return;
    counts.documents_with += counts.passages == 0 || document != place.document;
    counts.shared_words += run_end - begin;
    document = place.document;
    needed[document] = true;
    reported_sorter.add({counts.passages, {place, run.equal}});
    first_sorter.add({run.first, run.first_words, counts.passages++});
  });
  const BigList<Numbered<ReportedRun>> reported = reported_sorter.finish();
  const BigList<FirstPlace> firsts = first_sorter.finish();

  PartFinder parts_of_firsts(parts);
  firsts.for_each([&](const FirstPlace& each) {
    needed[parts_of_firsts.locate(each.first, each.words).document] = true;
  });
  std::vector<std::uint32_t> documents;
  for (std::uint32_t i = 0; i < needed.size(); ++i)
    if (needed[i]) documents.push_back(i);
  reading.corpus.prepare(documents);

  // Equal first places of equal length follow each other, and are one cluster. A second cursor
  // counts them.
  struct NumberedCluster {
    std::uint64_t number;  // of the run
    Cluster cluster;
  };
  Sorter<Numbered<LocatedFirst>> located_sorter(workspace, workspace.share(8));
  BigList<FirstPlace>::Cursor first_cursor(firsts), counting_cursor(firsts);
  const FirstPlace* counted = counting_cursor.next();
  PartFinder parts_to_read(parts);
  FirstPlace before{};
  Cluster cluster;
  const auto is_in_cluster = [&](const FirstPlace& each) {
    return each.first == before.first && each.words == before.words;
  };
  locate_in_order<NumberedCluster>(
      reading, false,
      [&](Asked<NumberedCluster>& asked) {
        const FirstPlace* next = first_cursor.next();
        if (next == nullptr) return false;
        if (!is_in_cluster(*next)) {
          before = *next;
          cluster = {++counts.clusters, 0};
          for (; counted != nullptr && is_in_cluster(*counted); counted = counting_cursor.next())
            ++cluster.size;
        }
        asked.run = parts_to_read.locate(next->first, next->words);
        asked.extra = {next->number, cluster};
        return true;
      },
      [&](const Asked<NumberedCluster>& asked, const TextRun& place, const ReadText&) {
        located_sorter.add({asked.extra.number, {place, asked.run.words, asked.extra.cluster}});
      });

  const BigList<Numbered<LocatedFirst>> located = located_sorter.finish();
  BigList<Numbered<LocatedFirst>>::Cursor located_cursor(located);
  BigList<Numbered<ReportedRun>>::Cursor reported_cursor(reported);
  std::uint64_t done = 0;
  struct ReportedPair {
    LocatedFirst first;
    std::uint64_t equal;
  };
  locate_in_order<ReportedPair>(
      reading, true,
      [&](Asked<ReportedPair>& asked) {
        const Numbered<ReportedRun>* next = reported_cursor.next();
        if (next != nullptr)
          asked = {next->value.run, {located_cursor.next()->value, next->value.equal}};
        return next != nullptr;
      },
      [&](const Asked<ReportedPair>& asked, const TextRun& place, const ReadText& read) {
        const LocatedFirst& first = asked.extra.first;
        const std::string_view text = read.text;
        sink({place, first.place, asked.run.words, first.words, asked.extra.equal,
              first.cluster.number, first.cluster.size, read.words,
              text.substr(place.begin, place.end - place.begin)});
        if ((++done & 1023) == 0 && reading.options.progress)
          reading.options.progress({"locate", done, counts.passages});
      });
}

}  // namespace benzer
