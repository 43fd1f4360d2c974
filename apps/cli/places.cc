#include "places.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "benzer/config.h"
#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/internal/stage_files.h"
#include "benzer/output.h"

#include "../shared/settings.h"
#include "dedup_outputs.h"
#include "table_files.h"

namespace benzer::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kMostLinks = 40;  // that the kernel follows

// The absolute path, with links and dots resolved in the part that exists, and a link at its end
// that leads to no file yet; the path itself if that fails.
fs::path resolved(const std::string& path) {
  std::error_code failed;
  // Made absolute first, because weakly_canonical() resolves nothing of a relative path that does
  // not exist.
  fs::path out = fs::weakly_canonical(fs::absolute(path, failed), failed);
  if (failed) return path;
  std::error_code no_link;
  for (int i = 0; i < kMostLinks; ++i) {
    const fs::path target = fs::read_symlink(out, no_link);
    if (no_link) break;
    out = fs::weakly_canonical(out.parent_path() / target, failed);
    if (failed) return path;
  }
  return out.has_filename() ? out : out.parent_path();
}

bool lies_in(const fs::path& file, const fs::path& folder) {
  for (fs::path parent = file.parent_path(); !parent.empty(); parent = parent.parent_path()) {
    if (parent == folder) return true;
    if (parent == parent.parent_path()) break;
  }
  return false;
}

bool status_of(const std::string& path, struct stat& status) {
  const auto descriptor = OutputFile::named_descriptor(path);
  return (descriptor ? fstat(*descriptor, &status) : stat(path.c_str(), &status)) == 0;
}

bool is_same_node(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

// What two names of one file have in common.
using Node = std::pair<dev_t, ino_t>;

// Nothing if there is no such file, or a pipe or a device, which may be used for input and output.
std::optional<Node> node_of_output(const std::string& path) {
  struct stat written{};
  if (!status_of(path == "-" ? "/dev/stdout" : path, written) || S_ISFIFO(written.st_mode) ||
      S_ISCHR(written.st_mode) || S_ISSOCK(written.st_mode))
    return std::nullopt;
  return Node{written.st_dev, written.st_ino};
}

std::optional<Node> node_of_input(const std::string& path) {
  struct stat read{};
  if ((path == "-" ? fstat(0, &read) : stat(path.c_str(), &read)) != 0) return std::nullopt;
  return Node{read.st_dev, read.st_ino};
}

// Whether the output and the input are the same file, by this name or another (a hard or a symbolic
// link).
bool is_read_at(const std::string& output, const std::string& input) {
  const std::optional<Node> written = node_of_output(output);
  return written && written == node_of_input(input);
}

bool is_folder(const std::string& path) {
  std::error_code ignored;
  return path != "-" && fs::is_directory(path, ignored);
}

// The file with the vocabulary of visual words; "" if there is none.
std::string vocabulary_of(const FeatureSpec& features) {
  const ImageFeatures* image = features.image();
  return image ? image->words : "";
}

// The vocabularies that the features name. Misspelled features are ignored here and refused later.
std::vector<std::string> vocabularies(const Options& options) {
  std::vector<std::string> out;
  try {
    if (options.features) out.push_back(vocabulary_of(FeatureSpec::parse(*options.features)));
    if (options.config) out.push_back(vocabulary_of(Config::parse(*options.config).features));
  } catch (const Error&) {
  }
  std::erase(out, "");
  return out;
}

// The arguments that are files or folders to read.
std::vector<std::string> inputs_of(const Options& options) {
  const CommandRow& command = command_row(options.command);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < options.inputs.size(); ++i) {
    const InputKind kind = command.input_kind(i);
    if (kind == InputKind::kFiles || kind == InputKind::kIndex) out.push_back(options.inputs[i]);
  }
  return out;
}

void check_against_folders(const Place& output, const std::vector<Place>& inputs) {
  const fs::path file = resolved(output.path);
  for (const Place& input : inputs) {
    if (!is_folder(input.path) || !lies_in(file, resolved(input.path))) continue;
    if (Index::is_at(input.path))
      refuse(fmt::format("{} '{}' is in the index '{}'", output.what, output.path, input.path),
             "choose a place outside");
    refuse(
        fmt::format(
            "{} '{}' is in the input folder '{}', where the next run would read it as a document",
            output.what, output.path, input.path),
        "choose a place outside");
  }
}

