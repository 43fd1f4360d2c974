#include "base/given_path.h"

#include <filesystem>
#include <string_view>
#include <system_error>

#include "benzer/error.h"

namespace benzer {
namespace {

// Joins the working directory and a path that was given. For the system it is the same as "/", and
// nobody writes it by hand.
constexpr std::string_view kGivenFrom = "/.//";

}  // namespace

std::string absolute_path(const std::string& path) {
  if (path.find('\0') != std::string::npos)
    throw Error(ErrorCode::kInvalidArgument, Subject::file(path),
                "a byte of its name is zero, which no name has");
  if (path.empty() || path.starts_with('/')) return path;
  std::error_code error;
  const std::string here = std::filesystem::current_path(error).string();
  if (error)
    throw Error(ErrorCode::kStorageFailed, Subject::file(path),
                "the working directory is not known: " + error.message(), "give an absolute path");
  return here + std::string(kGivenFrom) + path;
}

std::string given_path(const std::string& path) {
  const std::size_t at = path.find(kGivenFrom);
  return at == std::string::npos ? path : path.substr(at + kGivenFrom.size());
}

}  // namespace benzer
