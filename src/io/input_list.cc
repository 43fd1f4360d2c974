#include "io/input_list.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/internal/json.h"
#include "benzer/internal/text.h"
#include "benzer/runtime.h"

#include "io/byte_stream.h"
#include "io/file_kind.h"
#include "io/json_repair.h"

namespace benzer {
namespace {

using FileKey = std::pair<std::uint64_t, std::uint64_t>;  // device and inode

constexpr EnumName<InputFormat> kFormats[] = {
    {InputFormat::kAuto, "JSON lines"}, {InputFormat::kJsonLines, "JSON lines"},
    {InputFormat::kCsv, "CSV"},         {InputFormat::kTsv, "TSV"},
    {InputFormat::kText, "text"},       {InputFormat::kLines, "lines of text"}};

// The first bytes, unpacked; fewer if the file cannot be read. Reading it later will say why.
std::string first_bytes_of(const std::string& path, const std::atomic<bool>* stop) {
  FileHandle file;
  if (open_input({.path = path}, file) != 0) return {};
  return look_ahead(stream_sniffed(stream_file(file.get(), stop), path), kLookedAtBytes).first;
}

// Tells the format by the first byte that is not blank. A file of blanks alone is unknown (kAuto)
// and is read in the format of the others.
InputFormat sniff(std::string_view text) {
  const bool whole = text.size() < kLookedAtBytes;
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return whole ? InputFormat::kAuto : InputFormat::kText;
  return text[begin] == '{' ? InputFormat::kJsonLines : InputFormat::kText;
}

// kAuto if the name does not tell the format.
InputFormat format_by_name(std::string_view path) {
  const std::string_view name = without_compression(path);
  if (has_ending(name, ".csv")) return InputFormat::kCsv;
  if (has_ending(name, ".tsv")) return InputFormat::kTsv;
  for (const std::string_view ending : {".jsonl", ".ndjson", ".json"})
    if (has_ending(name, ending)) return InputFormat::kJsonLines;
  return InputFormat::kAuto;
}

InputFormat format_of(const std::string& path, bool stream, InputFormat format,
                      std::string_view first_bytes) {
  if (format == InputFormat::kAuto) format = format_by_name(path);
  if (format != InputFormat::kAuto) return format;
  return stream ? InputFormat::kJsonLines : sniff(first_bytes);
}

// Tells the format of a folder by the names of its files; kAuto if it has none. Throws
// Error(kInvalidArgument) for files of records among others: read as texts, all records of a file
// would be one document. With `images` they are the notes of the others (a.png.json), which hold no
// image.
InputFormat format_of_folder(const std::string& folder, const PathList& files, bool images) {
  std::map<InputFormat, std::string> firsts;
  std::string json;  // the first ".json", which may be a text if the others are
  for (std::size_t i = 0; i < files.size(); ++i) {
    const std::string path = files[i];
    const InputFormat format = format_by_name(path);
    if (has_ending(without_compression(path), ".json")) {
      if (json.empty()) json = path;
    } else {
      firsts.emplace(format == InputFormat::kAuto ? InputFormat::kText : format, path);
    }
  }
  if (!json.empty() && !(firsts.size() == 1 && firsts.contains(InputFormat::kText)))
    firsts.emplace(InputFormat::kJsonLines, json);
  if (images && firsts.contains(InputFormat::kText)) return InputFormat::kText;
  if (firsts.size() > 1) {
    const auto& [format, first] = *firsts.begin();
    const auto& [other_format, other] = *std::next(firsts.begin());
    throw Error(ErrorCode::kInvalidArgument, Subject::file(folder),
                fmt::format("the folder holds {} (", name_in(kFormats, format)) + FileName{first} +
                    fmt::format(") and {} (", name_in(kFormats, other_format)) + FileName{other} +
                    ")",
                "name the files of one kind, or give the format in which all of them are read (as "
                "text, each file is one document)");
  }
  return firsts.empty() ? InputFormat::kAuto : firsts.begin()->first;
}

class Lister {
 public:
  explicit Lister(const InputOptions& options) : options_(options) {}

