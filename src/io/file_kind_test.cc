#include "io/file_kind.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "benzer/error.h"

#include "base/error_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using namespace std::string_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string tar_of(const std::string& content, const std::string& magic) {
  std::string out(512, '\0');
  out.replace(0, 5, "a.txt");
  out.replace(257, magic.size(), magic);
  return out + content + std::string(1024 - content.size() % 512, '\0');
}

std::string zip_of(const std::string& name_and_content) {
  return "PK\x03\x04\x14"s + std::string(25, '\0') + name_and_content;
}

std::string wide(std::string_view ascii, std::size_t width, bool little_endian) {
  std::string out;
  for (const char c : ascii) {
    std::string unit(width, '\0');
    unit[little_endian ? 0 : width - 1] = c;
    out += unit;
  }
  return out;
}

struct Kind {
  std::string bytes;
  std::string named;
};

// The beginnings of files of each kind, after the specifications of the formats.
std::vector<Kind> kinds() {
  const std::string text = "{\"id\":1,\"text\":\"a line of JSON, seen by another program\"}\n";
  return {
      {"PAR1\x15\x04\x15\0\x15"s, "a Parquet file"},
      {"PARE\x15\x04\x15\0\x15"s, "an encrypted Parquet file"},
      {"ARROW1\0\0\xff\xff\xff\xff"s, "an Arrow or Feather file"},
      {"FEA1\0\0\0\0"s, "a Feather file"},
      {"ORC\x08\0\x10\x32"s, "an ORC file"},
      {"Obj\x01\x04\x16"s, "an Avro file"},
      {"SQLite format 3\0\x10"s, "an SQLite database"},
      {"\x89HDF\r\n\x1a\n\0"s, "an HDF5 file"},
      {"\x93NUMPY\x01\0"s, "a NumPy array"},
      {"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "a PDF document"},
      {"{\\rtf1\\ansi text}", "an RTF document"},
      {"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0"s, "a document of an office program (.doc"},
      {zip_of("a.txt"), "a zip archive"},
      {"PK\x05\x06"s + std::string(18, '\0'), "a zip archive"},
      {zip_of("[Content_Types].xml"), "(.docx, .xlsx or .pptx)"},
      {zip_of("mimetypeapplication/vnd.oasis.opendocument.text"), "(.odt, .ods or .odp)"},
      {zip_of("mimetypeapplication/epub+zip"), "an EPUB book"},
      {tar_of(text, "ustar\00000"s), "a tar archive"},
      {tar_of(text, "ustar  \0"s), "a tar archive"},
      {"7z\xbc\xaf\x27\x1c\0\x04"s, "a 7z archive"},
      {"Rar!\x1a\x07\x01\0"s, "a RAR archive"},
      {"\x04\x22\x4d\x18\x64\x40"s, "compressed with lz4"},
      {"\x1f\x9d\x90\x74"s, "compressed with compress"},
      {"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"s, "a PNG image"},
      {"\xff\xd8\xff\xe0\0\x10JFIF"s, "a JPEG image"},
      {"GIF89a\x01\0\x01\0"s, "a GIF image"},
      {"RIFF\x24\0\0\0WEBPVP8 "s, "a WebP image"},
      {"\x7f"
       "ELF\x02\x01\x01\0"s,
       "a program (ELF)"},
      {"\xff\xfe" + wide(text, 2, true), "text in UTF-16,"},
      {"\xfe\xff" + wide(text, 2, false), "text in UTF-16,"},
      {"\xff\xfe\0\0"s + wide(text, 4, true), "text in UTF-32,"},
      {"\0\0\xfe\xff"s + wide(text, 4, false), "text in UTF-32,"},
      {wide(text, 2, true), "text in UTF-16LE,"},
      {wide(text, 2, false), "text in UTF-16BE,"},
      {wide(text, 4, true), "text in UTF-32LE,"},
      {wide(text, 4, false), "text in UTF-32BE,"},
      {packed(text, Compression::kXz), "compressed twice, the second time with xz"},
  };
}

TEST(FileKind, KindsThatAreNoTextAreNamedWithTheWayOut) {
  for (const auto& [bytes, named] : kinds()) {
    EXPECT_THAT(why_no_records(bytes), HasSubstr(named));
    EXPECT_THAT(why_no_records(bytes), HasSubstr("; "));
    EXPECT_EQ(why_no_text(bytes), why_no_records(bytes));
  }
}

TEST(FileKind, TextsThatOnlyLookAlike) {
  std::string ustar(600, 'x');
  ustar.replace(257, 5, "ustar");
  for (const std::string& bytes :
       {""s,
        "x"s,
        "\0"s,
        "PAR1 is how a Parquet file begins"s,
        "ORCHARDS\n"s,
        "ORC,text\n1,a\n"s,
        "GIF89a, a format of 1989"s,
        "FEA1"s,
        "RIFF RAFFWEBPVP8 and so on"s,
        "BZh9 is a word"s,
        "MZ and PK and BM"s,
        "%PDF is short for"s,
        "7z a.7z b"s,
        "Rar! he said"s,
        ustar,
        "caf\xe9 au lait"s,
        "{\"id\":1,\"text\":\"a\0b\"}\n"s,
        "one two three\0 four five six"s,
        "\x1b[1mbold\x1b[0m\tand\fpages"s,
        "{\"id\":1}\n"s + std::string(3, '\0') + "{\"id\":2}\n{\"id\":3,\"text\":\"x\"}\n"}) {
    EXPECT_EQ(why_no_records(bytes), "") << bytes;
    if (bytes.size() > 1) {
      EXPECT_EQ(why_no_text(bytes), "") << bytes;
    }
  }
}

TEST(FileKind, BytesOfNoKnownKind) {
  std::string bytes = "header"s + std::string(10, '\0') + std::string(84, 'x');
  EXPECT_EQ(why_no_text(bytes), "");
  bytes[50] = '\x01';
  EXPECT_EQ(why_no_text(bytes),
            "this is not text: there are NUL bytes, and 11 of the first 100 bytes are control "
            "characters or invalid UTF-8; leave it out, or extract its text to a file");
  EXPECT_EQ(why_no_records(bytes), "");  // each of its lines is checked by itself
  // Text in an encoding of one byte a character has no NUL, so it passes however odd it is.
  EXPECT_EQ(why_no_text(std::string(1000, '\xe9')), "");
}

TEST(FileKind, NamesOfOutputs) {
  for (const char* name : {"x.parquet", "x.PARQUET", "x.parquet.gz", "x.tar.zst", "x.xz",
                           "d/x.jsonl.bz2", "x.zip", "x.tgz", "x.xlsx", "x.pdf", "x.png", ".orc"})
    EXPECT_THAT(why_no_output(name), HasSubstr("would be taken for")) << name;
  for (const char* name : {"x", "-", "", "x.jsonl", "x.jsonl.gz", "x.csv.zst", "parquet", "zip/x",
                           "d.zip/x.jsonl", "x.xz.jsonl", "x.html", "/dev/stdout", "x.words"})
    EXPECT_EQ(why_no_output(name), "") << name;
}

std::string refusal_of(const InputOptions& options, InputTuning tuning = {}) {
  return error_sentence(ErrorCode::kBadInput, [&] { Scanned scanned(options, tuning); });
}

TEST(FileKind, AFileThatIsNamedEndsTheRun) {
  const TestFolder folder;
  const std::string good = folder.write("good.jsonl", "{\"text\":\"x\"}\n");
  const std::string lines = folder.write("x.jsonl", "PAR1\x15\0\x15"s);
  const std::string csv = folder.write("x.csv", "\xff\xfei\0d\0"s);
  const std::string other = folder.write("x", "\x89PNG\r\n\x1a\n\0"s);
  const std::string inside =
      folder.write("x.txt.bz2", packed(tar_of("text", "ustar\00000"s), Compression::kBzip2));
  const std::string unknown = folder.write("x.bin", std::string(100, '\1') + '\0');
  EXPECT_THAT(refusal_of(inputs({good, lines})), HasSubstr(lines + ": this is a Parquet file"));
  EXPECT_THAT(refusal_of(inputs({csv})), HasSubstr(csv + ": this is text in UTF-16"));
  EXPECT_THAT(refusal_of(inputs({other})), HasSubstr(other + ": this is a PNG image"));
  EXPECT_THAT(refusal_of(inputs({inside})), HasSubstr(inside + ": this is a tar archive"));
  EXPECT_THAT(refusal_of(inputs({unknown})), HasSubstr(unknown + ": this is not text"));
  InputOptions against = inputs({good});
  against.references = {lines};
  EXPECT_THAT(refusal_of(against), HasSubstr(lines + ": this is a Parquet file"));
  // The refusal comes before any document is read.
  EXPECT_THROW(FileCorpus{inputs({good, lines})}, Error);
}

TEST(FileKind, AFileThatIsFoundIsSkipped) {
  const TestFolder folder;
  folder.write("f/a.txt", "one");
  folder.write("f/b.pdf", "%PDF-1.7\n");
  folder.write("f/c.txt", std::string(100, '\1') + '\0');
  folder.write("f/d.txt.gz", packed("\x89PNG\r\n\x1a\n\0"s, Compression::kGzip));
  folder.write("f/e.txt", "two");
  for (const int threads : {1, 4}) {
    Scanned scanned(inputs({folder / "f"}), {}, threads);
    EXPECT_THAT(scanned.texts(), ElementsAre("one", "two"));
    EXPECT_EQ(scanned.body->counts.skipped, 3u);
    ASSERT_EQ(scanned.sentences.size(), 3u);
    EXPECT_EQ(scanned.sentences[0],
              folder /
                  "f/b.pdf: this is a PDF document, and only text is read; extract its text "
                  "to a file, and read that; the file was skipped");
    EXPECT_THAT(scanned.sentences[1], HasSubstr("f/c.txt: this is not text"));
    EXPECT_THAT(scanned.sentences[2], HasSubstr("f/d.txt.gz: this is a PNG image"));
    EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
    EXPECT_EQ(scanned.write(folder, {1}).kept, folder / "f/a.txt\n");
  }
  InputOptions strict = inputs({folder / "f"});
  strict.strict = true;
  EXPECT_EQ(refusal_of(strict), folder /
                                    "f/b.pdf: this is a PDF document, and only text is "
                                    "read; extract its text to a file, and read that");
  InputOptions against = inputs({folder.write("x.txt", "three")});
  against.references = {folder / "f"};
  EXPECT_THAT(refusal_of(against), HasSubstr("a reference must be read whole"));
  InputOptions images = inputs({folder / "f"});
  images.images = true;
  EXPECT_EQ(Scanned(images).body->size(), 5u);
  images.images = false;
  images.fields = {{"picture", false, true}};
  EXPECT_EQ(Scanned(images).body->size(), 5u);
}

TEST(FileKind, RecordsThatAreFound) {
  const TestFolder folder;
  folder.write("f/a.jsonl", "{\"id\":1,\"text\":\"one\"}\n");
  folder.write("f/b.jsonl", "PAR1\x15\0\x15"s);
  folder.write("f/c.jsonl", wide("{\"id\":2,\"text\":\"two\"}\n", 2, true));
  folder.write("f/d.jsonl", "{\"id\":3,\"text\":\"three\"}\n");
  InputOptions options = inputs({folder / "f"});
  options.format = InputFormat::kJsonLines;
  Scanned scanned(options);
  EXPECT_THAT(scanned.texts(), ElementsAre("one", "three"));
  EXPECT_EQ(scanned.body->counts.skipped, 2u);
  EXPECT_EQ(scanned.body->counts.skipped_lines, 0u);
  EXPECT_THAT(scanned.sentences[0], HasSubstr("b.jsonl: this is a Parquet file"));
  EXPECT_THAT(scanned.sentences[0], testing::EndsWith("; the file was skipped"));
  EXPECT_THAT(scanned.sentences[1], HasSubstr("c.jsonl: this is text in UTF-16LE"));
  const Scanned::Written written = scanned.write(folder);
  EXPECT_EQ(written.kept, "{\"id\":1,\"text\":\"one\"}\n{\"id\":3,\"text\":\"three\"}\n");
  EXPECT_EQ(written.skipped, "");
}

// The kind of data from a pipe is known only when it is read.
TEST(FileKind, StandardInput) {
  for (const auto format : {InputFormat::kJsonLines, InputFormat::kCsv, InputFormat::kText}) {
    for (const Compression how : {Compression::kNone, Compression::kXz}) {
      int ends[2];
      ASSERT_EQ(::pipe(ends), 0);
      const std::string bytes = packed("%PDF-1.4\nand so on", how);
      ASSERT_EQ(write_fully(ends[1], bytes.data(), bytes.size()), 0);
      ::close(ends[1]);
      InputOptions options = inputs({"-"});
      options.format = format;
      InputTuning tuning;
      tuning.standard_input = ends[0];
      EXPECT_THAT(refusal_of(options, tuning), HasSubstr("standard input: this is a PDF document"));
      ::close(ends[0]);
    }
  }
}

TEST(FileKind, AByteOrderMarkIsNoPartOfAText) {
  const TestFolder folder;
  folder.write("f/a",
               "\xEF\xBB\xBF"
               "one");
  folder.write("f/b.gz", packed("\xEF\xBB\xBF"
                                "one",
                                Compression::kGzip));
  folder.write("f/c", "\xEF\xBB\xBF");
  folder.write("f/d", "one");
  Scanned scanned(inputs({folder / "f"}));
  EXPECT_THAT(scanned.texts(), ElementsAre("one", "one", "", "one"));
  EXPECT_THAT(scanned.sentences, IsEmpty());
  EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
}

// For any name, and any limit on the length of a line.
TEST(FileKind, PackedTextsAreKnownByTheirBytes) {
  const TestFolder folder;
  for (const Compression how :
       {Compression::kGzip, Compression::kZstd, Compression::kXz, Compression::kBzip2})
    folder.write("f/" + std::to_string(static_cast<int>(how)), packed("the text", how));
  Scanned scanned(inputs({folder / "f"}));
  EXPECT_THAT(scanned.texts(), ElementsAre("the text", "the text", "the text", "the text"));
  EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
  const std::string lines =
      folder.write("lines.log", packed("{\"text\":\"x\"}\n", Compression::kXz));
  EXPECT_EQ(FileCorpus(inputs({lines})).format(), InputFormat::kJsonLines);
  const std::string table = folder.write("T.CSV.BZ2", packed("text\nx\n", Compression::kBzip2));
  EXPECT_EQ(FileCorpus(inputs({table})).format(), InputFormat::kCsv);
  EXPECT_THAT(Scanned(inputs({table})).texts(), ElementsAre("x"));
  // The error for a file that is too long also names its kind.
  InputOptions options = inputs({folder.write("x", "%PDF-1.7\n" + std::string(200'000, 'x'))});
  options.max_line_bytes = 100;
  EXPECT_THAT(refusal_of(options), HasSubstr("this is a PDF document"));
}

}  // namespace
}  // namespace benzer
