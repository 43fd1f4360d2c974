// Implements the corpus whose documents are whole files.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"
#include "benzer/internal/text.h"
#include "benzer/runtime.h"

#include "base/file.h"
#include "base/image_file.h"
#include "base/parallel.h"
#include "base/pipeline.h"
#include "base/workspace.h"
#include "io/byte_stream.h"
#include "io/corpus_body.h"
#include "io/file_kind.h"
#include "io/line_results.h"
#include "io/second_scan.h"

namespace benzer {
namespace {

// Loads the text of one file, and is reused for the next.
class TextLoader {
 public:
  // Returns an empty text if the file was loaded, otherwise why not. `spool`, if not null, receives
  // the bytes.
  ErrorText load(const InputFile& file, int standard_input, const RecordLimits& limits,
                 const InputOptions& options, ScratchFile* spool);
  bool no_text() const noexcept { return no_text_; }  // load() failed because the file is not text
  // load() failed because the memory limit has no room for the text, which ends the run.
  bool refused() const noexcept { return refused_; }
  // Gives back the memory of a large text.
  void release() noexcept {
    if (capacity_ <= kFirstBytes) return;
    bytes_.reset();
    begin_ = capacity_ = size_ = 0;
  }
  std::string_view text() const noexcept { return {bytes_.get() + begin_, size_ - begin_}; }
  // Length of the text. An image that is too large to be decoded has a longer one than text(),
  // which is its beginning: one byte more than is allowed.
  std::uint64_t bytes() const noexcept { return std::max(text().size(), bytes_of_large_image_); }
  // A hash of the file's identity as it was read; equal as long as nobody writes to the file.
  std::uint64_t fingerprint() const noexcept { return fingerprint_; }
  static std::uint64_t fingerprint_of(const struct stat& status);

 private:
  static constexpr std::size_t kFirstBytes = 64u << 10;