  InputList run() {
    if (options_.inputs.empty())
      throw Error(ErrorCode::kInvalidArgument, "no input is named",
                  "name files, folders, or - for standard input");
    reading_references_ = true;
    for (const std::string& path : options_.references) add(path);
    reading_references_ = false;
    for (const std::string& path : options_.inputs) add(path);
    if (firsts_.size() > 1) {
      const auto& [format, first] = *firsts_.begin();
      const auto& [other_format, other] = *std::next(firsts_.begin());
      throw Error(ErrorCode::kInvalidArgument,
                  first + fmt::format(" holds {} and ", name_in(kFormats, format)) + other +
                      fmt::format(" {}", name_in(kFormats, other_format)),
                  "one run reads one kind, so read them in two runs or say which format all of "
                  "them have");
    }
    // Without any format all files are empty: as texts each is a document, as records there are
    // none.
    list_.format = firsts_.empty() ? InputFormat::kText : firsts_.begin()->first;
    if (!options_.values_field.empty() && delimiter_of(list_.format)) {
      throw Error(
          ErrorCode::kInvalidArgument,
          firsts_.begin()->second +
              fmt::format(" holds {}, which has no arrays for ", name_in(kFormats, list_.format)) +
              Parameter{"values"},
          "give the sets of strings as JSON lines", ": ");
    }
    check_not_met_again();
    if (list_.format == InputFormat::kText) drop_unlistable();
    if (options_.memory_limit != 0)
      list_.files.move_to_file(Workspace(options_.memory_limit, options_.work_folder));
    return std::move(list_);
  }

 private:
  [[noreturn]] static void twice(const std::string& path, const std::string& other) {
    throw Error(ErrorCode::kInvalidArgument, Subject::file(path),
                "this input is read twice (also as " + FileName{other} +
                    "), so its documents would remove one another",
                "name it once");
  }

  // A file that is named may also be in a folder that is named before or after it.
  void check_not_met_again() const {
    if (named_.empty()) return;
    for (std::size_t i = 0; i < list_.files.size(); ++i) {
      throw_if_stopped(options_.stop);
      if (!list_.files.traits(i).found) continue;
      const std::string path = list_.files[i].path;
      struct stat status{};
      if (file_system().stat(path.c_str(), &status) != 0) continue;
      const auto named = named_.find({status.st_dev, status.st_ino});
      if (named != named_.end()) twice(path, named->second);
    }
  }

  void add(const std::string& path) {
    throw_if_stopped(options_.stop);
    list_.sources.push_back(path);
    if (path == "-") {
      if (standard_input_) twice("-", "-");
      standard_input_ = true;
      struct stat status{};
      if (file_system().fstat(STDIN_FILENO, &status) == 0 && S_ISREG(status.st_mode))
        meet(status, path);
      add_file(path, true);
      return;
    }
    struct stat status{};
    const bool has_zero = path.find('\0') != path.npos;
    if (has_zero || file_system().stat(path.c_str(), &status) != 0) {
      if (has_zero || errno == ENOENT || errno == ENOTDIR || path.empty()) {
        throw Error(ErrorCode::kNotFound, Subject::file(path), "there is no such file or folder");
      }
      add_file(path, false);  // opening it will say why it cannot be read
      return;
    }
    if (S_ISDIR(status.st_mode)) {
      add_folder(path);
      return;
    }
    meet(status, path);
    add_file(path, !S_ISREG(status.st_mode));
  }

  // Notes a file that is named, to refuse a second name of it.
  void meet(const struct stat& file, const std::string& path) {
    const auto [other, fresh] = named_.emplace(FileKey{file.st_dev, file.st_ino}, path);
    if (!fresh) twice(path, other->second);
  }

  void add_file(const std::string& path, bool stream) {
    const std::string first_bytes = stream ? std::string() : first_bytes_of(path, options_.stop);
    const InputFormat format = format_of(path, stream, options_.format, first_bytes);
    const InputFile file{path, stream};
    if (format != InputFormat::kText) {
      refuse(file, why_no_records(first_bytes));
    } else if (!takes_images(options_)) {
      refuse(file, why_no_text(first_bytes));
    }
    if (format != InputFormat::kAuto) firsts_.emplace(format, file.name());
    const auto source = static_cast<std::uint32_t>(list_.sources.size() - 1);
    list_.files.add({path, stream, source, reading_references_, false});
  }

  // Refuses a named file that is not text before any document is read.
  static void refuse(const InputFile& file, const std::string& why) {
    if (!why.empty()) throw Error(ErrorCode::kBadInput, file.subject(), why);
  }

