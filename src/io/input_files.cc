#include "io/input_files.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

namespace benzer {
namespace {

// Removes the items at the places, which ascend.
template <class T>
void remove_at(std::vector<T>& items, const std::vector<std::size_t>& places) {
  auto next = places.begin();
  std::size_t kept = 0;
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (next != places.end() && *next == i)
      ++next;
    else
      items[kept++] = items[i];
  }
  items.resize(kept);
}

}  // namespace

int open_input(const InputFile& file, FileHandle& out) {
  const int error = file.stream ? open_to_stream(file.path, out) : open_to_read(file.path, out);
  if (error != 0) throw_if_out_of_files(file.path, error);
  return error;
}

void PathList::add(std::string_view path) {
  path.remove_prefix(prefix_.size());
  // A path that needs more than a piece gets one of its own.
  if (pieces_.empty() || pieces_.back().size() + path.size() >= kPieceBytes) pieces_.emplace_back();
  std::vector<char>& piece = pieces_.back();
  places_.push_back((pieces_.size() - 1) * kPieceBytes + piece.size());
  piece.insert(piece.end(), path.begin(), path.end());
  piece.push_back('\0');
}

void PathList::sort() {
  const auto text = [&](std::uint64_t place) {
    return pieces_[place / kPieceBytes].data() + place % kPieceBytes;
  };
  std::sort(places_.begin(), places_.end(),
            [&](std::uint64_t x, std::uint64_t y) { return std::strcmp(text(x), text(y)) < 0; });
}

void PathList::remove(const std::vector<std::size_t>& places) { remove_at(places_, places); }

void PathList::move_to(std::shared_ptr<ScratchFile> file) {
  file_ = std::move(file);
  std::string waiting;
  std::uint64_t begin = file_->size();
  for (std::size_t i = 0; i < size(); ++i) {
    const std::string_view text = rest(i);
    places_[i] = begin + waiting.size();
    waiting += text;
    if (waiting.size() < kPieceBytes && i + 1 < size()) continue;
    file_->append(waiting.data(), waiting.size());
    begin += waiting.size();
    waiting.clear();
  }
  end_ = begin;
  pieces_ = {};
}

std::size_t PathList::bytes() const noexcept {
  std::size_t sum = places_.capacity() * sizeof places_[0];
  for (const std::vector<char>& piece : pieces_) sum += piece.capacity();
  return sum;
}

std::string PathList::operator[](std::size_t place) const {
  if (!file_) return prefix_ + rest(place);
  const std::uint64_t end = place + 1 < size() ? places_[place + 1] : end_;
  std::string path = prefix_;
  path.resize(prefix_.size() + static_cast<std::size_t>(end - places_[place]));
  file_->read(places_[place], path.data() + prefix_.size(), path.size() - prefix_.size());
  return path;
}

void InputFiles::move_to_file(const Workspace& workspace) {
  const auto file = std::make_shared<ScratchFile>(workspace);
  for (Group& group : groups_)
    if (group.like.found) group.paths.move_to(file);
}

void InputFiles::add(const InputFile& file) {
  PathList paths;
  paths.add(file.path);
  add(std::move(paths), file);
}

void InputFiles::add(PathList paths, const InputFile& like) {
  const std::size_t first = size_;
  size_ += paths.size();
  if (size_ == first) return;
  groups_.push_back({first, like, std::move(paths)});
  groups_.back().like.path.clear();
}

void InputFiles::remove(const std::vector<std::size_t>& places) {
  auto next = places.begin();
  std::vector<Group> groups;
  size_ = 0;
  for (Group& group : groups_) {
    std::vector<std::size_t> inside;
    for (; next != places.end() && *next < group.first + group.paths.size(); ++next)
      inside.push_back(*next - group.first);
    group.paths.remove(inside);
    if (group.paths.size() == 0) continue;
    group.first = size_;
    size_ += group.paths.size();
    groups.push_back(std::move(group));
  }
  groups_ = std::move(groups);
}

const InputFiles::Group& InputFiles::group_of(std::size_t place) const noexcept {
  const auto after = std::upper_bound(groups_.begin(), groups_.end(), place,
                                      [](std::size_t x, const Group& y) { return x < y.first; });
  return *std::prev(after);
}

InputFile InputFiles::operator[](std::size_t place) const {
  const Group& group = group_of(place);
  InputFile file = group.like;
  file.path = group.paths[place - group.first];
  return file;
}

}  // namespace benzer
