#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include "benzer/error.h"
#include "benzer/input.h"

#include "base/error_test_util.h"
#include "io/csv_test_util.h"
#include "io/io_test_util.h"

namespace benzer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr std::string_view kHeader = "id,text\n";
constexpr std::string_view kThreeRecords = "a,one\n\"b\",\"two\n\"\"2\"\"\"\n,three\n";

std::string csv(std::string_view records) { return std::string(kHeader) + std::string(records); }

// The sentence of the error that ends the scan.
std::string refusal(const InputOptions& options, InputTuning tuning = {}) {
  return error_sentence(ErrorCode::kBadInput, [&] { Scanned scanned(options, tuning); });
}

TEST(CsvCorpus, LabelsAndTexts) {
  const TestFolder folder;
  const std::string path = folder.write("a.csv", csv(kThreeRecords));
  Scanned scanned(inputs({path}));
  EXPECT_THAT(scanned.texts(), ElementsAre("one", "two\n\"2\"", "three"));
  EXPECT_THAT(scanned.ids(), ElementsAre("\"a\"", "\"b\"", "null"));
  EXPECT_EQ(scanned.body->label(0).line, 2u);
  EXPECT_EQ(scanned.body->label(1).line, 3u);
  EXPECT_EQ(scanned.body->label(2).line, 5u);  // the record in front of it has two lines
  EXPECT_EQ(scanned.body->counts.bytes, kThreeRecords.size());
  EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
  EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
  EXPECT_EQ(scanned.write(folder).kept, csv(kThreeRecords));
  EXPECT_EQ(scanned.write(folder, {1}).kept, "id,text\na,one\n,three\n");
  EXPECT_EQ(scanned.write(folder, {0, 1, 2}).kept, kHeader);
  EXPECT_EQ(scanned.write(folder).skipped, "");
  EXPECT_THAT(scanned.sentences, IsEmpty());
}

TEST(CsvCorpus, SeveralFilesHaveOneHeaderInTheOutput) {
  const TestFolder folder;
  const std::string mark = "\xEF\xBB\xBF";
  const std::vector<std::string> paths = {
      folder.write("0.csv", ""),
      folder.write("a.csv", mark + "\r\n\n\"id\",text\r\n1,a\r\n\r\n2,b"),
      folder.write("b.csv.gz", packed(csv("3,c"), Compression::kGzip)),
      folder.write("c.csv.zst", packed(mark + "id,\"text\"", Compression::kZstd)),
      folder.write("d.csv", csv("4,d\n"))};
  for (const std::size_t block_bytes : {16u, 4000u}) {
    InputTuning tuning;
    tuning.block_bytes = block_bytes;
    Scanned scanned(inputs(paths), tuning, 2);
    EXPECT_THAT(scanned.texts(), ElementsAre("a", "b", "c", "d"));
    EXPECT_EQ(scanned.body->label(0).line, 4u);
    EXPECT_EQ(scanned.body->label(1).line, 6u);
    EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
    EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
    // A record without a line end gets that of the header.
    EXPECT_EQ(scanned.write(folder).kept, "\"id\",text\r\n1,a\r\n2,b\r\n3,c\r\n4,d\n");
    EXPECT_EQ(scanned.write(folder, {3}).kept, "\"id\",text\r\n1,a\r\n2,b\r\n3,c");
  }
}

// Another carriage return in front of the line end would be a part of the text.
TEST(CsvCorpus, ACarriageReturnAtTheEndOfAFileBecomesALineEnd) {
  const TestFolder folder;
  const std::vector<std::string> paths = {folder.write("a.csv", "id,text\r\n1,one\r"),
                                          folder.write("b.csv", "id,text\n2\r"),
                                          folder.write("c.csv", "id,text\n3\n4,four")};
  Scanned scanned(inputs(paths));
  EXPECT_THAT(scanned.texts(), ElementsAre("one", "four"));
  EXPECT_EQ(scanned.write(folder).kept, "id,text\r\n1,one\r\n4,four");
  EXPECT_EQ(scanned.write(folder).skipped, "id,text\r\n2\r\n3\n");
}

