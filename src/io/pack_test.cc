#include "io/pack.h"

#include <cstdlib>
#include <exception>
#include <new>
#include <string>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "base/sanitized.h"
#include "base/test_random.h"

namespace benzer {
namespace {

// zstd gives each of its threads 8 MiB at a time.
std::string packed_by(Compression how, const std::string& text, int threads, std::size_t piece) {
  std::string out;
  const Packer::Emit emit = [&](std::string_view packed) { out += packed; };
  const std::unique_ptr<Packer> packer = make_packer(how, threads);
  for (std::size_t at = 0; at < text.size(); at += piece)
    packer->pack(std::string_view(text).substr(at, piece), emit);
  packer->finish(emit);
  return out;
}

TEST(Pack, TheBytesDoNotDependOnTheThreads) {
  std::string text;
  TestRandom random(1);
  while (text.size() < (std::size_t{18} << 20)) text += std::to_string(random.next()) + " words ";
  const std::string expected = packed_by(Compression::kZstd, text, 1, 32'768);
  EXPECT_LT(expected.size(), text.size());
  for (const int threads : {2, 3, 7})
    EXPECT_TRUE(packed_by(Compression::kZstd, text, threads, 32'768) == expected) << threads;
  EXPECT_TRUE(packed_by(Compression::kZstd, text, 2, 100'003) == expected);
  text.resize(std::size_t{1} << 20);
  EXPECT_TRUE(packed_by(Compression::kGzip, text, 1, 32'768) ==
              packed_by(Compression::kGzip, text, 3, 32'768));
}

// Takes all memory of the process but one block of so many bytes, and lets it have no more.
void leave_memory(std::size_t bytes) {
  void* volatile left = std::malloc(bytes);  // compilers leave out what is not used
  void* volatile taken = std::malloc(1);  // so that the block does not grow when it is given back
  const rlimit least{1, 1};
  setrlimit(RLIMIT_DATA, &least);
  for (std::size_t size = std::size_t{1} << 20; size >= 16; size /= 2) {
    do taken = std::malloc(size);
    while (taken != nullptr);
  }
  std::free(left);
}

// Callers tell it from errors of the program. libzstd itself crashes with some of these.
TEST(Pack, LackOfMemoryIsThrownAsSuch) {
  if (kSanitized) GTEST_SKIP() << "the sanitizers need memory that no limit allows";
  // A process of its own for each, without memory that earlier tests have freed.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto pack = [](std::size_t bytes_left) {
    const std::string text(std::size_t{1} << 20, 'x');
    const std::unique_ptr<Packer> packer = make_packer(Compression::kZstd, 4);
    leave_memory(bytes_left);
    try {
      packer->pack(text, [](std::string_view) {});
    } catch (const std::bad_alloc&) {
      std::_Exit(0);
    } catch (const std::exception&) {
      std::_Exit(1);
    }
    std::_Exit(2);
  };
  for (const std::size_t kib : {2, 4, 6, 8, 10, 12, 20, 32, 64})
    EXPECT_EXIT(pack(kib << 10), testing::ExitedWithCode(0), "") << kib;
}

}  // namespace
}  // namespace benzer
