#include "table_files.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/index.h"

#include "../shared/settings.h"
#include "places.h"

namespace benzer::cli {
namespace {

namespace fs = std::filesystem;

TableFiles* the_table_files = nullptr;

bool is_table_name(std::string name) {
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
  constexpr std::string_view kEndings[] = {".parquet", ".parq", ".pq",     ".arrow",
                                           ".arrows",  ".ipc",  ".feather"};
  return std::ranges::any_of(kEndings, [&](std::string_view end) { return name.ends_with(end); });
}

// Whether a file in the folder or below is a table. Names that begin with '_' or '.' are those of
// marks, checksums and unfinished files.
bool holds_tables(const std::string& folder) {
  const auto is_hidden = [](const fs::path& path) {
    const std::string name = path.filename().string();
    return name.starts_with('_') || name.starts_with('.');
  };
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                      failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    if (is_hidden(at->path()))
      at.disable_recursion_pending();
    else if (is_table_name(at->path().string()) && at->is_regular_file(failed))
      return true;
  }
  return false;
}

// Refuses REDIS://HOST/NAME, which would be taken for the address of tables.
void check_scheme(const std::string& name) {
  const std::size_t end = name.find("://");
  if (end == name.npos) return;
  std::string scheme = name.substr(0, end);
  std::ranges::transform(scheme, scheme.begin(), [](unsigned char c) { return std::tolower(c); });
  const std::string lower = scheme + name.substr(end);
  if (lower != name && Index::is_at(lower))
    refuse(fmt::format("'{}' is not the scheme of an address", name.substr(0, end)),
           fmt::format("write {}:// in lower case", scheme));
}

bool is_table(const std::string& name) {
  if (Index::is_at(name)) return false;
  if (name.find("://") != name.npos || is_table_name(name)) return true;
  std::error_code failed;
  return fs::is_directory(name, failed) && holds_tables(name);
}

}  // namespace

TableFiles* table_files() noexcept { return the_table_files; }
void set_table_files(TableFiles* files) noexcept { the_table_files = files; }

bool names_tables(const std::vector<std::string>& inputs) {
  return !inputs.empty() && is_table(inputs.front());
}

bool writes_tables(const Options& options) {
  return options.command == kDedup && the_table_files != nullptr && names_tables(options.inputs);
}

void hand_over_tables(const Options& options, const std::vector<std::string>& arguments) {
  const std::vector<Place> read = places_to_read(options);
  for (const Place& place : read) check_scheme(place.path);
  // A format says that they are no tables, whatever their names.
  if (the_table_files != nullptr || options.format) return;
  if (options.command == kTrainWords || options.command == kUpdate) return;
  const auto table =
      std::ranges::find_if(read, [](const Place& place) { return is_table(place.path); });
  if (table == read.end()) return;
  const std::string what = fmt::format("'{}' names Parquet or Arrow tables", table->path);
  const char* python = std::getenv("BENZER_PYTHON");
  const char* package = std::getenv("BENZER_PYTHON_PROGRAM");
  if (python == nullptr || package == nullptr)
    refuse(what + ", which this program does not read by itself",
           "the command of the Python package does: pip install 'benzer[arrow]'");
  const std::string command(command_row(options.command).name);
  std::vector<const char*> words{python, package, command.c_str()};
  for (const std::string& argument : arguments) words.push_back(argument.c_str());
  words.push_back(nullptr);
  execv(python, const_cast<char* const*>(words.data()));
  throw Error(ErrorCode::kNotFound, Subject::file(python),
              fmt::format("{}, and the Python that reads them cannot be started: {}", what,
                          std::strerror(errno)));
}

}  // namespace benzer::cli