  ErrorText read_all(ByteStream& stream, const RecordLimits& limits, const InputOptions& options);
  // Returns why the bytes are not text. If they may be, returns an empty string and skips a byte
  // order mark.
  std::string look(const InputOptions& options);
  void reserve(std::size_t capacity);

  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  // of the text, after a byte order mark
  std::size_t size_ = 0;
  std::uint64_t bytes_of_large_image_ = 0;  // 0: the text is no such image
  std::uint64_t fingerprint_ = 0;
  bool no_text_ = false;
  bool refused_ = false;
};

std::uint64_t TextLoader::fingerprint_of(const struct stat& status) {
  const FileIdentity identity = identity_of(status);
  static_assert(std::has_unique_object_representations_v<FileIdentity>);
  return XXH3_64bits(&identity, sizeof identity);
}

ErrorText TextLoader::load(const InputFile& file, int standard_input, const RecordLimits& limits,
                           const InputOptions& options, ScratchFile* spool) {
  throw_if_stopped(options.stop);
  begin_ = size_ = 0;
  bytes_of_large_image_ = 0;
  no_text_ = refused_ = false;
  FileHandle handle;
  int fd = standard_input;
  std::uint64_t bytes_of_file = 0;
  if (file.path != "-") {
    if (const int error = open_input(file, handle))
      return fmt::format("the file cannot be opened: {}", system_message(error));
    fd = handle.get();
  }
  std::unique_ptr<ByteStream> stream;
  if (file.stream) {
    stream = stream_sniffed(stream_pipe(fd, options.stop));
  } else {
    struct stat status{};
    if (file_system().fstat(fd, &status) != 0)
      return fmt::format("the file cannot be read: {}", system_message(errno));
    fingerprint_ = fingerprint_of(status);
    bytes_of_file = identity_of(status).size;
    // One byte more lets read_all() find the end of the file without growing the buffer.
    reserve(static_cast<std::size_t>(std::min(bytes_of_file, limits.held())) + 1);
    stream = stream_sniffed(stream_file(fd, options.stop), file.path);
  }
  ErrorText problem = read_all(*stream, limits, options);
  if (bytes_of_large_image_ > 0)
    bytes_of_large_image_ = std::max(bytes_of_large_image_, bytes_of_file);
  if (problem.empty() && spool) spool->append(text().data(), text().size());
  return problem;
}

ErrorText TextLoader::read_all(ByteStream& stream, const RecordLimits& limits,
                               const InputOptions& options) {
  reserve(kFirstBytes);
  bool looked = false;
  std::uint64_t all = 0;
  try {
    while (true) {
      const std::size_t room = looked ? capacity_ : std::min(capacity_, kLookedAtBytes);
      const std::size_t got = stream.read(bytes_.get() + size_, room - size_);
      all += got;
      size_ += got;
      if (!looked && (got == 0 || size_ >= kLookedAtBytes || all > limits.held())) {
        looked = true;
        if (std::string why = look(options); !why.empty()) return why;
      }
      // Not skipped, as a text is: the decoder says that it is too large, and so it is kept.
      if (all > limits.allowed && takes_images(options) && !refused_) {
        size_ = static_cast<std::size_t>(limits.allowed) + 1;
        bytes_of_large_image_ = all;
        return {};
      }
      if (all > limits.allowed)
        return fmt::format("the text has more than {} bytes, which is what is allowed",
                           limits.allowed) +
               in_brackets_max_line();
      refused_ = all > limits.room;
      if (got == 0 && refused_) return limits.too_long("text", all) + in_brackets_max_line();
      if (got == 0) return {};
      if (refused_) begin_ = size_ = 0;  // the bytes of a text without room are only counted
      if (size_ == capacity_) reserve(2 * capacity_);
    }
  } catch (const StreamDamage& damage) {
    return damage.what();
  }
}

std::string TextLoader::look(const InputOptions& options) {
  if (takes_images(options)) return {};
  std::string why = why_no_text(text());
  no_text_ = !why.empty();
  if (text().starts_with(kByteOrderMark)) begin_ = kByteOrderMark.size();
  return why;
}

void TextLoader::reserve(std::size_t capacity) {
  if (capacity <= capacity_) return;
  auto bytes = std::make_unique_for_overwrite<char[]>(capacity);
  if (size_ > 0) std::memcpy(bytes.get(), bytes_.get(), size_);
  bytes_ = std::move(bytes);
  capacity_ = capacity;
}

struct TextBatch {
  struct Result {
    ErrorText problem;
    bool no_text = false;
    bool refused = false;  // it ends the run
    std::uint64_t fingerprint = 0;
  };
  std::size_t begin = 0;  // indices of files
  std::size_t end = 0;
  std::uint64_t bytes = 0;  // without the references
  std::vector<Result> results;
  TextLoader loader;
  std::unique_ptr<DocumentVisitor::Block> documents;
};

class TextCorpus final : public CorpusBody {
 public:
  TextCorpus(InputOptions options, InputList list, InputTuning tuning)
      : options_(std::move(options)),
        list_(std::move(list)),
        tuning_(tuning),
        limits_(takes_images(options_) ? kMostImageFileBytes : options_.max_line_bytes,
                options_.memory_limit),
        room_(options_.memory_limit),
        workspace_(0, options_.work_folder) {
    // For each file 8 bytes for the place of its path, and its Document.
    check_room_for(list_, 8 + sizeof(Document), options_.memory_limit);
    documents_.reserve(list_.files.size());
    for (std::size_t i = 0; i < list_.files.size(); ++i)
      if (list_.files.traits(i).stream) spools_.try_emplace(i);
  }

