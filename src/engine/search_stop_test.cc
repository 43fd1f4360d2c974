// Tests that a search ends soon after its flag is set, even while it goes through the copies of one
// document.
#include <atomic>

#include <gtest/gtest.h>

#include "base/error_test_util.h"
#include "engine/index_test_util.h"
#include "engine/search.h"
#include "engine/whole_index.h"

namespace benzer {
namespace {

constexpr std::size_t kCopies = 100;

// One document and copies of it. Visiting the fifth copy sets a flag.
class ReaderOfCopies : public StoreReader {
 public:
  ReaderOfCopies(StoreReader& reader, std::atomic<bool>& stop) : reader_(reader), stop_(stop) {}

  std::size_t visited() const noexcept { return visited_; }

  void get_ids(std::span<const FieldHashes* const> queries,
               std::vector<std::vector<DocumentNumber>>& out) override {
    reader_.get_ids(queries, out);
  }
  void get_hits(std::span<const FieldHashes* const> queries,
                std::vector<std::vector<KeyHits>>& out) override {
    reader_.get_hits(queries, out);
  }
  DocumentNumber original(DocumentNumber document) override { return reader_.original(document); }
  void for_each_copy(DocumentNumber original,
                     const std::function<bool(DocumentNumber)>& visit) override {
    reader_.for_each_copy(original, [&](DocumentNumber copy) {
      if (++visited_ == 5) stop_ = true;
      return visit(copy);
    });
  }
  std::uint64_t count_copies(DocumentNumber original) override {
    return reader_.count_copies(original);
  }
  std::optional<DocumentNumber> find(std::string_view id) override { return reader_.find(id); }
  std::string_view id(DocumentNumber document) override { return reader_.id(document); }
  std::string_view attributes(DocumentNumber document) override {
    return reader_.attributes(document);
  }
  const std::uint8_t* cut(DocumentNumber document, std::uint32_t field) override {
    return reader_.cut(document, field);
  }
  std::span<const std::uint64_t> features(DocumentNumber document, std::uint32_t field) override {
    return reader_.features(document, field);
  }
  DocumentHashes get_hashes(DocumentNumber document) override {
    return reader_.get_hashes(document);
  }
  void for_each(const std::function<bool(DocumentNumber)>& visit) override {
    reader_.for_each(visit);
  }
  std::uint64_t size() override { return reader_.size(); }
  std::unique_ptr<StoreReader> another() const override { return reader_.another(); }

 private:
  StoreReader& reader_;
  std::atomic<bool>& stop_;
  std::size_t visited_ = 0;
};

class SearchStopTest : public testing::Test {
 protected:
  SearchStopTest() {
    std::vector<Document> documents;
    for (std::size_t i = 0; i < kCopies; ++i)
      documents.push_back({std::to_string(i),
                           {Field::of_text("text", "the same words in each of them")},
                           {{"lang", "en"}}});
    index_.index_documents(documents);
  }

  // Calls search(reader, query), which must end with kInterrupted at the fifth copy.
  template <class Call>
  void expect_stop(const Call& search) {
    const std::unique_ptr<StoreReader> reader = WholeIndex::reader(index_);
    DocumentHashes query = reader->get_hashes(0);
    query.id.clear();
    ReaderOfCopies copies(*reader, stop_);
    EXPECT_EQ(error_of([&] { search(copies, query); }).code(), ErrorCode::kInterrupted);
    EXPECT_EQ(copies.visited(), 5U);
  }

  Index index_ = Index::in_memory(Schema::parse(
      "text=text:word2 | lang=string | fss:128 | bands:128x1 | min:0.3 | recall:0.999999"));
  std::atomic<bool> stop_{false};
};

TEST_F(SearchStopTest, WhileCopiesAreAskedForACondition) {
  expect_stop([&](StoreReader& reader, const DocumentHashes& query) {
    SimilarCounts counts;
    const SimilarOptions options{.where = {Condition::parse("lang in de,fr")}, .stop = &stop_};
    Search(index_.schema(), options).run(reader, {&query, 1}, counts);
  });
}

TEST_F(SearchStopTest, WhileAllCopiesAreListed) {
  expect_stop([&](StoreReader& reader, const DocumentHashes& query) {
    Search(index_.schema(), {.stop = &stop_}).all(reader, query);
  });
}

}  // namespace
}  // namespace benzer