// A file that the program itself opens may get the number of a descriptor that is closed. Those
// that a program has from its caller are never closed on exec, and its own ones always are.
void check_descriptor(const Place& place, std::string_view redirection) {
  const auto descriptor = OutputFile::named_descriptor(place.path);
  if (!descriptor || *descriptor <= STDERR_FILENO) return;
  const int flags = ::fcntl(*descriptor, F_GETFD);
  if (flags >= 0 && (flags & FD_CLOEXEC) == 0) return;
  refuse(fmt::format("{} '{}' is a descriptor that was not opened for this program", place.what,
                     place.path),
         fmt::format("open it in the shell ({}{}FILE), or name a file", *descriptor, redirection));
}

// Whether an experiment that writes to the folder may write a file of this name.
bool may_be_written_in(const fs::path& folder, const std::string& path) {
  const fs::path file = resolved(path);
  if (!lies_in(file, folder)) return false;
  const std::string end = file.extension().string();
  return end == ".txt" || end == ".json" || end == ".csv" || end == ".svg";
}

// Whether this is a name of the files that a run keeps in its work folder.
bool is_kept_name(const fs::path& file) { return is_stage_file(file.filename().string()); }

// Refuses an input or an output that is one of the files that the run itself writes and removes.
// Other commands keep nothing: their files in the work folder have no names.
void check_work_folder(const Options& options, const std::vector<Place>& inputs,
                       const std::vector<Place>& outputs,
                       const std::function<bool(const std::string&)>& reads) {
  if ((options.command & (kDedup | kPassages)) == 0 || !options.work || !is_folder(*options.work))
    return;
  const fs::path folder = resolved(*options.work);
  for (const Place& input : inputs)
    if (is_folder(input.path) && is_read_at(*options.work, input.path))
      refuse(fmt::format("the work folder '{}' is also {}", *options.work, input.what),
             "choose another one");
  check_against_folders({"the work folder", *options.work, true}, inputs);
  const auto kept = [&](std::string_view what, const std::string& path) {
    refuse(fmt::format("{} '{}' is a file that the run itself writes in its work folder '{}'", what,
                       path, *options.work),
           "choose another name, or another folder");
  };
  for (const Place& output : outputs)
    if (!OutputFile::is_direct(output.path) && lies_in(resolved(output.path), folder) &&
        is_kept_name(resolved(output.path)))
      kept(output.what, output.path);
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(*options.work, failed)) {
    if (!is_kept_name(entry.path())) continue;
    const std::string path = entry.path().string();
    for (const Place& input : inputs)
      if (is_read_at(path, input.path)) kept(input.what, input.path);
    for (const Place& output : outputs)
      if (is_read_at(path, output.path)) kept(output.what, output.path);
    if (reads && reads(path)) kept("the input", path);
  }
}

}  // namespace

bool same_place(const std::string& a, const std::string& b) {
  // For outputs that are renamed into place only the path counts: renaming replaces one hard link
  // and leaves the others. Devices may be shared (/dev/null, a terminal).
  const bool direct = OutputFile::is_direct(a) || OutputFile::is_direct(b);
  if (!direct) return resolved(a) == resolved(b);
  const auto descriptor = OutputFile::named_descriptor(a);
  if (descriptor && descriptor == OutputFile::named_descriptor(b)) return true;
  struct stat status_a{}, status_b{};
  return status_of(a, status_a) && status_of(b, status_b) && !S_ISCHR(status_a.st_mode) &&
         is_same_node(status_a, status_b);
}

std::vector<Place> places_to_read(const Options& options) {
  std::vector<Place> out;
  for (const std::string& input : inputs_of(options)) out.push_back({"an input", input});
  for (const OptionRow& row : option_table()) {
    if ((row.commands & options.command) == 0 || row.path != PathRole::kRead) continue;
    // Messages call references inputs.
    const std::string what =
        row.list != nullptr ? "an input" : fmt::format("what {} reads", row.long_name());
    if (row.list != nullptr)
      for (const std::string& path : options.*row.list) out.push_back({what, path});
    if (row.text != nullptr && options.*row.text) out.push_back({what, *(options.*row.text)});
  }
  for (const std::string& path : vocabularies(options))
    out.push_back({"the vocabulary of the features", path});
  return out;
}

