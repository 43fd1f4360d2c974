#include "research/experiments/picture_data.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "benzer/error.h"

#include "base/file.h"
#include "features/config_text.h"
#include "research/experiments/made_pictures.h"
#include "research/experiments/picture_changes.h"

namespace benzer::experiments {
namespace {

namespace fs = std::filesystem;
using internal::split;

constexpr std::string_view kOriginal = "original";

// Changes that are rare in collections of files, and hardest to find again.
constexpr std::array<std::string_view, 5> kChangedHere = {"half", "crop50", "rot30", "overlay",
                                                          "collage"};

[[noreturn]] void fail(ErrorCode code, const std::string& path, const std::string& why) {
  throw Error(code, Subject::file(path), why);
}

std::string read_file(const std::string& path) {
  std::string bytes;
  if (const int error = read_whole(path, std::numeric_limits<std::size_t>::max() - 1, bytes))
    fail(error == ENOENT ? ErrorCode::kNotFound : ErrorCode::kBadInput, path,
         "cannot be read: " + system_message(error));
  return bytes;
}

void add_rows(const std::string& folder, std::string_view below, std::vector<PictureCase>& out) {
  const std::string path = folder + "/groups.tsv";
  const std::string bytes = read_file(path);
  const std::vector<std::string_view> lines = split(bytes, '\n');
  if (!lines[0].starts_with("file\tgroup\tvariant\tkind"))
    fail(ErrorCode::kBadInput, path, "its first line is not file, group, variant, kind");
  for (std::size_t i = 1; i < lines.size(); ++i) {
    std::string_view line = lines[i];
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    const std::vector<std::string_view> words = split(line, '\t');
    if (words.size() != 4)
      fail(ErrorCode::kBadInput, path,
           fmt::format("line {} has {} fields and not 4", i + 1, words.size()));
    PictureCase& row = out.emplace_back();
    row.name = fmt::format("{}{}", below, words[0]);
    row.group = words[1];
    if (words[3] != kOriginal) {
      row.change = words[2];
      row.kind = words[3];
    }
    row.path = fmt::format("{}/{}", folder, words[0]);
    // Changed images may be stored without their originals.
    if (std::error_code error; row.kind.empty() && !fs::exists(row.path, error))
      if (std::string beside = fmt::format("{}/../originals/{}", folder, words[0]);
          fs::exists(beside, error))
        row.path = std::move(beside);
  }
}

bool is_picture_name(const fs::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  constexpr std::string_view kEndings[] = {".jpg", ".jpeg", ".png", ".webp",
                                           ".gif", ".pgm",  ".ppm", ".pnm"};
  return std::find(std::begin(kEndings), std::end(kEndings), ending) != std::end(kEndings);
}

// What a folder and its subfolders have.
struct Listing {
  std::vector<PictureCase> rows;   // of groups.tsv
  std::vector<PictureCase> plain;  // images that no groups.tsv is beside
  std::size_t links = 0;
};

// Adds the images of a folder and its subfolders, in the order of their names.
void add_folder(const std::string& folder, const std::string& below, Listing& out) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    entries.push_back(at->path());
  if (error)
    fail(
        error == std::errc::no_such_file_or_directory ? ErrorCode::kNotFound : ErrorCode::kBadInput,
        folder, "cannot be read: " + error.message() + "; give a folder of pictures");
  std::sort(entries.begin(), entries.end());
  const bool listed = fs::exists(folder + "/groups.tsv", error);
  if (listed) add_rows(folder, below, out.rows);
  for (const fs::path& entry : entries) {
    const std::string name = entry.filename().string();
    if (fs::is_directory(entry, error)) {
      if (fs::is_symlink(entry, error)) {
        ++out.links;
      } else {
        add_folder(entry.string(), below + name + "/", out);
      }
    } else if (!listed && is_picture_name(entry)) {
      PictureCase& one = out.plain.emplace_back();
      one.name = below + name;
      one.group = entry.stem().string();
      one.path = entry.string();
    }
  }
}

// Whether two names consist of the same number of words between '-', four or more, and differ in
// one of them.
bool is_one_design(std::string_view a, std::string_view b) {
  const std::vector<std::string_view> of_a = split(a, '-'), of_b = split(b, '-');
  if (of_a.size() < 4 || of_a.size() != of_b.size()) return false;
  std::size_t other = 0;
  for (std::size_t i = 0; i < of_a.size(); ++i) other += of_a[i] != of_b[i] ? 1 : 0;
  return other == 1;
}

// Renames the group "altai" to "kde-altai" if exactly one group has that ending.
void unite_groups(std::vector<PictureCase>& cases) {
  std::map<std::string, std::set<std::string>, std::less<>> by_end;
  for (const PictureCase& one : cases)
    if (const std::size_t dash = one.group.find('-'); dash != one.group.npos)
      by_end[one.group.substr(dash + 1)].insert(one.group);
  for (PictureCase& one : cases)
    if (const auto at = by_end.find(one.group); at != by_end.end() && at->second.size() == 1)
      one.group = *at->second.begin();
}

// Returns the listed images, and those others that are no copy of the original of a listed group.
std::vector<PictureCase> united(Listing listing) {
  std::vector<PictureCase> cases = std::move(listing.rows);
  std::set<std::string> listed, known;  // groups; known: those that have an original
  for (const PictureCase& one : cases) {
    listed.insert(one.group);
    if (one.kind.empty()) known.insert(one.group);
  }
  for (PictureCase& one : listing.plain) {
    if (!known.insert(one.group).second) {
      if (listed.contains(one.group)) continue;
      one.group = one.name;  // cameras give one name to many pictures, in other folders
    }
    cases.push_back(std::move(one));
  }
  unite_groups(cases);
  return cases;
}

std::vector<PictureCase> made_cases(std::size_t changed, std::size_t strangers) {
  std::vector<PictureCase> cases;
  for (std::size_t number = 0; number < changed + strangers; ++number) {
    const std::string name = fmt::format("{}-{}", kMadeKinds[number % kMadeKinds.size()], number);
    cases.push_back({.name = name, .group = name, .number = number});
    if (number >= changed) continue;
    for (const PictureChange& change : picture_changes())
      cases.push_back({.name = fmt::format("{}__{}", name, change.name),
                       .group = name,
                       .change = std::string(change.name),
                       .kind = std::string(change.kind),
                       .number = number});
  }
  return cases;
}

// Computes the designs, originals and number of groups of the cases.
PictureCases arranged(std::vector<PictureCase> cases) {
  PictureCases out;
  out.cases = std::move(cases);
  std::map<std::string_view, std::size_t> first;  // of a group: its original, or its first case
  std::set<std::string_view> with_original;
  for (std::size_t i = 0; i < out.cases.size(); ++i) {
    const PictureCase& one = out.cases[i];
    first.emplace(one.group, i);
    if (one.kind.empty() && with_original.insert(one.group).second) first[one.group] = i;
  }
  out.groups = first.size();
  std::map<std::string_view, std::size_t> designs;
  for (const auto& [group, place] : first) {
    const auto at = std::find_if(
        designs.begin(), designs.end(),
        [&, &name = group](const auto& one) { return is_one_design(one.first, name); });
    designs.emplace(group, at != designs.end() ? at->second : designs.size());
  }
  for (std::size_t i = 0; i < out.cases.size(); ++i) {
    const PictureCase& one = out.cases[i];
    out.designs.push_back(designs[one.group]);
    out.originals.push_back(one.kind.empty() ? i : first[one.group]);
  }
  return out;
}

}  // namespace

