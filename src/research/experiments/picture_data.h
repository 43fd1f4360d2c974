// Provides the images of the experiment on images: read from files, or generated from a seed. It is
// known which of them show the same image.
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
  std::string name;              // of its file below the folder, or of the generated image
  std::string group;             // images of one group are copies of one image
  std::string change = {};       // name of the change; empty for an original
  std::string kind = {};         // of the change
  std::string path = {};         // of its file; empty if generated
  std::size_t number = 0;        // of a generated image; for a file its place among all
  bool is_changed_here = false;  // the file has the original, and load() changes it
};

struct PictureCases {
  std::vector<PictureCase> cases;
  // By case, the original of its group; its own place if it is an original itself.
  std::vector<std::size_t> originals;
  // By case; equal for groups whose images may rightly be similar, so that pairs of them are not
  // counted. Groups whose names have four words or more and differ in one of them are one design in
  // several colours ("ubuntu-mate-cold-no-logo" and "ubuntu-mate-warm-no-logo").
  std::vector<std::size_t> designs;
  bool made_up = false;
  std::size_t groups = 0;
  std::size_t links = 0;  // symbolic links to folders, which are not followed
};

// Reads the folder options.data and its subfolders. A folder with a groups.tsv gives its rows
// (file, group, variant, kind; the kind "original" marks originals, which may be in ../originals).
// In a folder without one every image is a group with its own name, unless its name is that of a
// listed group: then it is the original of it, or left out if that has one. Listed groups are the
// same if their names are equal, or if one name is the other after its first '-' ("kde-altai",
// "altai"). Symbolic links to folders are not followed, since they may lead in circles. Without a
// folder images are generated, some with all picture_changes(). If no image is a changed one,
// returns changed_here(). Throws Error(kNotFound) and Error(kBadInput) for files, and
// Error(kInvalidArgument) for a folder without two groups.
PictureCases picture_cases(const ExperimentOptions& options);
// Generates `changed` images with all changes, and `strangers` other images.
PictureCases made_picture_cases(std::size_t changed, std::size_t strangers);
// The originals among files, with changes that are rare in files: cut to a half and to a quarter,
// turned by 30 degrees, with a caption, pasted onto another image.
PictureCases changed_here(const PictureCases& files);

// Loads the image of a case in grey, and changes it if is_changed_here or if it is generated.
// Throws Error(kNotFound) for a missing file, and Error(kBadInput) for one that cannot be decoded.
class PictureLoader {
 public:
  explicit PictureLoader(const ExperimentOptions& options);
  Picture load(const PictureCase& wanted) const;

 private:
  Picture read(const PictureCase& wanted) const;

  std::uint64_t seed_;
  std::unique_ptr<ImageDecoder> decoder_;  // null if all images are generated
};

}  // namespace benzer::experiments