  void add_folder(const std::string& path) {
    FolderWalk walk = walk_folder(path, options_.memory_limit, options_.stop);
    for (const FileKey& key : walk.folders) {
      if (const auto [other, fresh] = folders_.emplace(key, path); !fresh)
        twice(path, other->second);
    }
    const bool any = options_.format == InputFormat::kAuto;
    const InputFormat format =
        any ? format_of_folder(path, walk.files, options_.images) : options_.format;
    if (format != InputFormat::kAuto) firsts_.emplace(format, FileName{path});
    const auto unread = [&](std::uint64_t count, std::string_view what) {
      if (count > 0)
        list_.notices.push_back(
            {list_.files.size(),
             Error(ErrorCode::kBadInput, Subject::file(path),
                   fmt::format("{} in this folder were not read: {}", what, count))});
    };
    unread(walk.links, "symbolic links");
    unread(walk.specials, "pipes, sockets and devices");
    if (reading_references_ && !walk.unread.empty()) throw_reference_unread(walk.unread[0].problem);
    // The notice about an unread folder comes at the place where its files would be.
    const auto places = std::views::iota(std::size_t{0}, walk.files.size());
    const auto path_at = [&](std::size_t place) { return walk.files[place]; };
    for (auto& [folder, problem, skipped] : walk.unread) {
      const auto behind = std::ranges::lower_bound(places, folder, {}, path_at);
      const auto before = static_cast<std::size_t>(behind - places.begin());
      list_.notices.push_back(
          {list_.files.size() + before, std::move(problem), std::move(skipped)});
    }
    const auto source = static_cast<std::uint32_t>(list_.sources.size() - 1);
    list_.files.add(std::move(walk.files), {{}, false, source, reading_references_, true});
  }

  // Why the list of kept documents cannot name the file; nothing if it can.
  std::optional<Error> unlistable(const InputFile& file) const {
    if (file.path.find('\n') != std::string::npos) {
      return Error(ErrorCode::kBadInput, file.subject(),
                   "the path holds a line end, which a list of one path a line does not allow");
    }
    // A file that is the only one of a run may have any name, unless an index takes it.
    const bool is_indexed = !options_.fields.empty() && options_.needs_id;
    if (!is_indexed && list_.files.size() == 1 && list_.sources.size() == 1 &&
        file.path == list_.sources[0])
      return std::nullopt;
    std::string valid;
    if (append_valid_utf8(valid, file.path) == 0) return std::nullopt;
    return Error(ErrorCode::kBadInput, Subject::file(with_invalid_bytes_escaped(file.path)),
                 "the path is not valid UTF-8, and as an id it would be the same as other such "
                 "paths");
  }

  // Drops the files whose paths cannot serve as ids: the path is the id of a text, and the list of
  // kept documents has one path a line.
  void drop_unlistable() {
    std::vector<std::size_t> dropped;
    std::vector<InputNotice> notices;
    auto notice = list_.notices.begin();
    for (std::size_t i = 0; i <= list_.files.size(); ++i) {
      for (; notice != list_.notices.end() && notice->before == i; ++notice) {
        notice->before -= dropped.size();
        notices.push_back(std::move(*notice));
      }
      if (i == list_.files.size()) break;
      const InputFile file = list_.files[i];
      const std::optional<Error> problem = file.reference ? std::nullopt : unlistable(file);
      if (!problem) continue;
      notices.push_back({i - dropped.size(), *problem, "the file was skipped"});
      dropped.push_back(i);
    }
    list_.files.remove(dropped);
    list_.notices = std::move(notices);
  }

  const InputOptions& options_;
  InputList list_;
  std::map<InputFormat, FileName> firsts_;  // of each format, the first input
  bool reading_references_ = false;
  bool standard_input_ = false;
  std::map<FileKey, std::string> named_;
  std::map<FileKey, std::string> folders_;
};

}  // namespace

void throw_reference_unread(const Error& problem) {
  throw Error(ErrorCode::kBadInput, problem.subject(), problem.detail(),
              "a reference must be read whole, or what it holds would not be found");
}

void check_room_for(const InputList& list, std::size_t bytes_each, std::uint64_t memory_limit) {
  const std::uint64_t wanted = 4 * static_cast<std::uint64_t>(list.files.size()) * bytes_each;
  if (memory_limit == 0 || wanted <= memory_limit) return;
  throw Error(
      ErrorCode::kInvalidArgument,
      fmt::format("the inputs are {} files, and the data about each of them does not fit into the "
                  "memory limit of {} bytes",
                  list.files.size(), memory_limit),
      fmt::format("allow {} MiB, or put the documents into fewer files", (wanted >> 20) + 1));
}

bool takes_images(const InputOptions& options) noexcept {
  return options.images || (!options.fields.empty() && options.fields[0].is_image);
}

char delimiter_of(InputFormat format) noexcept {
  if (format == InputFormat::kCsv) return ',';
  return format == InputFormat::kTsv ? '\t' : '\0';
}

InputList list_inputs(const InputOptions& options) { return Lister(options).run(); }

}  // namespace benzer
