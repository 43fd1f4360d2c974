#include "store/disk/named_files.h"

#include <string>

#include <fmt/format.h>

#include "benzer/error.h"

namespace benzer {
namespace {

void check_seal(const std::string& path, const Seal& named, const Seal& found) {
  if (named.is_known() && found.is_known() && named != found)
    throw Error(
        ErrorCode::kCorrupt, Subject::file(path),
        "it is not the file that the manifest names: another one has been put in its place");
}

}  // namespace

std::shared_ptr<const Segment> open_named_segment(const StoreFolder& folder,
                                                  const Manifest::Part& named,
                                                  const HashLayout& layout,
                                                  std::uint64_t fingerprint) {
  const std::string path = folder.segment(named.segment);
  auto out = std::make_shared<const Segment>(path, layout, fingerprint);
  check_seal(path, named.segment_seal, out->seal());
  return out;
}

NamedRemoved read_named_removed(const StoreFolder& folder, const Manifest::Part& named,
                                const Segment& segment) {
  const std::string path = folder.removed(named.removed);
  const auto fail = [&](const std::string& what) {
    throw Error(ErrorCode::kCorrupt, Subject::file(path), what);
  };
  NamedRemoved out;
  out.seal = read_seal(path);
  check_seal(path, named.removed_seal, out.seal);
  out.list = folder.read_removed(path);
  if (!out.list.is_about(named.segment, segment.seal()))
    fail(fmt::format("it is about another segment {} than the one that is named with it",
                     out.list.segment));
  for (const std::uint32_t document : out.list.documents)
    if (document >= segment.size())
      fail(fmt::format("it names document {} of a segment of {}", document, segment.size()));
  return out;
}

void throw_replaced_too_often(const StoreFolder& folder) {
  throw Error(ErrorCode::kBusy, Subject::file(folder.path()),
              "its files are replaced faster than they can be opened", "try again");
}

}  // namespace benzer
