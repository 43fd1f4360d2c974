// Gives each test of a store on disk a fresh store, in a folder that is deleted with the test.
#pragma once

#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/disk/store_folder.h"
#include "store/store_test_util.h"

namespace benzer {

// Makes an empty store, and returns its path.
inline std::string new_store(const TestFolder& folder) {
  std::string path = folder / "store";
  StoreFolder::create(path, "for a test");
  return path;
}

class DiskTest : public testing::Test {
 protected:
  std::unique_ptr<DiskStore> open(const DiskOptions& options = {}) {
    return std::make_unique<DiskStore>(path_, kLayout, kFingerprint, options);
  }

  TestFolder folder_;
  std::string path_ = new_store(folder_);
};

}  // namespace benzer