  void scan(DocumentVisitor& visitor, int threads) override;
  const InputList& inputs() const noexcept override { return list_; }
  std::uint32_t size() const noexcept override {
    return static_cast<std::uint32_t>(documents_.size());
  }
  DocumentLabel label(std::uint32_t document) const override {
    InputFile file = list_.files[documents_[document].file];
    return {json_string(file.path), std::move(file.path), 0};
  }
  std::string id_format(bool /*with_references*/) const override { return "U"; }
  std::uint32_t references() const noexcept override { return references_; }
  std::uint32_t source_of(std::uint32_t document) const override {
    return list_.files.traits(documents_[document].file).source;
  }
  void prepare(std::span<const std::uint32_t>) override {}
  std::unique_ptr<Corpus::Reader> reader() const override;
  void scan_again(DocumentVisitor& visitor, int threads) override {
    read_in_blocks(visitor, size(), threads, [this] { return reader(); });
  }
  void write_kept(std::span<const std::uint32_t> removed, OutputFile& kept, OutputFile* skipped,
                  const std::function<void(std::uint64_t)>& progress) override;
  void write_annotated(const FileCorpus::Annotation&, OutputFile&, OutputFile*,
                       const std::function<void(std::uint64_t)>&) override {
    throw Error(ErrorCode::kInvalidArgument,
                "files cannot be annotated: fields are added to the records of JSON lines and CSV");
  }
  void write_edited(const FileCorpus::Edits&, OutputFile&, OutputFile*,
                    const std::function<void(std::uint64_t)>&) override {
    throw Error(ErrorCode::kInvalidArgument,
                "the texts of files are not changed, only those of records",
                "give JSON lines, CSV, or files whose lines are documents");
  }

 private:
  friend class TextReader;
  struct Document {
    std::uint64_t fingerprint;
    std::uint32_t file;
  };

  std::uint64_t bytes_to_load(const InputFile& file) const;
  void read_batch(TextBatch& batch, DocumentVisitor& visitor);
  static void lose(const InputFile& file, const TextBatch::Result& result, ProblemLog& log);
  void commit(TextBatch& batch, DocumentVisitor& visitor, ProblemLog& log);
  void check_unchanged() const;

  InputOptions options_;
  InputList list_;
  InputTuning tuning_;
  RecordLimits limits_;
  MemoryRoom room_;      // for large texts
  Workspace workspace_;  // of the spools
  // The spools of files that are streams, by their places. The thread that reads a file makes its
  // spool.
  std::unordered_map<std::size_t, std::unique_ptr<ScratchFile>> spools_;
  std::vector<Document> documents_;
  std::uint32_t references_ = 0;
  std::size_t next_file_ = 0;
  std::size_t next_notice_ = 0;
};

void TextCorpus::read_batch(TextBatch& batch, DocumentVisitor& visitor) {
  batch.documents = visitor.start_block();
  batch.results.assign(batch.end - batch.begin, {});
  batch.bytes = 0;
  for (std::size_t i = batch.begin; i < batch.end; ++i) {
    const InputFile file = list_.files[i];
    TextBatch::Result& result = batch.results[i - batch.begin];
    ScratchFile* spool = nullptr;
    if (file.stream) {
      spools_.at(i) = std::make_unique<ScratchFile>(workspace_);
      spool = spools_.at(i).get();
    }
    const MemoryRoom::Part part = room_.take(bytes_to_load(file));
    result.problem = batch.loader.load(file, tuning_.standard_input, limits_, options_, spool);
    result.no_text = batch.loader.no_text();
    result.refused = batch.loader.refused();
    if (!result.problem.empty()) continue;
    result.fingerprint = batch.loader.fingerprint();
    DocumentView view;
    view.id = file.path;
    view.text = batch.loader.text();
    view.bytes = batch.loader.bytes();
    if (!file.reference) batch.bytes += view.bytes;
    batch.documents->add(view);
    if (part) batch.loader.release();
  }
}

// The memory that loading a file takes. If its size is not known, it includes what growing takes.
std::uint64_t TextCorpus::bytes_to_load(const InputFile& file) const {
  if (options_.memory_limit == 0) return 0;
  struct stat status{};
  const bool sized = !file.stream && compression_by_name(file.path) == Compression::kNone &&
                     file_system().stat(file.path.c_str(), &status) == 0;
  return sized ? std::min(identity_of(status).size, limits_.held()) : 2 * limits_.held();
}

void TextCorpus::lose(const InputFile& file, const TextBatch::Result& result, ProblemLog& log) {
  if (result.refused) throw Error(ErrorCode::kInvalidArgument, file.subject(), result.problem);
  log.lost(file, Error(ErrorCode::kBadInput, file.subject(), result.problem),
           "the file was skipped");
}

void TextCorpus::commit(TextBatch& batch, DocumentVisitor& visitor, ProblemLog& log) {
  for (std::size_t i = batch.begin; i < batch.end; ++i) {
    log.notices(list_, i, next_notice_);
    const TextBatch::Result& result = batch.results[i - batch.begin];
    const InputFile file = list_.files[i];
    if (result.problem.empty())
      documents_.push_back({result.fingerprint, static_cast<std::uint32_t>(i)});
    else if (result.no_text)
      log.no_text(file, result.problem);
    else
      lose(file, result, log);
    if (file.reference) references_ = size();
  }
  counts.bytes += batch.bytes;
  visitor.finish_block(std::move(batch.documents));
}

void TextCorpus::scan(DocumentVisitor& visitor, int threads) {
  ProblemLog log(options_, counts);
  ordered_pipeline<TextBatch>(
      threads_within(threads, options_.memory_limit),
      [&](TextBatch& batch) {
        batch.begin = next_file_;
        batch.end = std::min(list_.files.size(), next_file_ + tuning_.batch_files);
        next_file_ = batch.end;
        return batch.begin < batch.end;
      },
      [&](TextBatch& batch) { read_batch(batch, visitor); },
      [&](TextBatch& batch) { commit(batch, visitor, log); });
  log.notices(list_, list_.files.size(), next_notice_);
}

class TextReader final : public Corpus::Reader {
 public:
  explicit TextReader(const TextCorpus& corpus) : corpus_(corpus) {}

