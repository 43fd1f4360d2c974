// Lets commands read and write documents in Parquet and Arrow files. The program itself has no
// reader of them. The Python package has one, and runs a command in its own process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "benzer/arrow.h"
#include "benzer/dedup.h"

#include "../shared/options.h"

namespace benzer::cli {

class TableFiles {
 public:
  virtual ~TableFiles() = default;

  // Finds the files that are meant by the names of files, folders, patterns and addresses, and adds
  // them to the options, which say what columns are read.
  virtual void open(const std::vector<std::string>& inputs,
                    const std::vector<std::string>& references, ArrowOptions& options) = 0;
  // Whether the path is one of these files, also by another name.
  virtual bool reads(const std::string& path) const = 0;

  // Returns the files that write() makes for an output that may be a folder. Throws
  // Error(kInvalidArgument) if it can be no output of these inputs.
  virtual std::vector<std::string> targets(const std::string& output) = 0;
  // Throws Error if the targets cannot be written. annotated: whether they get the columns of
  // annotations.
  virtual void check_targets(bool annotated) = 0;
  // Writes to the targets the documents that are kept, or if `annotated` is not null all of them
  // with annotations, under temporary names. progress: called with the number of documents that
  // were read.
  virtual void write(const Corpus& corpus, const DedupResult& result, const Clusters* annotated,
                     const std::function<void(std::uint64_t)>& progress) = 0;
  // Gives what was written its names.
  virtual void commit() = 0;
  // Removes what was written and has no name yet.
  virtual void discard() noexcept = 0;
};

// The reader of this process; null if it has none.
TableFiles* table_files() noexcept;
// Must be called before a command runs; `files` must outlive it. A command calls open(), targets(),
// check_targets(), write() and commit(), in this order.
void set_table_files(TableFiles* files) noexcept;

// Whether the first of the names is a Parquet or Arrow file by its ending, an address in an object
// store, or a folder with such a file.
bool names_tables(const std::vector<std::string>& inputs);

// Whether the output of the command has the kept documents of tables.
bool writes_tables(const Options& options);

// If the command reads tables and this process cannot, replaces the process by that of the Python
// package (python/benzer_program.py), which says in environment variables where it is. Throws Error
// if these are not set. arguments: those of the command.
void hand_over_tables(const Options& options, const std::vector<std::string>& arguments);

}  // namespace benzer::cli
