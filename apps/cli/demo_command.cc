// benzer demo: finds near-duplicates on this machine, or in given files, and shows some of them.
#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "benzer/audit.h"
#include "benzer/error.h"
#include "benzer/index.h"
#include "benzer/output.h"
#include "benzer/runtime.h"

#include "../shared/settings.h"
#include "../shared/single_text.h"
#include "commands.h"
#include "demo_collection.h"
#include "demo_pairs.h"
#include "messages.h"
#include "output_folder.h"
#include "places.h"
#include "program.h"
#include "shown_text.h"
#include "signals.h"

namespace benzer::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kShownPairs = 5;
constexpr std::uint64_t kLargestDemoReport = 256u << 20;
constexpr std::string_view kAboutFile = "about.txt";  // by which a later run knows the folder
constexpr std::string_view kAboutText =
    "'benzer demo' wrote the files of this folder, and writes them again when it is run again.\n";

// The kept documents have the format of the input, so each format has a name.
const std::set<std::string, std::less<>> kKeptEndings = {".jsonl", ".csv",     ".tsv",
                                                         ".txt",   ".parquet", ".arrow"};

bool is_demo_file(const std::string& name) {
  if (name == kAboutFile || name == "docs.jsonl" || name == "report.html" || name == "report.json")
    return true;
  for (const std::string& ending : kKeptEndings)
    if (name == "clean" + ending || name == "clean" + ending + ".removed.jsonl") return true;
  return false;
}

std::string first_line_file(const fs::path& path) {
  try {
    return read_text(path.string(), 4096);
  } catch (const Error&) {
    return "";
  }
}

// Throws Error(kInvalidArgument) if the folder has files that no demo has written.
void check_demo_folder(const std::string& folder) {
  std::error_code failed;
  if (!fs::exists(fs::symlink_status(folder, failed))) return;
  if (!fs::is_directory(folder, failed))
    refuse(fmt::format("'{}' is not a folder", folder), "name another one");
  std::string foreign;
  bool empty = true;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed)) {
    const std::string name = at->path().filename().string();
    empty = false;
    if (!is_demo_file(name) && (foreign.empty() || name < foreign)) foreign = name;
  }
  if (failed)
    throw Error(ErrorCode::kStorageFailed,
                fmt::format("the folder {} cannot be read: {}", folder, failed.message()));
  if (empty) return;
  if (!foreign.empty())
    refuse(fmt::format("the folder '{}' has a file that is not of a demo, '{}'", folder, foreign),
           "name an empty folder, or a new one");
  if (first_line_file(fs::path(folder) / kAboutFile) != kAboutText)
    refuse(fmt::format("the folder '{}' has files that are not of a demo", folder),
           "name an empty folder, or a new one");
}

// The folder becomes the current one while this object exists.
class InFolder {
 public:
  explicit InFolder(const std::string& folder) : before_(fs::current_path()) {
    std::error_code failed;
    fs::current_path(folder, failed);
    if (failed)
      throw Error(ErrorCode::kStorageFailed,
                  fmt::format("the folder {} cannot be entered: {}", folder, failed.message()));
  }
  ~InFolder() {
    std::error_code ignored;
    fs::current_path(before_, ignored);
  }
  InFolder(const InFolder&) = delete;
  InFolder& operator=(const InFolder&) = delete;

 private:
  fs::path before_;
};

void write_demo_file(std::string_view name, std::string_view contents) {
  OutputFile file{std::string(name)};
  file.write(contents);
  file.commit();
}

// How the input is called in the folder: a short relative path if there is one.
std::string seen_from(const fs::path& folder, const std::string& input) {
  const fs::path absolute = fs::absolute(input).lexically_normal();
  const std::string relative = absolute.lexically_relative(folder).string();
  if (relative.empty() || relative.starts_with("../../../")) return absolute.string();
  return relative.starts_with('-') ? "./" + relative : relative;
}

std::string kept_name(const std::string& input) {
  std::error_code failed;
  if (fs::is_directory(input, failed)) return "clean.txt";
  fs::path name = fs::path(input).filename();
  for (const char* packed : {".gz", ".zst", ".xz", ".bz2"})
    if (name.extension() == packed) name = name.stem();
  const std::string ending = name.extension().string();
  return "clean" + (kKeptEndings.contains(ending) ? ending : ".jsonl");
}

