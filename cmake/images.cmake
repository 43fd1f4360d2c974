# Images: the codecs are linked into a small program of their own, in which hostile files are decoded
# without rights (src/image/child/); the library carries the bytes of that program inside.
add_library(benzer_image_codecs STATIC ${image_codec_sources})
target_include_directories(benzer_image_codecs PUBLIC src)
target_link_libraries(benzer_image_codecs PRIVATE benzer_build_flags
  PUBLIC PkgConfig::JPEG PkgConfig::PNG PkgConfig::WEBP GIF::GIF)
if(BENZER_FUZZ)
  target_compile_options(benzer_image_codecs PRIVATE -fsanitize=fuzzer-no-link)
endif()

add_executable(benzer_image_child ${image_child_sources})
set_target_properties(benzer_image_child PROPERTIES
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/image)
target_link_libraries(benzer_image_child PRIVATE benzer_image_codecs benzer_build_flags
  PkgConfig::SECCOMP)
if(NOT BENZER_SANITIZE)  # it is started once for each thread, and again after each death
  target_link_options(benzer_image_child PRIVATE -s -static-libstdc++ -static-libgcc
    -Wl,--gc-sections)
endif()

set(image_child ${PROJECT_BINARY_DIR}/image/benzer_image_child)
set_source_files_properties(src/image/child_program.cc PROPERTIES
  COMPILE_DEFINITIONS BENZER_IMAGE_CHILD="${image_child}" OBJECT_DEPENDS ${image_child})
add_dependencies(benzer benzer_image_child)

# By source: for all of the library they would be a reason to build all of it.
set_source_files_properties(src/base/version.cc PROPERTIES COMPILE_DEFINITIONS
  "BENZER_WITH_IMAGES;BENZER_JPEG=\"${JPEG_VERSION}\";BENZER_PNG=\"${PNG_VERSION}\";BENZER_WEBP=\"${WEBP_libwebp_VERSION}\";BENZER_GIF=\"${GIF_VERSION}\"")
