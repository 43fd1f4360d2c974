#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/random_pause.h"
#include "engine/attributes.h"
#include "engine/index_impl.h"
#include "engine/look_up.h"
#include "engine/search.h"
#include "features/config_text.h"
#include "store/disk/bulk_load.h"

namespace benzer {
namespace {

constexpr int kMostTries = 20;
// How much may be written before a call waits for the disk: some 10,000 documents of a kilobyte.
constexpr std::size_t kMostWaiting = std::size_t{16} << 20;  // bytes of their hashes

}  // namespace

void Index::Impl::check_writable() const {
  if (read_only) throw Error(ErrorCode::kInvalidArgument, "the index was opened for reading only");
  check_process();
  if (disk) disk->check_in_place();
}

class Index::Impl::Adding {
 public:
  Adding(const Impl& index, std::size_t documents)
      : index_(index), store_(index.store()), results_(documents) {}

  // Puts in the documents [begin, begin + hashes.size()), but for those that have a problem.
  void add(std::size_t begin, std::span<const DocumentHashes> hashes,
           std::span<std::string> problems) {
    using Outcome = IndexResult::Outcome;
    const std::unique_ptr<StoreWriter> writer = store_.writer();
    std::vector<const DocumentHashes*> added;
    std::vector<IndexResult*> answers;
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      IndexResult& result = results_[begin + i];
      if (!problems[begin + i].empty()) {
        result = {Outcome::kRefused, std::move(problems[begin + i]), {}};
        continue;
      }
      added.push_back(&hashes[i]);
      answers.push_back(&result);
      waiting_ += sizeof hashes[i] + bytes_of(hashes[i]);
    }
    std::vector<std::string_view> ids;
    for (const DocumentHashes* const document : added) ids.push_back(document->id);
    const std::vector<bool> had_expired = find_expired(*writer, index_.hasher.schema(), ids);
    const std::vector<bool> replaced = writer->add_all(added);
    for (std::size_t i = 0; i < answers.size(); ++i)
      if (replaced[i] && !had_expired[i]) answers[i]->outcome = Outcome::kReplaced;
    wait_ = writer->release();
    if (waiting_ >= kMostWaiting) acknowledge(begin + hashes.size());
  }

  std::vector<IndexResult> finish() {
    acknowledge(results_.size());
    return std::move(results_);
  }

 private:
  // Waits until the documents before `end` are durable.
  void acknowledge(std::size_t end) {
    if (!wait_) return;
    const WriteLevel level = std::exchange(wait_, nullptr)();
    for (; acknowledged_ < end; ++acknowledged_) results_[acknowledged_].reached = level;
    waiting_ = 0;
  }

  const Impl& index_;
  Store& store_;
  std::vector<IndexResult> results_;
  std::function<WriteLevel()> wait_;  // waits until everything written so far is durable
  std::size_t waiting_ = 0;           // bytes
  std::size_t acknowledged_ = 0;
};

std::vector<IndexResult> Index::index_documents(const std::vector<Document>& documents,
                                                int threads) {
  Impl::Adding adding(*impl_, documents.size());
  std::vector<std::string> problems;
  impl_->hash_in_order(documents, threads, nullptr, problems,
                       [&](std::size_t begin, const std::vector<DocumentHashes>& hashes) {
                         adding.add(begin, hashes, problems);
                       });
  return adding.finish();
}

struct HashedDocuments::Impl {
  std::uint64_t fingerprint = 0;  // of the schema
  std::vector<DocumentHashes> hashes;
  std::vector<std::string> problems;  // one for each document; empty if it can be put in
};

