// The main() of the unit tests. They do not wait for the disk: nothing that they look at depends on
// it, and waiting took two thirds of their time. Whoever tests syncing puts another file system in
// place.
#include <gtest/gtest.h>

#include "base/file.h"

namespace {

class UnsyncedFiles : public benzer::FileSystem {
 public:
  int fsync(int) override { return 0; }
  int fdatasync(int) override { return 0; }
};

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  UnsyncedFiles files;
  const benzer::ScopedFileSystem scope(files);
  return RUN_ALL_TESTS();
}
