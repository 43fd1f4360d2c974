#include "io/scan_journal.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "benzer/corpus.h"
#include "benzer/error.h"
#include "benzer/runtime.h"

#include "io/corpus_body.h"

namespace benzer {
namespace {

// Raised whenever other bytes are saved, or the same bytes mean something else.
constexpr int kSavedFormat = 5;

// The version of ICU, whose tables decide how a text is normalised and cut into words.
std::string icu_version() {
  for (const Part& part : parts())
    if (part.name == "ICU") return part.version;
  return {};
}

// Everything on which the saved results depend, as "name=value" lines.
std::string making(const InputOptions& options, const DocumentVisitor& visitor) {
  std::string out = fmt::format("{}benzer {}\nsaved format={}\nICU={}\n", kMadeByProgram, version(),
                                kSavedFormat, icu_version());
  out += visitor.made_by();
  const bool values = !options.values_field.empty();
  for (const auto& [name, value] : {std::pair{"id", &options.id_field},
                                    {"text", values ? &options.values_field : &options.text_field},
                                    {"by", &options.group_field}})
    out += fmt::format("{}={}\n", name, *value);
  if (options.format == InputFormat::kLines) out += "format=lines\n";
  if (options.has_weights) out += "weights=1\n";
  return out + fmt::format("values={}\nlongest line={}\nnumbers={}\n", values,
                           options.max_line_bytes, fmt::join(options.number_fields, ","));
}

}  // namespace

ScanJournal::ScanJournal(const InputOptions& options, const InputList& inputs,
                         const std::vector<LineSource>& sources)
    : options_(options), sources_(sources) {
  for (std::size_t i = 0; i < inputs.files.size() && !stream_; ++i)
    if (inputs.files.traits(i).stream) stream_ = inputs.files[i];
  if (!options.signatures.empty()) signatures_.emplace(options.signatures);
}

void ScanJournal::start(const DocumentVisitor& visitor) {
  const bool for_later = options_.save_to || signatures_;
  if (stream_ && (options_.resume || options_.parts > 1 || for_later))
    throw Error(ErrorCode::kInvalidArgument,
                fmt::format("{} for files of JSON lines, and '",
                            for_later ? "signatures are" : "stages are") +
                    stream_->name() + "' can be read only once",
                "leave " + (for_later ? "them" : resume_and_stage()) + " out");
  if (!saves()) return;
  made_by_ = making(options_, visitor);
  if (options_.save_to) options_.save_to(record_log_magic());
  if (!keeps_stages()) return;
  if (!work_folder_) work_folder_.emplace(options_.stage_folder, options_.parts > 1);
  check_work_folder(options_.stage_folder, sources_.size(), options_.resume || options_.parts > 1);
}

ScanJournal::Saved ScanJournal::begin(std::size_t source) {
  Saved saved;
  if (signatures_) {
    signatures_->begin(sources_[source], made_by_);
    saved.signatures_ = &*signatures_;
  }
  if (keeps_stages() && options_.resume)
    saved.log_ =
        std::make_unique<SourceLog>(options_.stage_folder, source, sources_[source], made_by_);
  return saved;
}

ScanJournal::Saved::Next ScanJournal::Saved::next(std::string& record, const FirstPass& pass) {
  if (signatures_) return signatures_->next(record, pass) ? Next::kBlock : Next::kEnd;
  if (!log_) return Next::kSource;
  if (log_->next(record, pass)) return Next::kBlock;
  return log_->whole() ? Next::kEnd : Next::kSource;
}

void ScanJournal::come_to(std::size_t source) {
  if (written_ && *written_ != source) end_log();
}

void ScanJournal::write(std::size_t source, const std::string& record, std::uint64_t log_bytes) {
  if (!written_) {
    written_ = source;
    if (keeps_stages()) {
      // The log to append to may have its final name, if it was complete and then damaged.
      if (log_bytes > 0) reopen_log(options_.stage_folder, source);
      writer_.open(growing_log(options_.stage_folder, source), log_bytes);
    }
    if (log_bytes == 0) add(kLoggedSource, logged_source(sources_[source], made_by_));
  }
  add(kLoggedBlock, record);
  written_end_ = logged_place(record).next;
}

void ScanJournal::give_up(std::size_t source, const std::string& damage) {
  if (options_.save_to)
    throw Error(ErrorCode::kBadInput, sources_[source].file().subject(), damage,
                "signatures are of whole files: repair it, or leave it out");
  writer_.close();
  written_.reset();
}

void ScanJournal::finish() {
  end_log();
  if (signatures_) signatures_->finish();
}

void ScanJournal::add(std::uint32_t kind, std::string_view payload) {
  if (keeps_stages()) {
    writer_.append(kind, payload);
  } else if (options_.save_to) {
    options_.save_to(record_head(kind, payload));
    options_.save_to(payload);
  }
}

void ScanJournal::end_log() {
  if (!written_) return;
  add(kLoggedEnd, logged_end(written_end_));
  if (keeps_stages()) writer_.close_as(whole_log(options_.stage_folder, *written_));
  written_.reset();
}

void ScanJournal::remove_stages() noexcept {
  if (keeps_stages()) remove_logs(options_.stage_folder, sources_.size());
  work_folder_.reset();
}

}  // namespace benzer