HashedDocuments::HashedDocuments(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HashedDocuments::~HashedDocuments() = default;
HashedDocuments::HashedDocuments(HashedDocuments&&) noexcept = default;
HashedDocuments& HashedDocuments::operator=(HashedDocuments&&) noexcept = default;
std::span<const std::string> HashedDocuments::problems() const noexcept { return impl_->problems; }

void Index::Impl::check_is_own(const HashedDocuments& documents) const {
  if (documents.impl_->fingerprint != fingerprint)
    throw Error(ErrorCode::kInvalidArgument,
                "the documents were hashed for an index with another schema",
                "hash them with hash_documents() of the index that they go into");
}

HashedDocuments Index::hash_documents(const std::vector<Document>& documents, int threads,
                                      const std::atomic<bool>* stop) const {
  auto out = std::make_unique<HashedDocuments::Impl>();
  out->fingerprint = impl_->fingerprint;
  impl_->hash_in_order(documents, threads, stop, out->problems,
                       [&](std::size_t, std::vector<DocumentHashes>& hashes) {
                         std::move(hashes.begin(), hashes.end(), std::back_inserter(out->hashes));
                       });
  return HashedDocuments(std::move(out));
}

std::vector<IndexResult> Index::index_documents(HashedDocuments documents) {
  impl_->check_is_own(documents);
  const std::span<const DocumentHashes> hashes = documents.impl_->hashes;
  Impl::Adding adding(*impl_, hashes.size());
  for (std::size_t begin = 0; begin < hashes.size(); begin += Impl::kPiece)
    adding.add(begin, hashes.subspan(begin, std::min(Impl::kPiece, hashes.size() - begin)),
               documents.impl_->problems);
  return adding.finish();
}

struct BulkLoad::Impl {
  explicit Impl(Index::Impl& opened) : index(opened), load(*opened.disk) {}
  Index::Impl& index;
  DiskStore::Load load;
};

BulkLoad::BulkLoad(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
BulkLoad::~BulkLoad() {
  if (impl_ && impl_->index.is_forked()) new std::unique_ptr<Impl>(std::move(impl_));
}
BulkLoad::BulkLoad(BulkLoad&&) noexcept = default;
BulkLoad& BulkLoad::operator=(BulkLoad&& other) noexcept {
  BulkLoad(std::move(other)).impl_.swap(impl_);
  return *this;
}

BulkLoad Index::bulk_load() {
  impl_->check_process();
  if (!impl_->disk)
    throw Error(ErrorCode::kInvalidArgument,
                "a bulk load is for an index in a folder; others take index_documents()");
  return BulkLoad(std::make_unique<BulkLoad::Impl>(*impl_));
}

std::vector<std::string> BulkLoad::add(const std::vector<Document>& documents, int threads) {
  impl_->index.check_process();
  std::vector<std::string> problems;
  impl_->index.hash_in_order(documents, threads, nullptr, problems,
                             [&](std::size_t begin, const std::vector<DocumentHashes>& hashes) {
                               for (std::size_t i = 0; i < hashes.size(); ++i)
                                 if (problems[begin + i].empty()) impl_->load.add(hashes[i]);
                             });
  return problems;
}

BulkLoad::Result BulkLoad::finish() {
  impl_->index.check_process();
  const DiskStore::Load::Result result = impl_->load.finish();
  return {result.documents, result.replaced};
}

CheckResult Index::check_and_add(const Document& document, const SimilarOptions& options) {
  return check_and_add(document, hash_documents({document}, 1, options.stop), options);
}

CheckResult Index::check_and_add(const Document& document, HashedDocuments hashed,
                                 const SimilarOptions& options) {
  if (options.floor)
    throw Error(ErrorCode::kInvalidArgument, Subject::parameter("floor"),
                "a document is added or not by a threshold, and a floor was given",
                "leave out the floor");
  SimilarOptions asked = options;
  asked.limit = std::max<std::size_t>(asked.limit, 1);  // one match decides, also if none is wanted
  const Search search(schema(), asked);
  const std::string wrong = impl_->hasher.check(document, true);
  if (!wrong.empty()) throw Error(ErrorCode::kInvalidArgument, wrong);
  impl_->check_is_own(hashed);
  if (hashed.problems().size() != 1)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("one document is checked, and the hashes are those of {}",
                            hashed.problems().size()),
                "hash this document alone");
  const std::string& problem = hashed.problems()[0];
  if (!problem.empty()) throw Error(ErrorCode::kBadInput, problem);
  const DocumentHashes& hashes = hashed.impl_->hashes[0];
  if (hashes.id != document.id)
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("the document {} is checked, and the hashes are those of {}",
                            internal::in_quotes(document.id), internal::in_quotes(hashes.id)),
                "hash this document alone");
  const Document* const query = &document;
  const std::unique_ptr<StoreWriter> writer = impl_->store().writer();
  writer->stop_when(options.stop);
  writer->lock_others();
  CheckResult result;
  result.matches =
      std::move(impl_->search(search, *writer, {&hashes, 1}, {&query, 1}, options.counts)[0]);
  result.added = result.matches.empty();
  if (options.limit == 0) result.matches.clear();
  if (result.added) writer->add_hashes(hashes);
  result.reached = writer->commit();
  return result;
}

