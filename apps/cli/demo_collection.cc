#include "demo_collection.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "benzer/error.h"

#include "../shared/json.h"
#include "../shared/single_text.h"

namespace benzer::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFewestDocuments = 20;
constexpr std::size_t kMostDocuments = 20000;
constexpr std::uint64_t kLargestNotice = 4u << 20;
constexpr std::uint64_t kMostBytes = 256u << 20;  // of all notices

struct NoticeFile {
  std::string id;
  fs::path path;
};

// The entries of a folder; none if it cannot be read.
std::vector<fs::path> entries_of(const fs::path& folder) {
  std::vector<fs::path> out;
  std::error_code failed;
  for (fs::directory_iterator at(folder, failed), end; !failed && at != end; at.increment(failed))
    out.push_back(at->path());
  return out;
}

// Symbolic links are left out: they lead to the same files again.
bool is_own_file(const fs::path& path) {
  std::error_code failed;
  return fs::is_regular_file(fs::symlink_status(path, failed));
}

std::vector<NoticeFile> debian_copyrights() {
  std::vector<NoticeFile> out;
  for (const fs::path& package : entries_of("/usr/share/doc")) {
    std::error_code failed;
    if (fs::is_symlink(package, failed)) continue;
    if (is_own_file(package / "copyright"))
      out.push_back({package.filename().string(), package / "copyright"});
  }
  return out;
}

std::vector<NoticeFile> package_licenses() {
  std::vector<NoticeFile> out;
  for (const fs::path& package : entries_of("/usr/share/licenses")) {
    std::error_code failed;
    if (fs::is_symlink(package, failed)) continue;
    for (const fs::path& file : entries_of(package))
      if (is_own_file(file))
        out.push_back({package.filename().string() + "/" + file.filename().string(), file});
  }
  return out;
}

std::vector<NoticeFile> common_licenses() {
  std::vector<NoticeFile> out;
  for (const fs::path& file : entries_of("/usr/share/common-licenses"))
    if (is_own_file(file)) out.push_back({file.filename().string(), file});
  return out;
}

void add_line(DemoCollection& to, std::string_view id, std::string_view text) {
  JsonObject line;
  to.lines += line.add("id", id).add("text", text).str() + "\n";
  ++to.documents;
}

// Reads the files in the order of their ids. A file that cannot be read is left out. Returns
// nothing if there are too few.
std::optional<DemoCollection> read_notices(std::vector<NoticeFile> files) {
  std::ranges::sort(files, {}, &NoticeFile::id);
  DemoCollection out;
  for (const NoticeFile& file : files) {
    if (out.documents == kMostDocuments || out.lines.size() > kMostBytes) break;
    try {
      const std::string text = read_text(file.path.string(), kLargestNotice);
      if (!text.empty()) add_line(out, file.id, text);
    } catch (const Error&) {
    }
  }
  if (out.documents < kFewestDocuments) return std::nullopt;
  return out;
}

// The standard says which numbers it gives, so they are the same on every machine.
using DemoNumbers = std::mt19937;

std::size_t below(DemoNumbers& numbers, std::size_t bound) { return numbers() % bound; }

constexpr auto kSubjects = std::to_array<std::string_view>(
    {"the north bridge", "the harbour ferry", "the city library", "the night bus", "the old market",
     "the water works", "the swimming pool", "the railway station", "the school kitchen",
     "the botanical garden", "the town hall", "the post office"});
constexpr auto kEvents = std::to_array<std::string_view>(
    {"is closed for repairs", "opens two hours later", "has a new timetable",
     "moves to another building", "cannot be reached by car", "asks visitors to book ahead",
     "is open without a break", "accepts no cash", "is looking for volunteers",
     "shows an exhibition about rivers"});
constexpr auto kDays = std::to_array<std::string_view>(
    {"Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"});
constexpr auto kReasons = std::to_array<std::string_view>(
    {"after the storm damaged its roof", "while engineers replace the heating",
     "until the new entrance is finished", "because many of the staff are ill",
     "as the council decided in spring", "during the summer festival",
     "since the power line has to be renewed", "so that the floors can be cleaned"});
constexpr auto kAdvice = std::to_array<std::string_view>(
    {"Please use the side entrance", "Tickets remain valid", "A replacement bus runs every hour",
     "Guided tours take place as planned", "Dogs are welcome on a lead",
     "Questions are answered at the information desk", "Bicycles can be left in the yard",
     "Parents are asked to sign the list at the door"});

std::string_view pick(DemoNumbers& numbers, std::span<const std::string_view> from) {
  return from[below(numbers, from.size())];
}

std::string made_up_notice(DemoNumbers& numbers) {
  std::string out;
  for (int sentence = 0; sentence < 4; ++sentence) {
    // A list in braces is evaluated in its order, arguments of a function in any.
    const std::array<std::string_view, 5> words = {pick(numbers, kDays), pick(numbers, kSubjects),
                                                   pick(numbers, kEvents), pick(numbers, kReasons),
                                                   pick(numbers, kAdvice)};
    out += fmt::format("From {} on {} {} {}. {}, and call {} for details. ", words[0], words[1],
                       words[2], words[3], words[4], 100 + below(numbers, 900));
  }
  out.pop_back();
  return out;
}

// Replaces some of the words, so that copies have scores of all sizes.
std::string edited(const std::string& text, std::size_t edits, DemoNumbers& numbers) {
  std::vector<std::string> words(1);
  for (const char c : text) {
    if (c == ' ') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  for (std::size_t i = 0; i < edits; ++i)
    words[below(numbers, words.size())] = pick(numbers, kDays);
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

}  // namespace

DemoCollection machine_collection() {
  struct Source {
    std::vector<NoticeFile> (*files)();
    fmt::format_string<std::size_t&> about;
  };
  constexpr Source kSources[] = {
      {debian_copyrights,
       "Every Debian package carries a copyright file, and many are near-copies of one another.\n"
       "Here are the {} of this machine.\n"},
      {package_licenses,
       "Packages carry their licences, and many are near-copies of one another.\n"
       "Here are the {} licence files of this machine.\n"},
      {common_licenses, "Here are the {} licence texts of /usr/share/common-licenses.\n"}};
  for (const Source& source : kSources) {
    if (auto found = read_notices(source.files())) {
      found->about = fmt::format(source.about, found->documents);
      return *std::move(found);
    }
  }
  return made_up_collection();
}

DemoCollection made_up_collection() {
  constexpr std::size_t kNotices = 200;
  DemoCollection out;
  DemoNumbers numbers;
  std::vector<std::string> texts;
  while (texts.size() < kNotices) {
    if (texts.size() > 20 && below(numbers, 3) == 0) {
      const std::string& original = texts[below(numbers, texts.size())];
      texts.push_back(edited(original, 1 + below(numbers, 6), numbers));
    } else {
      texts.push_back(made_up_notice(numbers));
    }
    add_line(out, fmt::format("notice-{}", texts.size()), texts.back());
  }
  out.about = fmt::format(
      "Here are {} short notices. They are made up, and some are edited copies of others.\n",
      out.documents);
  return out;
}

}  // namespace benzer::cli
