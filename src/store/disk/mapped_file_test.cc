#include "store/disk/mapped_file.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <deque>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/sanitized.h"
#include "io/io_test_util.h"
#include "store/disk/disk_store.h"
#include "store/disk/disk_test_util.h"
#include "store/disk/segment_writer.h"
#include "store/disk/unreadable_test_util.h"

namespace benzer {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

constexpr std::size_t kPages = 8;

std::string some_pages() { return std::string(kPages * kPageBytes, 'x'); }

bool has_only(const MappedFile& file, std::uint64_t page, char wanted) {
  const std::span<const std::byte> bytes = file.bytes().subspan(page * kPageBytes, kPageBytes);
  return std::all_of(bytes.begin(), bytes.end(),
                     [&](std::byte byte) { return static_cast<char>(byte) == wanted; });
}

TEST(MappedFile, APageThatCannotBeReadIsZerosAndTold) {
  const TestFolder folder;
  const std::string path = folder.write("cut", some_pages());
  const MappedFile file(path);
  const MappedFile other(folder.write("other", some_pages()));
  const std::uint64_t before = MappedFile::all_failures();
  for (std::uint64_t page = 0; page < kPages; ++page) {
    EXPECT_TRUE(has_only(file, page, 'x'));
    file.set_sound(page);
  }
  fs::resize_file(path, 3 * kPageBytes);
  EXPECT_TRUE(has_only(file, 2, 'x'));
  EXPECT_NO_THROW(file.throw_if_more(0));
  EXPECT_TRUE(file.is_sound(5));  // nobody has touched it

  EXPECT_TRUE(has_only(file, 5, '\0'));
  EXPECT_EQ(file.failures(), 1U);
  EXPECT_FALSE(file.is_sound(5));
  EXPECT_TRUE(file.is_sound(4));
  EXPECT_THROW(file.set_sound(5), UnreadablePage);
  EXPECT_NO_THROW(file.throw_if_unreadable(4));
  EXPECT_NO_THROW(file.throw_if_more(1));
  try {
    file.throw_if_more(0);
    ADD_FAILURE();
  } catch (const UnreadablePage& error) {
    EXPECT_EQ(error.code(), ErrorCode::kStorageFailed);
    EXPECT_EQ(error.what(),
              path + ": byte 20480 begins a page that cannot be read: Input/output error");
  }
  EXPECT_TRUE(has_only(file, 5, '\0'));
  EXPECT_EQ(file.failures(), 1U);  // it is not asked for again
  EXPECT_EQ(MappedFile::all_failures(), before + 1);
  EXPECT_EQ(other.failures(), 0U);
  EXPECT_TRUE(has_only(other, 5, 'x'));
}

bool is_in_memory(const MappedFile& file, std::uint64_t page) {
  unsigned char state = 0;
  auto* const place = const_cast<std::byte*>(file.bytes().data()) + page * kPageBytes;
  EXPECT_EQ(::mincore(place, kPageBytes, &state), 0);
  return (state & 1) != 0;
}

TEST(MappedFile, LoadsPagesBeforeTheyAreRead) {
  const TestFolder folder;
  constexpr std::uint64_t kMany = 1024;
  const std::string path = folder.write("large", std::string(kMany * kPageBytes, 'x'));
  FileHandle written;
  ASSERT_EQ(open_to_read(path, written), 0);
  ASSERT_EQ(::fsync(written.get()), 0);
  ASSERT_EQ(::posix_fadvise(written.get(), 0, 0, POSIX_FADV_DONTNEED), 0);
  const MappedFile file(path);
  file.load(3, 3);                   // nothing
  file.load(kMany, kMany + 1);       // behind the end
  file.load(~0ULL / kPageBytes, 1);  // a damaged offset
  if (is_in_memory(file, 500) || is_in_memory(file, 505))
    GTEST_SKIP() << "this file system keeps its files in memory";
  file.load(500, 506);
  for (int wait = 0; wait < 1000 && !(is_in_memory(file, 500) && is_in_memory(file, 505)); ++wait)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_TRUE(is_in_memory(file, 500));
  EXPECT_TRUE(is_in_memory(file, 505));
  EXPECT_FALSE(file.is_sound(500));
  file.load(kMany - 1, kMany + 5);
  EXPECT_TRUE(has_only(file, kMany - 1, 'x'));
  EXPECT_EQ(file.failures(), 0U);
}

TEST(MappedFile, FilesMayBeEmptyAndMissing) {
  const TestFolder folder;
  const MappedFile empty(folder.write("empty", ""));
  EXPECT_TRUE(empty.bytes().empty());
  EXPECT_THROW(MappedFile(folder / "missing"), Error);
}

// The right one of many files is found, although others are opened and closed meanwhile.
TEST(MappedFile, AnyNumberOfFilesAndThreads) {
  constexpr int kFiles = kSanitized ? 100 : 2000;
  const TestFolder folder(fast_folder());
  const std::string cut = folder.write("cut", some_pages());
  const std::string whole = folder.write("whole", some_pages());
  std::deque<MappedFile> files;
  for (int i = 0; i < kFiles; ++i) files.emplace_back(i % 10 == 3 ? cut : whole);
  fs::resize_file(cut, 0);
  std::atomic<bool> done = false;
  std::thread opening([&] {
    while (!done) {
      const MappedFile one(whole), two(whole);
      EXPECT_TRUE(has_only(one, 0, 'x'));
    }
  });
  std::vector<std::thread> readers;
  for (int thread = 0; thread < 3; ++thread)
    readers.emplace_back([&] {
      for (int i = 0; i < kFiles; ++i) {
        const MappedFile& file = files[static_cast<std::size_t>(i)];
        const bool is_cut = i % 10 == 3;
        EXPECT_TRUE(has_only(file, 1, is_cut ? '\0' : 'x'));
        EXPECT_EQ(file.failures() > 0, is_cut);
      }
    });
  for (std::thread& reader : readers) reader.join();
  done = true;
  opening.join();
}

void touch_unreadable_page() {
  void* const page = ::mmap(nullptr, kPageBytes, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  put_unreadable_page(page);
  static_cast<void>(*static_cast<volatile char*>(page));
}

using ForeignBusErrorDeathTest = testing::Test;

TEST(ForeignBusErrorDeathTest, EndsTheProcessAsBefore) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TestFolder folder;
  const std::string path = folder.write("file", some_pages());
  const auto touch = [&] {
    const MappedFile file(path);
    touch_unreadable_page();
  };
  const auto send = [&] {
    const MappedFile file(path);
    ::kill(::getpid(), SIGBUS);
  };
  if (kSanitized) {  // sanitizers have a handler of their own
    EXPECT_DEATH(touch(), "");
    return;
  }
  EXPECT_EXIT(touch(), testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(send(), testing::KilledBySignal(SIGBUS), "");
}

TEST(ForeignBusErrorDeathTest, IsPassedOnToTheHandlerThatWasThere) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TestFolder folder;
  const std::string path = folder.write("file", some_pages());
  const auto touch = [&] {
    std::signal(SIGBUS, [](int) { ::_exit(42); });
    const MappedFile file(path);
    touch_unreadable_page();
  };
  EXPECT_EXIT(touch(), testing::ExitedWithCode(42), "");
}

// The number of mappings of a process is limited, and each page that is replaced takes two.
TEST(MappedFileDeathTest, WithoutRoomForAnotherMappingTheWholeFileIsGivenUp) {
  if (kSanitized) GTEST_SKIP() << "they need mappings of their own";
  long most = 0;
  std::ifstream("/proc/sys/vm/max_map_count") >> most;
  if (most > 2'000'000) GTEST_SKIP() << most << " mappings take too long";
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const TestFolder folder;
  const std::string path = folder.write("cut", some_pages());
  const auto fill_up = [&] {
    const MappedFile file(path);
    fs::resize_file(path, 0);
    const std::size_t size = static_cast<std::size_t>(most) * kPageBytes;
    auto* const memory = static_cast<char*>(
        ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    for (std::size_t at = 0; at < size; at += 2 * kPageBytes)
      if (::mprotect(memory + at, kPageBytes, PROT_NONE) != 0) break;
    const bool are_zeros = has_only(file, 4, '\0') && has_only(file, 1, '\0');
    ::_exit(are_zeros && !file.is_sound(7) && file.failures() == 2 ? 0 : 1);
  };
  EXPECT_EXIT(fill_up(), testing::ExitedWithCode(0), "");
}

// A page that was checked may have to be read again, and fail: each function of a segment reports
// that, and another segment still answers.
TEST(SegmentOfUnreadablePages, AnswersNothingWrong) {
  TestRandom random(5);
  const TestFolder folder;
  const HashLayout layout = kLayout;
  std::vector<DocumentHashes> documents;
  for (int i = 0; i < 300; ++i)
    documents.push_back(some_document("id-" + std::to_string(i), layout, random));
  for (const std::string name : {"cut", "whole"}) {
    SegmentWriter writer(folder / name, layout, 1, 2);
    for (const DocumentHashes& document : documents) writer.add(document);
    writer.seal({});
  }
  const Segment whole(folder / "whole", layout, 1);
  const std::function<void(const Segment&)> questions[] = {
      [&](const Segment& segment) {
        EXPECT_TRUE(segment.find("id-7", [](DocumentNumber found) { return found == 7; }));
      },
      [&](const Segment& segment) {
        EXPECT_FALSE(segment.find("unknown", [](DocumentNumber) { return true; }));
      },
      [&](const Segment& segment) { EXPECT_EQ(segment.get_hashes(9), documents[9]); },
      [&](const Segment& segment) {
        std::vector<std::uint64_t> features;
        for (std::uint32_t field = 0; field < 2; ++field) {
          segment.features(11, field, features);
          const FieldHashes* wanted = documents[11].find(field);
          EXPECT_EQ(features, wanted ? wanted->features : std::vector<std::uint64_t>());
        }
      },
      [&](const Segment& segment) {
        segment.for_each_earlier([](DocumentNumber document) { ADD_FAILURE() << document; });
      },
      [&](const Segment& segment) {
        DocumentNumber next = 0;
        std::set<DocumentNumber> met;
        whole.for_each_same_id(segment, [&](DocumentNumber a, DocumentNumber b) {
          met.insert(a);
          next += a == b;
        });
        segment.throw_if_more(0);
        EXPECT_EQ(next, documents.size());
      },
      [&](const Segment& segment) { segment.verify(); },
      [&](const Segment& segment) { segment.check_pages(); },
      [&](const Segment& segment) {
        const std::uint64_t failures = segment.failures();
        const std::string id(segment.id(20));
        segment.throw_if_more(failures);
        EXPECT_EQ(id, "id-20");
      },
      [&](const Segment& segment) {
        const FieldHashes* field = nullptr;
        DocumentNumber document = 30;
        while (!(field = documents[document].find(0))) ++document;
        const std::uint64_t failures = segment.failures();
        bool is_met = false;
        segment.for_each(0, 1, field->keys[1],
                         [&](DocumentNumber found) { is_met |= found == document; });
        const std::uint8_t* begin = segment.cut(document, 0);
        const std::vector<std::uint8_t> cut(begin, begin + (begin ? layout.cut_bytes() : 0));
        segment.throw_if_more(failures);
        EXPECT_TRUE(is_met);
        EXPECT_EQ(cut, field->cut);
      }};
  for (const auto& question : questions) {
    fs::copy_file(folder / "cut", folder / "copy", fs::copy_options::overwrite_existing);
    const Segment segment(folder / "copy", layout, 1);
    for (const auto& one : questions) one(segment);
    fs::resize_file(folder / "copy", 0);
    try {
      question(segment);
      ADD_FAILURE() << "nobody saw it";
    } catch (const UnreadablePage& error) {
      EXPECT_THAT(error.what(), HasSubstr(folder / "copy: byte "));
    }
    for (const auto& one : questions) one(whole);
  }
  EXPECT_THROW(Segment(folder / "copy", layout, 1), Error);
}

// A filter that reads as zeros has no key at all, and nothing else is on its page.
TEST(StoreOfUnreadablePages, NoKeyIsMissedInAnEmptyFilter) {
  constexpr HashLayout kOneBand{1, 1, 1};
  constexpr std::uint32_t kCount = 20'000;
  const TestFolder folder(fast_folder());
  const std::string path = new_store(folder);
  const auto key_of = [](std::uint32_t i) { return i * (0xFFFFFFFF / kCount); };
  {
    DiskStore store(path, kOneBand, 1, {});
    const std::unique_ptr<StoreWriter> writer = store.writer();
    for (std::uint32_t i = 0; i < kCount; ++i)
      writer->add_hashes({"d" + std::to_string(i), {{0, {i}, {key_of(i)}, {1}}}});
    writer->commit();
    store.close();
  }
  std::string file;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().filename().string().starts_with("segment")) file = entry.path();
  const std::uint64_t pages = fs::file_size(file) / kPageBytes;
  int refused = 0;
  for (std::uint64_t page = pages - 20; page < pages; ++page) {
    const DiskStore store(path, kOneBand, 1, {.read_only = true});
    store.verify();
    std::vector<std::vector<DocumentNumber>> found(1);
    const auto meets = [&](std::uint32_t i) {
      const FieldHashes query{0, {i}, {key_of(i)}, {1}};
      const FieldHashes* asked = &query;
      store.reader()->get_ids({&asked, 1}, found);
      return found[0] == std::vector<DocumentNumber>{i};
    };
    for (std::uint32_t i = 0; i < kCount; i += 100) ASSERT_TRUE(meets(i));
    ASSERT_EQ(make_unreadable(file, page), 1);
    for (std::uint32_t i = 0; i < kCount; i += 100) {
      try {
        EXPECT_TRUE(meets(i)) << "page " << page;
      } catch (const UnreadablePage& error) {
        EXPECT_THAT(error.what(), HasSubstr(file));
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 100);
}

// Each page of a new file is unreadable in its turn.
TEST(SegmentOfUnreadablePages, NoPageIsTakenForDamagedOrSound) {
  TestRandom random(6);
  const TestFolder folder;
  {
    SegmentWriter writer(folder / "s", kLayout, 1, 2);
    for (int i = 0; i < 200; ++i)
      writer.add(some_document("id-" + std::to_string(i), kLayout, random));
    writer.seal({});
  }
  const std::uint64_t pages = (fs::file_size(folder / "s") + kPageBytes - 1) / kPageBytes;
  EXPECT_GT(pages, 5U);
  for (std::uint64_t page = 0; page < pages; ++page) {
    UnreadablePages disk;
    disk.add(fs::canonical(folder / "s"), page);
    const ScopedFileSystem scope(disk);
    EXPECT_THROW(Segment(folder / "s", kLayout, 1).verify(), UnreadablePage) << page;
    EXPECT_NO_THROW(Segment::fingerprint_of(folder / "s"));
  }
}

}  // namespace
}  // namespace benzer
