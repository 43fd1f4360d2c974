#include "image/decoder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <thread>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "benzer/error.h"

#include "base/sanitized.h"
#include "image/codecs/decode.h"
#include "image/codecs/make_images_test_util.h"

namespace benzer {
namespace {

struct Process {
  std::string name;
  pid_t parent = 0;
  char state = '?';
};

Process process(pid_t pid) {
  std::ifstream in("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  std::getline(in, line);
  Process out;
  const std::size_t begin = line.find('('), end = line.rfind(") ");
  if (begin == std::string::npos || end == std::string::npos) return out;
  out.name = line.substr(begin + 1, end - begin - 1);
  std::sscanf(line.c_str() + end, ") %c %d", &out.state, &out.parent);
  return out;
}

// The child processes that decode images, dead ones too.
std::vector<pid_t> children() {
  std::vector<pid_t> out;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (!std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }))
      continue;
    const pid_t pid = std::stoi(name);
    const Process found = process(pid);
    if (found.parent == ::getpid() && found.name == "benzer-image") out.push_back(pid);
  }
  return out;
}

std::size_t open_files() {
  const std::filesystem::directory_iterator all("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

// An image that takes a child seconds to decode, though the file is small.
std::string slow_image() {
  static const std::string bytes = [] {
    JpegSettings many;
    many.scans = 99;
    return jpeg(painted(8000, 6000, 1, [](int x, int y, int) { return x * y % 256; }), many);
  }();
  return bytes;
}

TEST(ImageDecoderTest, SaysWhatTheCodecsSay) {
  const ImageDecoder decoder;
  JpegSettings turned;
  turned.exif = exif(6);
  const Picture picture = gradient(700, 300, 3);
  for (const std::string& bytes :
       {jpeg(picture, turned), png(picture), webp(picture, false), pnm(picture),
        gif(30, 20, {{1, 2, 3}, {4, 5, 6}}, {{painted(9, 9, 1, [](int, int, int) { return 1; })}}),
        std::string("no image"), png(picture).substr(0, 400), std::string("P6 100000 100000 255 "),
        webp(picture, true)}) {
    for (const DecodeRequest& request :
         {DecodeRequest{}, DecodeRequest{true, 512}, DecodeRequest{true, 64}}) {
      const DecodedImage expected = decode_image(bytes, request, {});
      const DecodedImage out = decoder.decode(bytes, request);
      EXPECT_EQ(out.problem, expected.problem);
      EXPECT_EQ(out.picture, expected.picture);
      EXPECT_EQ(out.width, expected.width);
      EXPECT_EQ(out.height, expected.height);
      EXPECT_STREQ(out.format, expected.format);
    }
  }
  EXPECT_EQ(children().size(), 1u);
  EXPECT_EQ(decoder.decode("", {}).problem, "it is empty");
}

double mean_difference(const Picture& a, const Picture& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) sum += std::abs(a.pixels[i] - b.pixels[i]);
  return sum / static_cast<double>(a.pixels.size());
}

TEST(ImageDecoderTest, WhatIsEncodedIsAJpegOfThePicture) {
  const ImageDecoder decoder;
  for (const std::uint32_t channels : {1u, 3u}) {
    for (const auto& [width, height] :
         {std::pair{1u, 1u}, {512u, 512u}, {320u, 7u}, {3u, 200u}, {2048u, 16u}}) {
      const Picture picture = gradient(width, height, channels);
      const std::string file = decoder.encode_jpeg(picture);
      const DecodedImage out = decoder.decode(file, {channels == 3, 2048});
      EXPECT_STREQ(out.format, "JPEG");
      ASSERT_EQ(out.picture.pixels.size(), picture.pixels.size()) << out.problem;
      EXPECT_LT(mean_difference(out.picture, picture), std::min(width, height) < 8 ? 15 : 3)
          << width << channels;
      EXPECT_EQ(decoder.encode_jpeg(picture), file);
    }
  }
  // Noise gives the largest file.
  std::uint32_t state = 1;
  const Picture noise = painted(512, 512, 3, [&](int, int, int) {
    state = state * 1664525 + 1013904223;
    return static_cast<int>(state >> 24);
  });
  EXPECT_LT(decoder.encode_jpeg(noise).size(), noise.pixels.size());
  EXPECT_EQ(children().size(), 1u);
}

TEST(ImageDecoderTest, WhatCannotBeEncodedIsRefused) {
  const ImageDecoder decoder;
  const auto refused = [&](const Picture& picture) {
    EXPECT_THROW(static_cast<void>(decoder.encode_jpeg(picture)), Error);
  };
  refused({});
  refused({2, 2, 1, {1, 2, 3}});
  refused({1, 1, 2, {1, 2}});
  refused({2049, 1, 1, std::vector<std::uint8_t>(2049)});
  EXPECT_TRUE(children().empty());
}

TEST(ImageDecoderTest, RefusesWhatIsNoRequest) {
  EXPECT_THROW(static_cast<void>(ImageDecoder().decode("P5 1 1 255 x", {false, 0})), Error);
}

TEST(ImageDecoderTest, LeavesNothingBehind) {
  const std::size_t before = open_files();
  {
    const ImageDecoder idle;
    const ImageDecoder decoder;
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i)
      threads.emplace_back([&] { decoder.decode(slow_image().substr(0, 100'000), {}); });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
    EXPECT_GE(children().size(), 1u);
  }
  EXPECT_EQ(open_files(), before);
  EXPECT_TRUE(children().empty());
}

TEST(ImageDecoderTest, LimitsOfSizeAreThoseThatWereGiven) {
  ImageLimits limits;
  limits.file_bytes = 100;
  limits.pixels = 90;
  const ImageDecoder decoder(limits);
  EXPECT_EQ(decoder.decode(std::string(101, 'x'), {}).problem,
            "it has more than 100 bytes, which is what is allowed");
  EXPECT_EQ(decoder.decode("P5 10 9 255 " + std::string(90, 'x'), {}).width, 0u);
  EXPECT_EQ(decoder.decode("P5 9 9 255 " + std::string(81, 'x'), {}).problem, "");
  EXPECT_EQ(decoder.decode("P5 10 10 255 ", {}).problem, "it has 10 x 10 pixels; allowed are 90");
}

TEST(ImageDecoderTest, LimitOfTime) {
  ImageLimits limits;
  limits.cpu_seconds = 0.2;
  limits.seconds = 1000;
  const ImageDecoder decoder(limits);
  EXPECT_EQ(decoder.decode(slow_image(), {}).problem,
            "decoding takes more than 0.2 seconds of a core");
  EXPECT_TRUE(children().empty());
  limits = {.cpu_seconds = 1000, .seconds = 0.2};
  EXPECT_EQ(ImageDecoder(limits).decode(slow_image(), {}).problem,
            "two decoders gave no answer within 0.2 seconds each");
  EXPECT_TRUE(children().empty());
  EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
}

TEST(ImageDecoderTest, LimitOfMemory) {
  if (kSanitized) return;  // a sanitized child has no limit of memory
  ImageLimits limits;
  limits.memory_bytes = 48 << 20;
  const ImageDecoder decoder(limits);
  PngSettings interlaced;  // all of its rows must be held in memory
  interlaced.interlaced = true;
  const std::string large =
      png(painted(6000, 5000, 3, [](int, int, int) { return 7; }), interlaced);
  EXPECT_EQ(decoder.decode(large, {}).problem, "decoding it takes more memory than is allowed");
  EXPECT_EQ(decoder.decode(std::string(60 << 20, 'x'), {}).problem,
            "reading it takes more memory than is allowed");
  EXPECT_EQ(decoder.decode(jpeg(gradient(640, 480, 3)), {}).problem, "");
}

TEST(ImageDecoderTest, ChildrenThatWereKilledWhileTheyWaitedAreReplaced) {
  const ImageDecoder decoder;
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
    ASSERT_EQ(children().size(), 1u);
    ::kill(children()[0], SIGKILL);
    if (i % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// The clock goes on while this process and its children are stopped, so an image that is late gets
// a new child and as much time again.
TEST(ImageDecoderTest, ADecoderThatWasStoppedIsReplaced) {
  ImageLimits limits;
  limits.seconds = kSanitized ? 8 : 3;  // a new child must begin within it, on a busy machine, too
  const ImageDecoder decoder(limits);
  const Picture picture = gradient(40, 30, 3);
  EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
  const auto stop = [] {
    const std::vector<pid_t> all = children();
    ASSERT_EQ(all.size(), 1u);
    ::kill(all[0], SIGSTOP);
  };
  stop();
  EXPECT_EQ(decoder.decode(png(picture), {}).problem, "");
  stop();
  EXPECT_FALSE(decoder.encode_jpeg(picture).empty());
  EXPECT_EQ(children().size(), 1u);
}

// Kills all children every 0.1 s until it is destroyed, or has done so often enough.
class Killer {
 public:
  explicit Killer(int signal, int times = std::numeric_limits<int>::max())
      : signal_(signal), times_(times), thread_([this] { run(); }) {}
  ~Killer() {
    stop_ = true;
    thread_.join();
  }
  Killer(const Killer&) = delete;
  Killer& operator=(const Killer&) = delete;

 private:
  void run() {
    for (int killed = 0; !stop_ && killed < times_;) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      const std::vector<pid_t> all = children();
      for (const pid_t pid : all) ::kill(pid, signal_);
      killed += all.empty() ? 0 : 1;
    }
  }

  const int signal_;
  const int times_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

TEST(ImageDecoderTest, AnImageWhoseDecodersDieHasAProblem) {
  const ImageDecoder decoder;
  const std::string slow = slow_image();
  EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
  {
    const Killer killer(SIGKILL);
    EXPECT_EQ(decoder.decode(slow, {}).problem, "its decoder died (signal 9, Killed)");
    EXPECT_TRUE(std::none_of(children().begin(), children().end(),
                             [](pid_t pid) { return process(pid).state == 'Z'; }));
  }
  EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
}

// A system that is short of memory kills processes, whatever they do.
TEST(ImageDecoderTest, ANewDecoderThatIsKilledOnceIsReplaced) {
  ImageLimits limits;
  limits.cpu_seconds = limits.seconds = 1000;
  const ImageDecoder decoder(limits);
  const std::string slow = slow_image();
  EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
  const Killer killer(SIGKILL, 2);  // the child above, and the next one
  EXPECT_EQ(decoder.decode(slow, {}).problem, "");
}

TEST(ImageDecoderTest, ChildrenHaveNoRights) {
  const ImageDecoder decoder;
  EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
  const std::vector<pid_t> all = children();
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(::getpgid(all[0]), all[0]);  // so Ctrl-C does not reach it
  rlimit limit{};
  ASSERT_EQ(::prlimit(all[0], RLIMIT_CORE, nullptr, &limit), 0);
  EXPECT_EQ(limit.rlim_max, 0u);
  if (kSanitized) return;
  ASSERT_EQ(::prlimit(all[0], RLIMIT_AS, nullptr, &limit), 0);
  EXPECT_EQ(limit.rlim_max, ImageLimits{}.memory_bytes);
  std::ifstream in("/proc/" + std::to_string(all[0]) + "/status");
  const std::string status((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  EXPECT_NE(status.find("NoNewPrivs:\t1"), std::string::npos);
  EXPECT_NE(status.find("Seccomp:\t2"), std::string::npos);
}

TEST(ImageDecoderTest, ChildrenOutliveTheThreadsThatStartedThem) {
  const ImageDecoder decoder;
  std::thread([&] { decoder.decode("P5 1 1 255 x", {}); }).join();
  const std::vector<pid_t> first = children();
  EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
  EXPECT_EQ(children(), first);
}

TEST(ImageDecoderTest, ChildrenAreReplacedAfterAThousandImagesAndAfterALargeOne) {
  const ImageDecoder decoder;
  const auto decode = [&](const std::string& bytes) {
    EXPECT_EQ(decoder.decode(bytes, {}).problem, "");
    return children();
  };
  const std::vector<pid_t> first = decode("P5 1 1 255 x");
  for (int i = 2; i < 1000; ++i) EXPECT_EQ(decoder.decode("P5 1 1 255 x", {}).problem, "");
  EXPECT_EQ(children(), first);
  EXPECT_TRUE(decode("P5 1 1 255 x").empty());
  EXPECT_EQ(decode("P5 1 1 255 x").size(), 1u);
  std::string large = "P5 5000 4000 255 ";
  large.resize(large.size() + 20'000'000, 'x');
  EXPECT_TRUE(decode(large).empty());
}

TEST(ImageDecoderTest, ManyThreads) {
  const ImageDecoder decoder;
  const std::vector<std::string> images = {jpeg(gradient(300, 200, 3)), png(gradient(90, 200, 1)),
                                           webp(gradient(640, 200, 3), false), "nothing"};
  std::vector<DecodedImage> expected;
  for (const std::string& bytes : images) expected.push_back(decode_image(bytes, {}, {}));
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = t; i < t + 60; ++i) {
        const DecodedImage out = decoder.decode(images[i % images.size()], {});
        EXPECT_EQ(out.picture, expected[i % images.size()].picture);
        EXPECT_EQ(out.problem, expected[i % images.size()].problem);
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(children().size(), 8u);
}

}  // namespace
}  // namespace benzer
