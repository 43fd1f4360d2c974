// Makes a JPEG file that libjpeg decodes in grey only: three columns of grey have two of colour.
#pragma once

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <jpeglib.h>

#include "image/picture.h"

namespace benzer {

// grey: its width is a multiple of 24 and its height of 8.
inline std::string jpeg_with_fractional_colours(const Picture& grey, int quality) {
  jpeg_compress_struct state{};
  jpeg_error_mgr errors{};
  state.err = jpeg_std_error(&errors);
  jpeg_create_compress(&state);
  unsigned char* out = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&state, &out, &size);
  state.image_width = grey.width;
  state.image_height = grey.height;
  state.input_components = 3;
  state.in_color_space = JCS_YCbCr;
  jpeg_set_defaults(&state);
  jpeg_set_quality(&state, quality, TRUE);
  state.raw_data_in = TRUE;
  for (int i = 0; i < 3; ++i) {
    state.comp_info[i].h_samp_factor = i == 0 ? 3 : 2;
    state.comp_info[i].v_samp_factor = 1;
  }
  jpeg_start_compress(&state, TRUE);
  std::vector<JSAMPLE> no_colour(grey.width, 128);
  while (state.next_scanline < state.image_height) {
    std::array<JSAMPROW, DCTSIZE> greys{}, colours{};
    for (unsigned y = 0; y < DCTSIZE; ++y) {
      greys[y] =
          const_cast<JSAMPROW>(&grey.pixels[std::size_t{state.next_scanline + y} * grey.width]);
      colours[y] = no_colour.data();
    }
    JSAMPARRAY planes[3] = {greys.data(), colours.data(), colours.data()};
    jpeg_write_raw_data(&state, planes, DCTSIZE);
  }
  jpeg_finish_compress(&state);
  jpeg_destroy_compress(&state);
  std::string bytes(reinterpret_cast<char*>(out), size);
  std::free(out);
  return bytes;
}

}  // namespace benzer