std::string word_in_shell(const std::string& word) {
  constexpr std::string_view kPlain =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:=@%+,";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  return in_shell_quotes(word);
}

std::string address_of(const fs::path& file) {
  std::string out = "file://";
  for (const char c : file.string()) {
    constexpr std::string_view kPlain =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./~+,=@";
    if (kPlain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

std::string last_words(const std::string& folder, const fs::path& absolute,
                       const std::string& kept) {
  const std::string place = printable((fs::path(folder) / kept).string());
  std::string out = fmt::format(
      "\nKept:    {0}\n"
      "Removed: {0}.removed.jsonl   (a line each: what, because of what, and the score)\n"
      "Report:  {1}\n"
      "         (open it in a browser: what was removed, and why, with the texts side by side)\n"
      "\nWith your own data:\n",
      place, address_of(absolute / "report.html"));
  const auto next = [&out](std::string_view command, std::string_view what) {
    out += fmt::format("  {:<44} {}\n", command, what);
  };
  next("benzer dedup docs.jsonl -o clean.jsonl", "JSON lines with \"id\" and \"text\"");
  next("benzer dedup letters/ -o kept.txt", "a folder, each file a document");
  next("benzer pairs docs.jsonl --threshold 0.7", "all similar pairs, nothing removed");
  next("benzer compare a.txt b.txt", "two texts, and why they are similar");
  next("benzer explain a.txt", "every step for one text");
  next("benzer --help", "all commands");
  return out;
}

}  // namespace

int run_demo(const Options& options) {
  const std::string folder = options.out.value_or("benzer-demo");
  if (folder.empty()) refuse_value("out", folder, "name a folder");
  std::vector<std::string> words{"dedup"};
  if (!options.inputs.empty()) {
    const std::string& input = options.inputs.front();
    if (options.made_up)
      refuse(fmt::format("'{}' has no effect with ", input) + Parameter{"made_up"},
             "leave out one of them");
    if (input == "-") refuse("the demo does not read standard input", "name a file or a folder");
    if (Index::is_at(input))
      refuse(fmt::format("'{}' is an index", input), "name a file, or a folder of texts");
    std::error_code failed;
    if (!fs::exists(input, failed))
      throw Error(ErrorCode::kNotFound, Subject::file(input), "there is no such file or folder", {},
                  ": ");
  }
  Options placed = options;
  placed.out = folder;
  check_places(placed, places_to_write(placed), nullptr);
  check_demo_folder(folder);
  make_output_folder(folder);
  const fs::path absolute = fs::canonical(folder);

  std::string kept = "clean.jsonl";
  std::string about;
  if (!options.inputs.empty()) {
    kept = kept_name(options.inputs.front());
    words.insert(words.end(), {seen_from(absolute, options.inputs.front()), "-o", kept});
  }
  const InFolder inside(absolute.string());
  write_demo_file(kAboutFile, kAboutText);
  if (options.inputs.empty()) {
    const DemoCollection collection = options.made_up ? made_up_collection() : machine_collection();
    write_demo_file("docs.jsonl", collection.lines);
    about = collection.about + "\n";
    // A small machine has few pairs between 0.8 and 1.
    words.insert(words.end(), {"docs.jsonl", "-o", kept, "--threshold", "0.5"});
  }
  words.insert(words.end(), {"--report", "report.html"});
  std::string command = "$ benzer";
  for (const std::string& word : words) command += " " + word_in_shell(word);
  // If its reader goes away, the files are still written.
  print_if_read(
      fmt::format("{}$ cd {}\n{}\n", about, printable(word_in_shell(folder)), printable(command)));

  const int code = run_arguments(words);
  throw_if_stopped(stop_flag());
  const Review review = read_review(read_text("report.json", kLargestDemoReport));
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  const std::string pairs = shown_pairs(review, kShownPairs, terminal);
  print_if_read(pairs.empty() ? "\nNothing was removed: no two documents are so similar.\n"
                              : fmt::format("\nSome of the pairs, with what differs {}:\n{}",
                                            terminal ? "underlined" : "in [brackets]", pairs));
  print_if_read(last_words(folder, absolute, kept));
  return code;
}

}  // namespace benzer::cli
