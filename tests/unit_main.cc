// Runs the unit tests on a file system that does not wait for the disk.
#include <gtest/gtest.h>

#include "benzer/research/register.h"

#include "base/file.h"
#include "io/io_test_util.h"

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  benzer::register_research();
  benzer::UnsyncedFileSystem files;
  const benzer::ScopedFileSystem scope(files);
  return RUN_ALL_TESTS();
}
