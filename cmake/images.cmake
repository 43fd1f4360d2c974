# Builds the decoder of images: the codecs are linked into a small program of their own, which decodes
# hostile files without privileges (src/image/child/). The library embeds the bytes of that program.
add_library(benzer_image_codecs STATIC ${image_codec_sources})
target_include_directories(benzer_image_codecs PUBLIC src)
target_link_libraries(benzer_image_codecs PRIVATE benzer_build_flags
  PUBLIC PkgConfig::JPEG PkgConfig::PNG PkgConfig::WEBP GIF::GIF)
if(BENZER_STATIC_DECODER)
  target_link_libraries(benzer_image_codecs PUBLIC z m)  # of libpng
endif()
if(BENZER_FUZZ)
  target_compile_options(benzer_image_codecs PRIVATE -fsanitize=fuzzer-no-link)
endif()

add_executable(benzer_image_child ${image_child_sources})
set_target_properties(benzer_image_child PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/image)
target_link_libraries(benzer_image_child PRIVATE benzer_image_codecs benzer_build_flags
  PkgConfig::SECCOMP)
if(NOT BENZER_SANITIZE)  # small, because it is started for each thread, and again after each crash
  target_link_options(benzer_image_child PRIVATE -s -static-libstdc++ -static-libgcc
    -Wl,--gc-sections)
endif()

# Zig cannot link the C library statically, and need not: it links against an old version of it.
if(BENZER_STATIC_DECODER AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_link_options(benzer_image_child PRIVATE -static)
endif()

set(image_child ${PROJECT_BINARY_DIR}/image/benzer_image_child)
set_source_files_properties(src/image/child_program.cc PROPERTIES
  COMPILE_DEFINITIONS BENZER_IMAGE_CHILD="${image_child}" OBJECT_DEPENDS ${image_child})
add_dependencies(benzer benzer_image_child)

# Set for this source only, so that a change of them does not rebuild the whole library.
set_source_files_properties(src/base/version.cc PROPERTIES COMPILE_DEFINITIONS
  "BENZER_WITH_IMAGES;BENZER_JPEG=\"${JPEG_VERSION}\";BENZER_PNG=\"${PNG_VERSION}\";BENZER_WEBP=\"${WEBP_libwebp_VERSION}\";BENZER_GIF=\"${GIF_VERSION}\"")
