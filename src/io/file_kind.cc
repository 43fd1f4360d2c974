#include "io/file_kind.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "benzer/internal/json.h"

#include "io/byte_stream.h"

namespace benzer {
namespace {

using namespace std::string_view_literals;

// What to do with a kind of file.
struct WayOut {
  std::string_view advice;
};
constexpr WayOut kReadRows{"write its rows to a file of JSON lines or CSV, and read that"};
constexpr WayOut kExtractText{"extract its text to a file, and read that"};
constexpr WayOut kCompareImages{"images are compared by features of images, such as image:near"};
constexpr WayOut kUnpack{"unpack it, and read what was in it"};
constexpr WayOut kPackOtherwise{"decompress it, or compress it with gzip, zstd, xz or bzip2"};
constexpr WayOut kLeaveOut{"leave it out"};

std::string sentence_of(std::string_view kind, WayOut way) {
  return fmt::format("this is {}, and only text is read; {}", kind, way.advice);
}

struct Signature {
  std::string_view magic;
  // These bytes could begin a text, so the file must also have bytes that no text has.
  bool like_text;
  std::string_view kind;
  WayOut way;
};

// From the specifications of the formats. More special signatures come first.
constexpr Signature kSignatures[] = {
    {"PAR1", true, "a Parquet file", kReadRows},
    {"PARE", true, "an encrypted Parquet file", kReadRows},
    {"ARROW1\0"sv, false, "an Arrow or Feather file", kReadRows},
    {"FEA1", true, "a Feather file", kReadRows},
    {"ORC", true, "an ORC file", kReadRows},
    {"Obj\x01", false, "an Avro file", kReadRows},
    {"SQLite format 3\0"sv, false, "an SQLite database", kReadRows},
    {"\x89HDF\r\n\x1a\n", false, "an HDF5 file", kReadRows},
    {"\x93NUMPY", false, "a NumPy array", kReadRows},
    {"%PDF-1.", false, "a PDF document", kExtractText},
    {"%PDF-2.", false, "a PDF document", kExtractText},
    {"{\\rtf1", false, "an RTF document", kExtractText},
    {"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", false,
     "a document of an office program (.doc, .xls, .ppt or .msg)", kExtractText},
    {"PK\x03\x04", false, "a zip archive", kUnpack},
    {"PK\x05\x06", false, "a zip archive", kUnpack},
    {"PK\x07\x08", false, "a zip archive", kUnpack},
    {"7z\xBC\xAF\x27\x1C", false, "a 7z archive", kUnpack},
    {"Rar!\x1A\x07", false, "a RAR archive", kUnpack},
    {"\x04\x22\x4D\x18", false, "compressed with lz4", kPackOtherwise},
    {"\x1F\x9D", false, "compressed with compress", kPackOtherwise},
    {"\x89PNG\r\n\x1A\n", false, "a PNG image", kCompareImages},
    {"\xFF\xD8\xFF", false, "a JPEG image", kCompareImages},
    {"GIF87a", true, "a GIF image", kCompareImages},
    {"GIF89a", true, "a GIF image", kCompareImages},
    {"\x7F"
     "ELF",
     false, "a program (ELF)", kLeaveOut},
};

// A kind of file that is known by bytes at the offset `at`, in files that begin with `begin`.
struct LaterSignature {
  std::string_view begin;
  std::size_t at;
  std::string_view magic;
  std::string_view kind;
  WayOut way;
};
constexpr LaterSignature kLaterSignatures[] = {
    {"PK\x03\x04", 30, "mimetypeapplication/epub+zip", "an EPUB book", kExtractText},
    {"PK\x03\x04", 30, "mimetypeapplication/vnd.oasis.opendocument.",
     "a document of an office program (.odt, .ods or .odp)", kExtractText},
    {"PK\x03\x04", 30, "[Content_Types].xml",
     "a document of an office program (.docx, .xlsx or .pptx)", kExtractText},
    {"RIFF", 8, "WEBPVP8", "a WebP image", kCompareImages},
    {"", 257, "ustar\0"sv, "a tar archive", kUnpack},
    {"", 257, "ustar  \0"sv, "a tar archive", kUnpack},
};

// The control characters that texts do not have: all but tabs, line ends, form feeds, backspace and
// escape.
constexpr auto kIsControl = [] {
  std::array<bool, 256> out{};
  for (std::size_t i = 0; i < 32; ++i) out[i] = true;
  for (const char c : {'\t', '\n', '\v', '\f', '\r', '\b', '\x1B'})
    out[static_cast<unsigned char>(c)] = false;
  out[0x7F] = true;
  return out;
}();

bool is_control(char byte) { return kIsControl[static_cast<unsigned char>(byte)]; }

// How many bytes are control characters or invalid UTF-8.
std::size_t odd_bytes(std::string_view bytes) {
  std::size_t out = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    if (static_cast<unsigned char>(bytes[at]) < 0x80) {
      out += is_control(bytes[at++]);
      continue;
    }
    std::size_t invalid = 0;
    const std::size_t valid = utf8_sequence(bytes, at, &invalid);
    if (valid == 0) out += invalid;
    at += valid > 0 ? valid : invalid;
  }
  return out;
}

bool is_like_text(std::string_view bytes) {
  return bytes.find('\0') == std::string_view::npos || odd_bytes(bytes) * 10 <= bytes.size();
}

// Whether `bytes` may be text in UTF-16 or UTF-32 (units of 2 or 4 bytes): no unit is NUL, and more
// than half of them are ASCII characters that texts have.
bool is_wide_text(std::string_view bytes, std::size_t width, bool little_endian) {
  const std::size_t low = little_endian ? 0 : width - 1;
  const std::size_t units = bytes.size() / width;
  std::size_t ascii = 0;
  for (std::size_t i = 0; i < units; ++i) {
    const std::string_view unit = bytes.substr(i * width, width);
    const auto nuls = static_cast<std::size_t>(std::count(unit.begin(), unit.end(), '\0'));
    if (nuls == width) return false;
    // The first of four bytes is NUL in every code point.
    if (width == 4 && unit[little_endian ? 3 : 0] != '\0') return false;
    if (nuls != width - 1 || unit[low] == '\0') continue;
    if (is_control(unit[low])) return false;
    ++ascii;
  }
  return units >= 2 && 2 * ascii > units;
}

std::string_view wide_text(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xFE\0\0"sv)) return "UTF-32";
  if (bytes.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF")) return "UTF-16";
  if (bytes.find('\0') == std::string_view::npos) return {};
  for (const bool little_endian : {true, false}) {
    if (is_wide_text(bytes, 4, little_endian)) return little_endian ? "UTF-32LE" : "UTF-32BE";
    if (is_wide_text(bytes, 2, little_endian)) return little_endian ? "UTF-16LE" : "UTF-16BE";
  }
  return {};
}

struct NoOutput {
  std::string_view ending;
  std::string_view kind;
};
constexpr NoOutput kNoOutputs[] = {
    {".parquet", "Parquet"},
    {".feather", "Feather"},
    {".arrow", "Arrow"},
    {".orc", "ORC"},
    {".avro", "Avro"},
    {".sqlite", "SQLite"},
    {".sqlite3", "SQLite"},
    {".h5", "HDF5"},
    {".hdf5", "HDF5"},
    {".npy", "NumPy"},
    {".npz", "NumPy"},
    {".pdf", "PDF"},
    {".xlsx", "a spreadsheet"},
    {".xls", "a spreadsheet"},
    {".ods", "a spreadsheet"},
    {".docx", "a document of an office program"},
    {".odt", "a document of an office program"},
    {".zip", "zip"},
    {".tar", "tar"},
    {".tgz", "tar"},
    {".7z", "7z"},
    {".rar", "RAR"},
    {".xz", "xz"},
    {".bz2", "bzip2"},
    {".lz4", "lz4"},
    {".lzma", "LZMA"},
    {".br", "Brotli"},
    {".png", "an image"},
    {".jpg", "an image"},
    {".jpeg", "an image"},
    {".gif", "an image"},
    {".webp", "an image"},
};

}  // namespace

std::string why_no_records(std::string_view first_bytes) {
  const std::string_view bytes = first_bytes.substr(0, kLookedAtBytes);
  if (const std::string_view name = compression_name(compression_by_magic(bytes)); !name.empty())
    return fmt::format("this is compressed twice, the second time with {}; decompress it once",
                       name);
  for (const LaterSignature& later : kLaterSignatures) {
    if (bytes.starts_with(later.begin) && bytes.size() > later.at &&
        bytes.substr(later.at).starts_with(later.magic))
      return sentence_of(later.kind, later.way);
  }
  for (const Signature& signature : kSignatures) {
    if (bytes.starts_with(signature.magic) && !(signature.like_text && is_like_text(bytes)))
      return sentence_of(signature.kind, signature.way);
  }
  if (const std::string_view name = wide_text(bytes); !name.empty())
    return fmt::format(
        "this is text in {}, and only UTF-8 is read; convert it, for example with "
        "iconv -f {} -t UTF-8",
        name, name);
  return {};
}

std::string why_no_text(std::string_view first_bytes) {
  if (std::string why = why_no_records(first_bytes); !why.empty()) return why;
  const std::string_view bytes = first_bytes.substr(0, kLookedAtBytes);
  if (is_like_text(bytes)) return {};
  return fmt::format(
      "this is not text: there are NUL bytes, and {} of the first {} bytes are control characters "
      "or invalid UTF-8; leave it out, or extract its text to a file",
      odd_bytes(bytes), bytes.size());
}

std::string why_no_output(std::string_view path) {
  if (path.find('\0') != path.npos) return "a byte of its name is zero, which no name has";
  path = path.substr(path.rfind('/') + 1);  // npos + 1 is 0
  for (const std::string_view packed : {".gz", ".zst"})
    if (has_ending(path, packed)) path.remove_suffix(packed.size());
  for (const NoOutput& no : kNoOutputs) {
    if (has_ending(path, no.ending))
      return fmt::format(
          "an output whose name ends with {} would be taken for {}, which is not written; choose "
          "another name (.gz and .zst outputs are compressed)",
          no.ending, no.kind);
  }
  return {};
}

}  // namespace benzer