  DocumentView read(std::uint32_t document) override {
    const TextCorpus::Document& entry = corpus_.documents_[document];
    const InputFile file = corpus_.list_.files[entry.file];
    path_ = file.path;
    DocumentView view;
    view.id = path_;
    if (file.stream) {
      const ScratchFile& spool = *corpus_.spools_.at(entry.file);
      text_.resize(static_cast<std::size_t>(spool.size()));
      if (!text_.empty()) spool.read(0, text_.data(), text_.size());
      view.text = text_;
      view.bytes = view.text.size();
    } else {
      const ErrorText problem = loader_.load(file, corpus_.tuning_.standard_input, corpus_.limits_,
                                             corpus_.options_, nullptr);
      if (!problem.empty()) throw_unreadable_again(file, problem);
      if (loader_.fingerprint() != entry.fingerprint) throw_changed(file);
      view.text = loader_.text();
      view.bytes = loader_.bytes();
    }
    return view;
  }

 private:
  const TextCorpus& corpus_;
  TextLoader loader_;
  std::string path_;
  std::string text_;
};

std::unique_ptr<Corpus::Reader> TextCorpus::reader() const {
  return std::make_unique<TextReader>(*this);
}

// Only candidates were read again. Other files may have changed since the scan. The kept paths
// would then name texts that were not compared, and a removed file may now be the only one with its
// text.
void TextCorpus::check_unchanged() const {
  for (const Document& document : documents_) {
    throw_if_stopped(options_.stop);
    const InputFile file = list_.files[document.file];
    if (file.stream) continue;
    struct stat status{};
    if (file_system().stat(file.path.c_str(), &status) != 0) throw_lost(file, errno);
    if (TextLoader::fingerprint_of(status) != document.fingerprint) throw_changed(file);
  }
}

void TextCorpus::write_kept(std::span<const std::uint32_t> removed, OutputFile& kept, OutputFile*,
                            const std::function<void(std::uint64_t)>& progress) {
  check_unchanged();
  auto next_removed = removed.begin();
  std::uint64_t written = 0;
  for (std::uint32_t document = references_; document < documents_.size(); ++document) {
    throw_if_stopped(options_.stop);
    if (next_removed != removed.end() && *next_removed == document) {
      ++next_removed;
      continue;
    }
    kept.write(list_.files[documents_[document].file].path);
    kept.write("\n");
    ++written;
  }
  if (progress) progress(written);
}

}  // namespace

std::unique_ptr<CorpusBody> make_text_corpus(InputOptions options, InputList list,
                                             InputTuning tuning) {
  return std::make_unique<TextCorpus>(std::move(options), std::move(list), tuning);
}

}  // namespace benzer
