#include "output_folder.h"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer::cli {

void make_output_folder(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(ErrorCode::kStorageFailed,
                fmt::format("the folder {} cannot be made: {}", folder, error.message()));
}

}  // namespace benzer::cli