TEST(CsvCorpus, ProblemsAreSaidInOrderAndKeptForTheUser) {
  const TestFolder folder;
  const std::string a = folder.write("a.csv", csv("1\n2,\"x\ny\"z\n3,good\n4,5,6\n"));
  const std::string b = folder.write("b.csv", csv("7,good\n8,\"open\n9,x\n"));
  for_each_scan(inputs({a, b}), [&](Scanned& scanned) {
    EXPECT_THAT(
        scanned.sentences,
        ElementsAre(
            a + ":2: the record has 1 field, it must have 2 as the header; the record was "
                "skipped",
            a + ":3: the field \"text\" continues after its closing quote; a quote inside quotes "
                "is written \"\"; the record was skipped",
            a + ":6: the record has 3 fields, it must have 2 as the header; the record was "
                "skipped",
            b + ":3: the field \"text\" begins with a quote that is never closed; the record was "
                "skipped"));
    const auto written = scanned.write(folder, {1});
    EXPECT_EQ(written.kept, "id,text\n3,good\n");
    EXPECT_EQ(written.skipped, "id,text\n1\n2,\"x\ny\"z\n4,5,6\n8,\"open\n9,x\n");
    EXPECT_EQ(scanned.body->counts.skipped_lines, 4u);
  });
}

