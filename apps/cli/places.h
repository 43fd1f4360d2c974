// Lists the files and folders that a command line names, and checks that no output is also an
// input. Every command makes this check before it reads anything.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "../shared/options.h"

namespace benzer::cli {

// A path, and what it is called in a sentence: "the output", "the list of pairs".
struct Place {
  std::string what;
  std::string path;
  bool folder = false;  // a folder to be written
};

// The files that the options name for reading: inputs, references, signatures, vocabularies, keys.
std::vector<Place> places_to_read(const Options& options);

// The files that the options name for writing, and those whose names are derived from these.
std::vector<Place> places_to_write(const Options& options);

// Throws Error(kInvalidArgument) for an output that
// - is also read, by its own name, a link or another spelling, or is in a folder that is read;
// - is the same file or pipe as another output;
// - has the name of a file that the run itself keeps in its work folder;
// - is the address of an index in Redis.
// Also throws it for a path such as /dev/fd/3, of an input or an output, whose descriptor the
// caller of the program has not opened. reads(path) says whether the run reads this file, for files
// that are known only after the inputs were opened; may be empty.
void check_places(const Options& options, const std::vector<Place>& outputs,
                  const std::function<bool(const std::string& path)>& reads);

// Whether output to the two paths would be written to the same file or pipe.
bool same_place(const std::string& a, const std::string& b);

}  // namespace benzer::cli
