// What goes into an index: an id and named fields.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace benzer {

// A field is a text, a value set or an image; the schema says which, and what becomes of it.
struct Field {
  std::string name;
  std::string text;                 // any bytes; of an image those of its file
  std::vector<std::string> values;  // strings as they are
  std::string file = {};            // of an image: where it is, if the bytes are not here

  static Field of_text(std::string name, std::string text) {
    return {std::move(name), std::move(text), {}};
  }
  static Field of_values(std::string name, std::vector<std::string> values) {
    return {std::move(name), {}, std::move(values)};
  }
  // JPEG, PNG, WebP, GIF (its first frame) or PNM, told by the bytes.
  static Field of_image(std::string name, std::string bytes) {
    return {std::move(name), std::move(bytes), {}};
  }
  // The file is read when the document is hashed; one that cannot be read, or is no image, is a
  // reason to refuse the document.
  static Field of_image_file(std::string name, std::string path) {
    return {std::move(name), {}, {}, std::move(path)};
  }
  // Pixels row by row from the top left, 3 bytes each: red, green, blue. Throws
  // Error(kInvalidArgument) if there are not width * height of them.
  static Field of_pixels(std::string name, std::uint32_t width, std::uint32_t height,
                         std::span<const std::uint8_t> rgb);
};

struct Document {
  std::string id;             // any bytes, 1 to 65,535 of them
  std::vector<Field> fields;  // any order; those that a document lacks are left out
};

}  // namespace benzer
