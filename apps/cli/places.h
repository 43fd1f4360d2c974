// The files and folders that a command line names, and that nothing is written where something is
// read: one check that every command goes through before it reads anything.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "options.h"

namespace benzer::cli {

// A path, and what it is called in a sentence: "the output", "the list of pairs".
struct Place {
  std::string what;
  std::string path;
  bool folder = false;  // a folder to be written
};

// What the options name to be read: inputs, references, signatures, vocabularies, keys.
std::vector<Place> places_to_read(const Options& options);

// What they name to be written, with the names that follow from these.
std::vector<Place> places_to_write(const Options& options);

// Throws Error(kInvalidArgument) for an output that
// - is read, by its own name, a link or another spelling; or lies in a folder that is read;
// - is the same file or pipe as another output;
// - has the name of a file that the run itself keeps in its work folder.
// reads: is this file a part of what is read? For those that are found only by opening the inputs;
// may be empty.
void check_places(const Options& options, const std::vector<Place>& outputs,
                  const std::function<bool(const std::string& path)>& reads);

// Would what is written to both of them come out in one place?
bool same_place(const std::string& a, const std::string& b);

}  // namespace benzer::cli