std::vector<Place> places_to_write(const Options& options) {
  std::vector<Place> out;
  // A dedup of an index writes only lists, which the option table has.
  if (options.command == kDedup && !options.stage && !Index::is_at(options.inputs.front()))
    out = DedupOutputs(options).named();
  if (options.command == kSnapshot) out.push_back({"the snapshot", options.inputs[1], true});
  // A review prints its result on standard output, wherever the answers go.
  if (options.command == kReview) out.push_back({"the result", "-"});
  for (const OptionRow& row : option_table()) {
    if ((row.commands & options.command) == 0 || row.path != PathRole::kWrite) continue;
    if (row.text == nullptr || !(options.*row.text)) continue;
    const std::string& path = *(options.*row.text);
    // It may be a folder, and its files are known when the inputs are.
    if (row.text == &Options::output && writes_tables(options)) continue;
    const bool named = std::any_of(out.begin(), out.end(), [&](const Place& place) {
      return place.path == path && options.command == kDedup;
    });
    if (named) continue;
    const bool is_output = row.text == &Options::output;
    out.push_back({is_output ? "the output" : fmt::format("what {} writes", row.long_name()), path,
                   row.value == "DIR"});
  }
  return out;
}

void check_places(const Options& options, const std::vector<Place>& outputs,
                  const std::function<bool(const std::string& path)>& reads) {
  const std::vector<Place> inputs = places_to_read(options);
  for (const Place& input : inputs) check_descriptor(input, "<");
  for (const Place& output : outputs) check_descriptor(output, ">");
  // There may be thousands of inputs and outputs, so nothing is looked up for each pair of them.
  std::map<Node, const Place*> read;
  std::vector<Place> folders;
  for (const Place& input : inputs) {
    if (const std::optional<Node> node = node_of_input(input.path)) read.emplace(*node, &input);
    if (is_folder(input.path)) folders.push_back(input);
  }
  std::map<std::string, std::size_t> known;  // outputs that are files, by their resolved paths
  std::vector<bool> are_direct;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [what, path, folder] = outputs[i];
    if (path.empty()) refuse(fmt::format("{} has an empty name", what));
    if (path.find("://") != path.npos && !is_folder(path) && Index::is_at(path))
      refuse(fmt::format("{} '{}' is the address of an index", what, path),
             folder ? "name a folder" : "name a file");
    const bool direct = OutputFile::is_direct(path);
    are_direct.push_back(direct);
    std::optional<std::size_t> same;
    if (!direct) {
      const auto [at, is_new] = known.emplace(resolved(path).string(), i);
      if (!is_new) same = at->second;
    }
    // Two outputs to the same pipe would be mixed, too, and "-" may be redirected to a file.
    for (std::size_t j = 0; j < i && !same; ++j)
      if ((direct || are_direct[j]) && same_place(outputs[j].path, path)) same = j;
    if (same)
      refuse(fmt::format("{} and {} are the same file '{}'", outputs[*same].what, what, path),
             "give them different names");
    for (const Place& other : outputs)
      if (other.folder && !folder && may_be_written_in(resolved(other.path), path))
        refuse(fmt::format("{} '{}' may be one of the files of '{}'", what, path, other.path),
               "end it with .html, or choose a place outside");
    const bool is_input = reads && reads(path == "-" ? "/proc/self/fd/1" : path);
    const std::optional<Node> node = node_of_output(path);
    const auto input = node ? read.find(*node) : read.end();
    const bool is_read = is_input || input != read.end();
    const std::string read_as = !is_read ? "" : is_input ? "an input" : input->second->what;
    if (direct) {
      if (is_read)
        refuse(fmt::format("{} '{}' writes to a file that is also {}", what, path, read_as),
               "choose another one");
      continue;
    }
    if (!folder && is_folder(path))
      refuse(fmt::format("{} '{}' is a folder", what, path), "name a file");
    check_against_folders(outputs[i], folders);
    if (is_read)
      refuse(fmt::format("{} '{}' is also {}", what, path, read_as), "choose another name");
  }
  check_work_folder(options, inputs, outputs, reads);
}

}  // namespace benzer::cli