std::optional<Decision> Index::put_decision(Decision decision) {
  if (!impl_->takes_decisions)
    throw Error(ErrorCode::kInvalidArgument,
                "an index in Redis keeps no decisions; an index in a folder does");
  impl_->check_writable();
  return impl_->decisions->put(std::move(decision));
}

bool Index::remove_decision(std::uint64_t id, std::uint64_t version) {
  impl_->check_writable();
  return impl_->decisions->remove(id, version);
}

std::vector<bool> Index::remove(const std::vector<std::string>& ids, WriteLevel* reached) {
  const std::unique_ptr<StoreWriter> writer = impl_->store().writer();
  const std::vector<bool> had_expired =
      find_expired(*writer, schema(), std::vector<std::string_view>(ids.begin(), ids.end()));
  std::vector<bool> out = writer->remove_all(ids);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = out[i] && !had_expired[i];
  const WriteLevel level = writer->commit();
  if (reached) *reached = level;
  return out;
}

std::vector<IndexResult> Index::change_attributes(const std::vector<AttributeChange>& changes) {
  using Outcome = IndexResult::Outcome;
  const AttributeCodec& codec = impl_->hasher.attributes();
  std::vector<IndexResult> out(changes.size());
  for (std::size_t begin = 0; begin < changes.size(); begin += Impl::kPiece) {
    const std::size_t end = std::min(changes.size(), begin + Impl::kPiece);
    // Without a lock, which would end among many changes: what others have changed is read again.
    const std::unique_ptr<StoreWriter> writer = impl_->store().writer();
    for (std::size_t i = begin; i < end; ++i) {
      const AttributeChange& change = changes[i];
      const auto begun = std::chrono::steady_clock::now();
      for (int tries = 1;; ++tries) {
        const std::optional<DocumentNumber> found = find_live(*writer, schema(), change.id);
        if (!found) {
          out[i].outcome = Outcome::kNotThere;
          break;
        }
        DocumentHashes document = writer->get_hashes(*found);
        out[i].problem = codec.change(change.set, change.removed, document.attributes);
        out[i].outcome = out[i].problem.empty() ? Outcome::kReplaced : Outcome::kRefused;
        if (!out[i].problem.empty() || writer->replace_seen(document)) break;
        if (tries == kMostTries)
          throw Error(ErrorCode::kBusy,
                      fmt::format("the document {} is written to by others all the time",
                                  internal::in_quotes(change.id)),
                      "try again");
        const std::chrono::nanoseconds since = std::chrono::steady_clock::now() - begun;
        pause_at_random(std::min<std::chrono::nanoseconds>(since, std::chrono::milliseconds(500)));
      }
    }
    const WriteLevel level = writer->commit();
    for (std::size_t i = begin; i < end; ++i)
      if (out[i].outcome == Outcome::kReplaced) out[i].reached = level;
  }
  return out;
}

std::vector<bool> Index::remove_expired(const std::vector<std::string>& ids, WriteLevel* reached) {
  std::vector<bool> out(ids.size());
  const AttributeFilter live(schema());
  for (std::size_t begin = 0; begin < ids.size(); begin += Impl::kPiece) {
    const std::size_t end = std::min(ids.size(), begin + Impl::kPiece);
    const std::unique_ptr<StoreWriter> writer = impl_->store().writer();
    for (std::size_t i = begin; i < end; ++i) {
      const std::optional<DocumentNumber> found = writer->find(ids[i]);
      const bool has_expired = found && !live.passes(*writer, *found);
      writer->throw_if_unreadable();  // a live document must not be removed
      out[i] = has_expired && writer->remove_seen(ids[i]);
    }
    const WriteLevel level = writer->commit();
    if (reached) *reached = level;
  }
  return out;
}

}  // namespace benzer