TEST(CsvCorpus, TheLongestRecordBoundsWhatAQuoteTakesIn) {
  const TestFolder folder;
  std::string rest;
  for (int i = 0; i < 500; ++i) rest += "x,unquoted\n";
  const std::string path = folder.write("a.csv", csv("1,good\n2,\"open\n" + rest));
  for (const std::size_t block_bytes : {16u, 64u, 100'000u}) {
    InputTuning tuning;
    tuning.block_bytes = block_bytes;
    InputOptions options = inputs({path});
    options.max_line_bytes = 100;
    Scanned scanned(options, tuning);
    EXPECT_THAT(scanned.texts(), ElementsAre("good"));
    ASSERT_EQ(scanned.sentences.size(), 1u);
    EXPECT_THAT(scanned.sentences[0], HasSubstr(path + ":3: the record has 5508 bytes, at most "
                                                       "100 are allowed (max_line); it has a "
                                                       "quote that is never closed"));
    EXPECT_EQ(scanned.write(folder).skipped, csv("2,\"open\n" + rest));
  }
}

TEST(CsvCorpus, LinesAreCountedBehindARecordThatIsTooLong) {
  const TestFolder folder;
  const std::string path =
      folder.write("a.csv", csv("1,\"" + std::string(200, '\n') + "\"\n2,good\n3\n"));
  for (const std::size_t block_bytes : {16u, 64u, 4000u}) {
    InputTuning tuning;
    tuning.block_bytes = block_bytes;
    InputOptions options = inputs({path});
    options.max_line_bytes = 100;
    Scanned scanned(options, tuning);
    ASSERT_EQ(scanned.sentences.size(), 2u);
    EXPECT_EQ(scanned.sentences[0], path +
                                        ":2: the record has 204 bytes, at most 100 are allowed "
                                        "(max_line); the record was skipped");
    EXPECT_EQ(scanned.body->label(0).line, 203u);
    EXPECT_THAT(scanned.sentences[1], HasSubstr(path + ":204: the record has 1 field"));
  }
}

TEST(CsvCorpus, HeadersThatCannotBeUsed) {
  const TestFolder folder;
  const struct {
    std::string bytes, sentence;
  } rows[] = {
      {"id,body,date\n1,x,y\n",
       "the header has no column \"text\" (text); its columns are \"id\", \"body\", \"date\""},
      {"id;text\n1;x\n",
       "the header has no column \"text\" (text); its only column is "
       "\"id;text\", since columns are separated by commas"},
      {"text,text\n", "the header has the column \"text\" (text) twice; rename one of the two"},
      {"id,\"text\n1,x\n", "column 2 of the header begins with a quote that is never closed"},
      {"\"id\"x,text\n", "column 1 of the header continues after its closing quote"},
      {"text," + std::string(300, 'x') + "\n", "the header has 305 bytes, at most 200 are allowed"},
      {"text,\"" + std::string(300, '\n'), "the header has 306 bytes, at most 200 are allowed"},
  };
  for (const auto& row : rows) {
    InputOptions options = inputs({folder.write("a.csv", row.bytes)});
    options.max_line_bytes = 200;
    EXPECT_THAT(refusal(options), HasSubstr(folder / "a.csv: " + row.sentence));
  }
  InputOptions wide = inputs({folder.write("a.csv", "text" + std::string(1u << 17, ','))});
  EXPECT_THAT(refusal(wide), HasSubstr("the header has more than the 65536 columns"));
  // With a limit of memory that has no room for it, however many threads.
  InputOptions long_one = inputs({folder.write("a.csv", "text," + std::string(1u << 19, 'x'))});
  long_one.memory_limit = 16u << 20;
  EXPECT_THAT(refusal(long_one),
              HasSubstr("the header has 524293 bytes, and a memory limit of 16 MiB has room for "
                        "262144 of a header; allow 33 MiB"));
  EXPECT_THAT(refusal(long_one), Not(HasSubstr("max_line")));
}

TEST(CsvCorpus, ColumnsThatWereAskedForMustBeThere) {
  const TestFolder folder;
  const std::string path = folder.write("a.csv", "text,lang\nx,en\n");
  EXPECT_THAT(Scanned(inputs({path})).ids(), ElementsAre("0"));
  const auto without = [&](auto set) {
    InputOptions options = inputs({path});
    set(options);
    return refusal(options);
  };
  EXPECT_THAT(without([](InputOptions& o) { o.id_field = "key"; }), HasSubstr("\"key\" (id)"));
  EXPECT_THAT(without([](InputOptions& o) { o.group_field = "by"; }), HasSubstr("\"by\" (by)"));
  const auto in_groups = [](InputOptions& o) {
    o.group_field = "g";
    o.group_parameter = "across";
  };
  EXPECT_THAT(without(in_groups), HasSubstr("\"g\" (across)"));
  EXPECT_THAT(without([](InputOptions& o) { o.number_fields = {"n"}; }), HasSubstr("\"n\" (keep)"));
  EXPECT_THAT(without([](InputOptions& o) { o.added_fields = {"new", "lang"}; }),
              HasSubstr("the header has a column \"lang\" already"));
}

TEST(CsvCorpus, HeadersThatDiffer) {
  const TestFolder folder;
  const std::string a = folder.write("a.csv", "id,text,date\n");
  const struct {
    std::string header, sentence;
  } rows[] = {
      {"id,text\n", "the column \"date\" is missing"},
      {"id,text,date,x\n", "the column \"x\" is not there"},
      {"id,date,text\n", "column 2 is \"date\" and not \"text\""},
      {"id,text,Date\n", "column 3 is \"Date\" and not \"date\""},
  };
  for (const auto& row : rows) {
    const std::string b = folder.write("b.csv", row.header);
    EXPECT_THAT(refusal(inputs({a, b})), HasSubstr(b + ": the header is not that of " + a + ": "));
    EXPECT_THAT(refusal(inputs({a, b})), HasSubstr(row.sentence));
    InputOptions references = inputs({b});
    references.references = {a};
    EXPECT_THAT(refusal(references), HasSubstr(row.sentence));
  }
}

TEST(CsvCorpus, StandardInput) {
  const TestFolder folder;
  for (const bool good : {true, false}) {
    int ends[2];
    ASSERT_EQ(::pipe(ends), 0);
    const std::string bytes = (good ? "id,text\n" : "id,body\n") + std::string(kThreeRecords);
    write_fully(ends[1], bytes.data(), bytes.size());
    ::close(ends[1]);
    InputTuning tuning;
    tuning.standard_input = ends[0];
    InputOptions options = inputs({"-"});
    options.format = InputFormat::kCsv;
    if (good) {
      Scanned scanned(options, tuning, 2);
      EXPECT_EQ(scanned.body->size(), 3u);
      EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
      EXPECT_EQ(scanned.scan_again(2), scanned.visitor.documents);
      EXPECT_EQ(scanned.write(folder).kept, bytes);
    } else {
      EXPECT_THAT(refusal(options, tuning), HasSubstr("standard input: the header has no column"));
    }
    ::close(ends[0]);
  }
}

TEST(CsvCorpus, ReferencesAreComparedAndNotWritten) {
  const TestFolder folder;
  InputOptions options = inputs({folder.write("new.csv", "id,text\r\n2,b\r\n")});
  options.references = {folder.write("seen.csv", csv("1,a\nbad\n"))};
  Scanned scanned(options);
  EXPECT_EQ(scanned.body->references(), 1u);
  EXPECT_THAT(scanned.texts(), ElementsAre("a", "b"));
  EXPECT_EQ(scanned.write(folder).kept, "id,text\r\n2,b\r\n");
  EXPECT_EQ(scanned.write(folder).skipped, "");
}

TEST(CsvCorpus, CountsLeaveReferencesOut) {
  const TestFolder folder;
  InputOptions options = inputs({folder.write("new.csv", "id,text,group,n\n2,b,,x\n3,c,g,1\n")});
  options.references = {folder.write("seen.csv", "id,text,group,n\n1,a,,x\n")};
  options.group_field = "group";
  options.number_fields = {"n"};
  const Scanned scanned(options);
  EXPECT_EQ(scanned.body->counts.bytes, 15u);
  EXPECT_EQ(scanned.body->counts.without_group, 1u);
  EXPECT_EQ(scanned.body->counts.without_number, 1u);
}

TEST(CsvCorpus, Annotated) {
  const TestFolder folder;
  Scanned scanned(inputs({folder.write("a.csv", "id,text\r\n1,a\r\n2,\"b\n\"\n3,c")}));
  FileCorpus::Annotation annotation{{"n", "k"}, [](std::uint32_t document, auto& values) {
                                      values = {std::to_string(document), "\"x,y\""};
                                    }};
  const auto write = [&] {
    OutputFile out(folder / "out");
    scanned.body->write_annotated(annotation, out, nullptr, {});
    out.commit();
    return read_file(folder / "out");
  };
  EXPECT_EQ(write(), "id,text,n,k\r\n1,a,0,\"x,y\"\r\n2,\"b\n\",1,\"x,y\"\n3,c,2,\"x,y\"\r\n");
  annotation.names = {"n", "text"};
  EXPECT_THROW(write(), Error);
}

TEST(CsvCorpus, DamagedFilesGiveWhatWasReadable) {
  const TestFolder folder;
  std::string records;
  for (int i = 0; i < 12; ++i)
    records += std::to_string(i * i * 7919) + ",\"" + std::to_string(i) + "\n\"\n";
  const std::string whole = packed(csv(records), Compression::kGzip);
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const std::string path = folder.write("a.csv.gz", whole.substr(0, length));
    Scanned scanned(inputs({path}));
    ASSERT_EQ(scanned.sentences.size(), 1u) << length;
    EXPECT_THAT(scanned.sentences[0], HasSubstr("says at byte " + std::to_string(length)));
    EXPECT_EQ(scanned.reread(), scanned.visitor.documents);
    const auto written = scanned.write(folder);
    std::string rest = written.skipped;
    if (rest.starts_with(kHeader)) rest.erase(0, kHeader.size());
    EXPECT_TRUE(csv(records).starts_with(written.kept + rest)) << length;
  }
}

