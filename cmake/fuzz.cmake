# libFuzzer programs of every src/**/x_fuzz.cc. Needs clang: ./dev fuzz configures it.
file(GLOB_RECURSE fuzz_targets CONFIGURE_DEPENDS src/*_fuzz.cc)
if(NOT BENZER_WITH_REDIS)
  list(FILTER fuzz_targets EXCLUDE REGEX "/store/redis/")
endif()
foreach(source IN LISTS fuzz_targets)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE benzer benzer_build_flags fmt::fmt simdjson::simdjson
    PkgConfig::XXHASH)
endforeach()
