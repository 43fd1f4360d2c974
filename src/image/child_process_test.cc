// Tests how the parent handles misbehaving children: shell scripts that are started in place of the
// decoder.
#include "image/child_process.h"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "image/child/protocol.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using Outcome = ImageChild::Outcome;

template <class T>
std::string bytes_of(const T& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::string printed(const std::string& bytes) {
  std::string out = "printf '";
  for (const char c : bytes) {
    char octal[8];
    std::snprintf(octal, sizeof octal, "\\%03o",
                  static_cast<unsigned>(static_cast<std::uint8_t>(c)));
    out += octal;
  }
  return out + "' >&0\n";
}

// The script stays open in the process that is started from it: a shell reads its lines from there.
FileHandle script(const TestFolder& folder, const std::string& lines) {
  const std::string path = folder.write("script", "#!/bin/sh\n" + lines);
  ::chmod(path.c_str(), 0700);
  return FileHandle(::open(path.c_str(), O_RDONLY));
}

const std::string kIsReady = "head -c " + std::to_string(sizeof(ImageLimits)) + " > /dev/null\n" +
                             printed(bytes_of(image_child::kReady));

struct Asked {
  Outcome outcome;
  DecodedImage image;
};

// kPatience is longer than any load delays an answer; kBriefly is for answers that never come.
constexpr std::chrono::milliseconds kPatience(10'000), kBriefly(300);

Asked ask(const std::string& lines, std::chrono::milliseconds patience = kPatience) {
  const TestFolder folder;
  ImageLimits limits;
  limits.pixels = 1'000'000;
  ImageChild child(script(folder, kIsReady + lines + "exec sleep 100\n"), limits);
  Asked out;
  out.outcome = child.decode("bytes", {false, 100}, ImageChild::Clock::now() + patience, out.image);
  EXPECT_TRUE(out.image.picture.empty() || out.outcome == Outcome::kAnswered);
  return out;
}

Asked ask(const image_child::Answer& answer, const std::string& more = "",
          std::chrono::milliseconds patience = kPatience) {
  return ask(printed(bytes_of(answer) + more), patience);
}

TEST(ImageChildTest, WhatIsAnswered) {
  const Asked picture = ask({1, 3, 2, 3, 2, 0}, "pixels");
  ASSERT_EQ(picture.outcome, Outcome::kAnswered);
  EXPECT_EQ(picture.image.picture, (Picture{3, 2, 1, {'p', 'i', 'x', 'e', 'l', 's'}}));
  EXPECT_STREQ(picture.image.format, "JPEG");
  const Asked problem = ask({0, 0, 0, 0, 0, 4}, "text");
  ASSERT_EQ(problem.outcome, Outcome::kAnswered);
  EXPECT_EQ(problem.image.problem, "text");
}

TEST(ImageChildTest, NumbersThatCannotBeAreNonsense) {
  constexpr std::uint32_t kMost = 0xffff'ffff;
  for (const image_child::Answer& answer : std::initializer_list<image_child::Answer>{
           {6, 3, 2, 3, 2, 0},              // the format
           {kMost, 3, 2, 3, 2, 0},          //
           {1, 3, 2, 2, 3, 0},              // the image's shape
           {1, 3, 2, 4, 2, 0},              //
           {1, 300, 200, 300, 200, 0},      // larger than requested
           {1, 300, 200, 100, 66, 0},       // not rounded to the nearest
           {1, 0, 0, 0, 0, 0},              // neither an image nor a problem
           {1, 3, 0, 3, 0, 0},              //
           {1, 1001, 1000, 100, 100, 0},    // more pixels than are allowed
           {1, kMost, kMost, 100, 100, 0},  //
           {1, 3, 2, 3, 2, 0, 0, 2},        // neither an animation nor none
           {1, 3, 2, 3, 2, 401},            // a long problem
           {1, 3, 2, 3, 2, kMost}})
    EXPECT_EQ(ask(answer, "pixels").outcome, Outcome::kNonsense);
  EXPECT_EQ(ask({0, 0, 0, 0, 0, 4}, "a\x1b[m").outcome, Outcome::kNonsense);
  EXPECT_EQ(ask({0, 0, 0, 0, 0, 4}, "a\xc3\xa4\n").outcome, Outcome::kNonsense);
}

TEST(ImageChildTest, SilenceAndDeath) {
  EXPECT_EQ(ask("", kBriefly).outcome, Outcome::kLate);
  EXPECT_EQ(ask({1, 3, 2, 3, 2, 0}, "pix", kBriefly).outcome, Outcome::kLate);
  EXPECT_EQ(ask("kill -ALRM $$\n").outcome, Outcome::kLate);  // its own deadline
  EXPECT_EQ(ask("kill -PROF $$\n").outcome, Outcome::kUsedUp);
  EXPECT_EQ(ask("exec true\n").outcome, Outcome::kDied);
  EXPECT_EQ(ask(printed("half") + "kill -SEGV $$\n").outcome, Outcome::kDied);
}

struct Encoded {
  Outcome outcome;
  std::string file, problem;
};

Encoded encode(const image_child::Answer& answer, const std::string& more,
               std::chrono::milliseconds patience = kPatience) {
  const TestFolder folder;
  ImageChild child(script(folder, kIsReady + printed(bytes_of(answer) + more) + "exec sleep 100\n"),
                   {});
  Encoded out;
  out.outcome =
      child.encode({2, 1, 1, {1, 2}}, ImageChild::Clock::now() + patience, out.file, out.problem);
  return out;
}

TEST(ImageChildTest, FilesThatCannotBeAreNonsense) {
  const std::string file = "\xFF\xD8\xFF file";
  const Encoded good = encode({0, 0, 0, 0, 0, 0, file.size()}, file);
  EXPECT_EQ(good.outcome, Outcome::kAnswered);
  EXPECT_EQ(good.file, file);
  const Encoded problem = encode({0, 0, 0, 0, 0, 4, 0}, "text");
  EXPECT_EQ(problem.outcome, Outcome::kAnswered);
  EXPECT_EQ(problem.problem, "text");
  EXPECT_EQ(encode({0, 0, 0, 0, 0, 0, 0}, "").outcome, Outcome::kNonsense);
  EXPECT_EQ(encode({0, 0, 0, 0, 0, 0, 8197}, file).outcome, Outcome::kNonsense);
  EXPECT_EQ(encode({0, 0, 0, 0, 0, 0, 8}, "<script>").outcome, Outcome::kNonsense);
  EXPECT_EQ(encode({0, 0, 0, 0, 0, 4, 0}, "a\x1b[m").outcome, Outcome::kNonsense);
  EXPECT_EQ(encode({0, 0, 0, 0, 0, 0, 100}, file, kBriefly).outcome, Outcome::kLate);
}

// The child does not read, and the bytes do not fit into the socket.
TEST(ImageChildTest, NobodyReads) {
  const TestFolder folder;
  ImageChild child(script(folder, kIsReady + "exec sleep 100\n"), {});
  DecodedImage out;
  EXPECT_EQ(child.decode(std::string(10 << 20, 'x'), {},
                         ImageChild::Clock::now() + std::chrono::milliseconds(200), out),
            Outcome::kLate);
}

TEST(ImageChildTest, HowItDied) {
  const TestFolder folder;
  DecodedImage out;
  const auto soon = [] { return ImageChild::Clock::now() + std::chrono::seconds(20); };
  ImageChild killed(script(folder, kIsReady + "kill -SEGV $$\n"), {});
  EXPECT_EQ(killed.decode("x", {}, soon(), out), Outcome::kDied);
  EXPECT_EQ(killed.cause_of_death(), "signal 11, Segmentation fault");
  ImageChild ended(script(folder, kIsReady + "exit 3\n"), {});
  EXPECT_EQ(ended.decode("x", {}, soon(), out), Outcome::kDied);
  EXPECT_EQ(ended.cause_of_death(), "exit code 3");
}

TEST(ImageChildTest, HowItDiedIsNotKnownIfSigchldIsIgnored) {
  const TestFolder folder;
  DecodedImage out;
  const auto before = ::signal(SIGCHLD, SIG_IGN);
  {
    ImageChild ended(script(folder, kIsReady + "exit 3\n"), {});
    EXPECT_EQ(ended.decode("x", {}, ImageChild::Clock::now() + kPatience, out), Outcome::kDied);
    EXPECT_EQ(ended.cause_of_death(),
              "how is not known, as SIGCHLD is ignored or handled elsewhere");
    EXPECT_FALSE(ended.was_killed());
  }
  ::signal(SIGCHLD, before);
}

// Signals by descriptor fail in this process from now on, as in some containers.
void refuse_signals_by_descriptor() {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_send_signal, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{std::size(code), code};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
      ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
    std::_Exit(1);
}

TEST(ImageChildDeathTest, EndsItsChildWhereSignalsByDescriptorAreRefused) {
  const TestFolder folder;
  const FileHandle program = script(folder, kIsReady + "exec sleep 40\n");
  const auto end_a_child = [&] {
    ::alarm(20);  // ends this process while it waits for the child
    refuse_signals_by_descriptor();
    std::optional<ImageChild> child(std::in_place, program, ImageLimits());
    child.reset();
    std::_Exit(0);
  };
  EXPECT_EXIT(end_a_child(), testing::ExitedWithCode(0), "");
}

// A child that is killed before it is ready may have been in the way of another process.
TEST(ImageChildTest, ThatIsKilledAtItsStartIsStartedAgain) {
  const TestFolder folder;
  const std::string marker = folder / "marker";
  const std::string once = "if mkdir '" + marker + "' 2> /dev/null; then kill -KILL $$; fi\n";
  ImageChild child(script(folder, once + kIsReady + "exec sleep 100\n"), {});
  EXPECT_EQ(child.images(), 0u);
}

std::string refusal(const FileHandle& program) {
  return error_sentence(ErrorCode::kUnavailable, [&] { ImageChild child(program, {}); });
}

TEST(ImageChildTest, ThatCannotBeStarted) {
  const TestFolder folder;
  const auto begin = ImageChild::Clock::now();
  EXPECT_EQ(refusal(script(folder, "exit 127\n")),
            "images cannot be decoded: the decoder process ended before it was ready (exit code "
            "127); it needs the libraries that Benzer was built with, and a system that lets it "
            "drop its privileges (seccomp)");
  EXPECT_LT(ImageChild::Clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(refusal(FileHandle(::open("/dev/null", O_RDONLY))),
            "images cannot be decoded: the decoder process cannot be started from memory; it needs "
            "/proc, and a system that can run files in memory (Permission denied)");
}

}  // namespace
}  // namespace benzer