// For any bytes and sizes, a scan finds the documents that the plain reader finds, and writes each
// record to exactly one output.
RC_GTEST_PROP(CsvCorpus, BlocksAndThreadsDoNotShow, ()) {
  const TestFolder folder;
  const auto body = *rc::gen::container<std::string>(
      rc::gen::element('"', '"', ',', ',', '\n', '\n', '\r', 'a', 'b', '\xff'));
  const std::string bytes = csv(body);
  const Compression how = *rc::gen::element(Compression::kNone, Compression::kZstd);
  const std::string name = how == Compression::kZstd ? "a.csv.zst" : "a.csv";
  InputOptions options = inputs({folder.write(name, packed(bytes, how))});
  options.max_line_bytes = *rc::gen::inRange<std::uint64_t>(7, 60);
  InputTuning tuning;
  tuning.block_bytes = *rc::gen::inRange<std::size_t>(1, 60);
  Scanned scanned(options, tuning, *rc::gen::inRange(1, 4));

  std::string kept(kHeader), skipped;
  std::vector<std::uint64_t> lines;
  const auto append = [&](std::string& out, const PlainRecord& record) {
    if (!out.empty() && !out.ends_with('\n')) out += '\n';
    out += bytes.substr(record.offset, record.length);
  };
  auto records = split_csv_plainly(bytes, ',');
  records.erase(records.begin());
  for (const PlainRecord& record : records) {
    if (record.blank) continue;
    const bool fits = record.length - (record.ends ? 1 : 0) <= options.max_line_bytes;
    if (fits && record.fault == CsvFields::Fault::kNone && record.fields.size() == 2) {
      append(kept, record);
      lines.push_back(record.line + 1);
    } else {
      if (skipped.empty()) skipped = kHeader;
      append(skipped, record);
    }
  }
  std::vector<std::uint64_t> found;
  for (const DocumentLabel& label : scanned.labels()) found.push_back(label.line);
  RC_ASSERT(found == lines);
  const auto written = scanned.write(folder);
  RC_ASSERT(written.kept == kept);
  RC_ASSERT(written.skipped == skipped);
  RC_ASSERT(scanned.reread() == scanned.visitor.documents);
  RC_ASSERT(scanned.scan_again(2) == scanned.visitor.documents);
}

}  // namespace
}  // namespace benzer
