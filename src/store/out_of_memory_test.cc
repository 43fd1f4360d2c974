// Tests that a store is as it was before when memory runs out, at any place: a store in memory, and
// the log and the memtable of one on disk.
#include <cstdlib>
#include <new>

#include <gtest/gtest.h>

#include "benzer/error.h"

#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/disk/disk_test_util.h"
#include "store/memory/memory_store.h"

namespace {

// How many more allocations of this thread succeed before one is refused; negative: all succeed.
thread_local int granted = -1;

}  // namespace

// Replaces the operators of the whole test program. They are not inlined: otherwise the compiler
// sees malloc() and falsely warns of a mismatch.
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  if (granted >= 0 && granted-- == 0) return nullptr;
  return std::malloc(size > 0 ? size : 1);
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (void* memory = operator new(size, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return operator new(size, std::nothrow);
}
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { operator delete(memory); }
void operator delete[](void* memory) noexcept { operator delete(memory); }
void operator delete[](void* memory, std::size_t) noexcept { operator delete(memory); }

namespace benzer {
namespace {

constexpr std::uint64_t kEnough = 1000;  // tries

int refusals = 0;

// Calls the action with more and more memory until it succeeds, at most `tries` times, and returns
// whether it succeeded. A call that fails must have changed nothing.
template <class Action, class Check>
bool call_with_little_memory(std::uint64_t tries, Action action, Check is_as_it_was) {
  for (int grant = 0; static_cast<std::uint64_t>(grant) < tries; ++grant) {
    granted = grant;
    try {
      action();
      granted = -1;
      return true;
    } catch (const std::bad_alloc&) {
      granted = -1;
      ++refusals;
      is_as_it_was();
    }
  }
  return false;
}

TEST(OutOfMemory, ABandTableIsAsItWas) {
  TestRandom random(1);
  BandTable table;
  std::map<std::uint32_t, std::set<std::uint32_t>> model;
  refusals = 0;
  const auto expect_same = [&] {
    ASSERT_TRUE(table.is_sound());
    std::size_t size = 0;
    for (const auto& [key, numbers] : model) {
      std::vector<std::uint32_t> found;
      table.for_each(key, [&](std::uint32_t number) { found.push_back(number); });
      ASSERT_EQ(found, std::vector<std::uint32_t>(numbers.begin(), numbers.end()));
      size += numbers.size();
    }
    ASSERT_EQ(table.size(), size);
  };
  for (int step = 0; step < 3000; ++step) {
    // Few keys, so that lists are made and dissolved; the largest ones, so that the table runs out
    // of places at its end.
    const std::uint32_t key = random.below(3) == 0 ? static_cast<std::uint32_t>(random.next())
                                                   : ~static_cast<std::uint32_t>(random.below(12));
    const auto number = static_cast<std::uint32_t>(random.below(step % 300 < 150 ? 30 : 1000));
    std::set<std::uint32_t>& numbers = model[key];
    if (numbers.contains(number) || (step % 300 >= 150 && !numbers.empty())) {
      const std::uint32_t removed = numbers.contains(number) ? number : *numbers.begin();
      granted = 0;  // a removal needs no memory
      EXPECT_TRUE(table.remove(key, removed));
      granted = -1;
      numbers.erase(removed);
    } else {
      EXPECT_TRUE(call_with_little_memory(kEnough, [&] { table.add(key, number); }, expect_same));
      numbers.insert(number);
    }
    if (step % 50 == 0) expect_same();
  }
  expect_same();
  EXPECT_GT(refusals, 20);
}

// Expects that keys find only documents that the store lists.
void expect_only_living(Store& store, const DocumentHashes& like) {
  const std::unique_ptr<StoreReader> reader = store.reader();
  std::set<DocumentNumber> living;
  reader->for_each([&](DocumentNumber document) {
    living.insert(document);
    return true;
  });
  std::vector<const FieldHashes*> queries;
  for (const FieldHashes& field : like.fields) queries.push_back(&field);
  std::vector<std::vector<DocumentNumber>> found(queries.size());
  reader->get_ids(queries, found);
  for (const std::vector<DocumentNumber>& documents : found)
    for (const DocumentNumber document : documents) EXPECT_TRUE(living.contains(document));
}

// Writes random documents, each with just enough memory or with too little.
void write_with_little_memory(Store& store, Model& model, TestRandom& random) {
  refusals = 0;
  for (int step = 0; step < 400; ++step) {
    const std::string id = "id-" + std::to_string(random.below(60));
    const DocumentHashes document = some_document(id, kNarrowLayout, random);
    const std::uint64_t tries = random.below(2) == 0 ? kEnough : 1 + random.below(20);
    {
      const std::unique_ptr<StoreWriter> writer = store.writer();
      const auto is_as_it_was = [&] {
        EXPECT_EQ(writer->size(), model.size());
        const auto found = writer->find(id);
        EXPECT_EQ(found.has_value(), model.contains(id));
        if (found) {
          EXPECT_EQ(writer->get_hashes(*found), model[id]);
        }
      };
      if (random.below(3) == 0) {
        if (call_with_little_memory(tries, [&] { writer->remove(id); }, is_as_it_was))
          model.erase(id);
      } else {
        if (call_with_little_memory(tries, [&] { writer->add_hashes(document); }, is_as_it_was))
          model[id] = document;
      }
      writer->commit();
    }
    if (step % 20 == 0) {
      EXPECT_EQ(contents(store), model);
    }
    expect_only_living(store, document);
  }
  EXPECT_EQ(contents(store), model);
  EXPECT_GT(refusals, 500);
}

TEST(OutOfMemory, AStoreInMemoryIsAsItWas) {
  TestRandom random(2);
  MemoryStore store(kNarrowLayout);
  Model model;
  write_with_little_memory(store, model, random);
}

TEST(OutOfMemory, LogAndMemtableOfAStoreOnDiskAgree) {
  const TestFolder folder(fast_folder());
  const std::string path = new_store(folder);
  TestRandom random(3);
  Model model;
  for (int round = 0; round < 3; ++round) {
    DiskStore store(path, kNarrowLayout, kFingerprint, {.memtable_bytes = 1'000'000});
    EXPECT_EQ(contents(store), model);
    write_with_little_memory(store, model, random);
    // A copy of the folder is what a killed process leaves: its log alone must give the same
    // documents.
    const std::string killed = folder / ("killed-" + std::to_string(round));
    std::filesystem::copy(path, killed);
    EXPECT_EQ(contents(DiskStore(killed, kNarrowLayout, kFingerprint, {.read_only = true})), model);
  }
}

}  // namespace
}  // namespace benzer