PictureCases made_picture_cases(std::size_t changed, std::size_t strangers) {
  PictureCases out = arranged(made_cases(changed, strangers));
  out.made_up = true;
  return out;
}

PictureCases picture_cases(const ExperimentOptions& options) {
  if (options.data.empty())
    return options.full ? made_picture_cases(100, 500) : made_picture_cases(25, 75);
  Listing listing;
  add_folder(options.data, "", listing);
  const std::size_t links = listing.links;
  PictureCases out = arranged(united(std::move(listing)));
  if (out.groups < 2)
    fail(ErrorCode::kInvalidArgument, options.data,
         "there are no two different pictures; give a folder of pictures, or one with a groups.tsv "
         "(file, group, variant, kind)");
  bool has_changed = false;
  for (std::size_t i = 0; i < out.cases.size(); ++i) has_changed |= out.originals[i] != i;
  if (!has_changed) out = changed_here(out);
  out.links = links;
  return out;
}

PictureCases changed_here(const PictureCases& files) {
  std::vector<PictureCase> cases;
  for (std::size_t i = 0; i < files.cases.size(); ++i) {
    const PictureCase& original = files.cases[i];
    if (!original.kind.empty()) continue;
    cases.push_back(original);
    for (const std::string_view change : kChangedHere)
      cases.push_back({.name = fmt::format("{}__{}", original.name, change),
                       .group = original.group,
                       .change = std::string(change),
                       .kind = std::string(kHard),
                       .path = original.path,
                       .number = i,
                       .is_changed_here = true});
  }
  return arranged(std::move(cases));
}

PictureLoader::PictureLoader(const ExperimentOptions& options) : seed_(options.seed) {
  if (!options.data.empty()) decoder_ = std::make_unique<ImageDecoder>();
}

Picture PictureLoader::load(const PictureCase& wanted) const {
  const Picture original = wanted.path.empty() ? made_picture(seed_, wanted.number) : read(wanted);
  if (!wanted.path.empty() && !wanted.is_changed_here) return original;
  const auto changes = picture_changes();
  for (std::size_t i = 0; i < changes.size(); ++i) {
    if (changes[i].name != wanted.change) continue;
    Draws draws(seed_, 0xC4A6E, wanted.number * changes.size() + i);
    return changes[i].apply(original, draws);
  }
  return original;
}

Picture PictureLoader::read(const PictureCase& wanted) const {
  DecodedImage image = decoder_->decode(read_file(wanted.path), {.colour = false});
  if (!image.problem.empty()) fail(ErrorCode::kBadInput, wanted.path, image.problem);
  return std::move(image.picture);
}

}  // namespace benzer::experiments
