// The pictures of the experiment on pictures: read, or made up from a seed. Which are the same
// picture is known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "benzer/research/experiments.h"

#include "image/decoder.h"
#include "image/picture.h"

namespace benzer::experiments {

struct PictureCase {
  std::string name;              // of its file below the folder, or of what was made
  std::string group;             // pictures of one group are the same picture
  std::string change = {};       // of what it went through; of an original empty
  std::string kind = {};         // of the change
  std::string path = {};         // of its file; empty: made up
  std::size_t number = 0;        // of the made-up picture; of a file its place among all
  bool is_changed_here = false;  // the file is the original
};

struct PictureCases {
  std::vector<PictureCase> cases;
  // By case, the original of its group; its own place: it is the original, or another one of it.
  std::vector<std::size_t> originals;
  // By case, equal for groups that may be like one another rightly, so that a pair of them says
  // nothing: those whose names have four words or more and differ in one of them are one design in
  // several colours ("ubuntu-mate-cold-no-logo" and "ubuntu-mate-warm-no-logo").
  std::vector<std::size_t> designs;
  bool made_up = false;
  std::size_t groups = 0;
};

// The rows of every groups.tsv in the folder options.data and below (file, group, variant, kind;
// the kind "original" marks originals, which may lie in ../originals), and of folders without one
// every picture as a group by its own name. Groups are the same if their names are, or if one is
// the other behind the first '-' ("kde-altai", "altai"). Without a folder: made up, some with all
// picture_changes(). Where no picture is a changed one, changed_here(). Throws Error(kNotFound) and
// Error(kBadInput) for files, Error(kInvalidArgument) for a folder without two groups.
PictureCases picture_cases(const ExperimentOptions& options);
// Made up: so many with all changes, and so many strangers.
PictureCases made_picture_cases(std::size_t changed, std::size_t strangers);
// The originals among files, and what files seldom have of them: cut to a half and to a quarter,
// turned by 30 degrees, with a caption, pasted onto another picture.
PictureCases changed_here(const PictureCases& files);

// Grey, and changed if that is done here. Throws Error(kBadInput) for a file that is no picture.
class PictureLoader {
 public:
  explicit PictureLoader(const ExperimentOptions& options);
  Picture load(const PictureCase& wanted) const;

 private:
  Picture read(const PictureCase& wanted) const;

  std::uint64_t seed_;
  std::unique_ptr<ImageDecoder> decoder_;  // null: all are made up
};

}  // namespace benzer::experiments
