# Unit tests (src/**/x_test.cc) in one program, fuzz targets (src/**/x_fuzz.cc) as replays of their
# corpora, and what crosses rooms (tests/*_test.py, tests/cli/*.test).
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)

file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS src/*_test.cc tests/*_test.cc apps/*_test.cc)
if(NOT BENZER_WITH_REDIS)
  list(FILTER unit_tests EXCLUDE REGEX "/store/redis/")
endif()
if(NOT BENZER_WITH_IMAGES)
  list(FILTER unit_tests EXCLUDE REGEX "/image/(codecs|child)/|/image/(decoder|child_process)_test|/report/picture_report_test")
endif()
if(BENZER_SANITIZE STREQUAL "thread")
  # No thread is started in these rooms; and the sanitizer brings an operator new of its own.
  list(FILTER unit_tests EXCLUDE REGEX "/src/(classics|features|sketch|lsh|verify|image/codecs)/|/image/(near|hashes)_test|/experiments/(course|examples|hash_errors)_test|/out_of_memory_test")
  list(APPEND unit_tests src/features/unicode_test.cc)  # but here
endif()
add_executable(benzer_tests ${unit_tests} tests/unit_main.cc)
target_include_directories(benzer_tests PRIVATE src)
target_compile_definitions(benzer_tests PRIVATE
  BENZER_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}" BENZER_VERSION="${PROJECT_VERSION}")
target_link_libraries(benzer_tests PRIVATE benzer benzer_build_flags GTest::gtest GTest::gmock
  rapidcheck ICU::uc ZLIB::ZLIB PkgConfig::ZSTD BZip2::BZip2 LibLZMA::LibLZMA PkgConfig::XXHASH
  simdjson::simdjson fmt::fmt)
if(BENZER_WITH_IMAGES)
  target_sources(benzer_tests PRIVATE src/image/child/sandbox.cc)
  target_link_libraries(benzer_tests PRIVATE benzer_image_codecs PkgConfig::SECCOMP)
endif()
# Tests take longer to build than to run.
target_compile_options(benzer_tests PRIVATE $<$<CONFIG:Debug>:-O0> $<$<CONFIG:Release>:-O1>)
benzer_unite(benzer_tests)

# A program that one of them starts and kills.
add_executable(redis_writer tests/redis_writer_main.cc)
target_include_directories(redis_writer PRIVATE src)
target_link_libraries(redis_writer PRIVATE benzer benzer_build_flags fmt::fmt)
set_source_files_properties(tests/redis_fault_test.cc PROPERTIES
  COMPILE_DEFINITIONS BENZER_REDIS_WRITER="$<TARGET_FILE:redis_writer>")
add_dependencies(benzer_tests redis_writer)

add_test(NAME unit COMMAND benzer_tests)

# With a sanitizer the fuzz targets themselves run their corpora.
if(BENZER_SANITIZE)
  return()
endif()
file(GLOB_RECURSE fuzz_targets CONFIGURE_DEPENDS src/*_fuzz.cc apps/*_fuzz.cc)
if(NOT BENZER_WITH_SERVER)
  list(FILTER fuzz_targets EXCLUDE REGEX "/apps/server/")
endif()
if(NOT BENZER_WITH_REDIS)
  list(FILTER fuzz_targets EXCLUDE REGEX "/store/redis/")
endif()
if(NOT BENZER_WITH_IMAGES)
  list(FILTER fuzz_targets EXCLUDE REGEX "/image/codecs/")
endif()
foreach(source IN LISTS fuzz_targets)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name}_replay ${source} tests/fuzz/replay_main.cc)
  target_include_directories(${name}_replay PRIVATE src)
  target_link_libraries(${name}_replay PRIVATE benzer benzer_shared benzer_build_flags fmt::fmt
    simdjson::simdjson PkgConfig::XXHASH $<TARGET_NAME_IF_EXISTS:benzer_server>
    $<TARGET_NAME_IF_EXISTS:benzer_image_codecs>)
  add_test(NAME fuzz_replay.${name}
    COMMAND ${name}_replay ${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/corpus/${name})
endforeach()
