# Builds a libFuzzer program from every x_fuzz.cc. Needs clang; ./dev fuzz configures it.
benzer_fuzz_sources(fuzz_targets)
foreach(source IN LISTS fuzz_targets)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE src)
  target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE benzer_research benzer_build_flags fmt::fmt
    simdjson::simdjson PkgConfig::XXHASH $<TARGET_NAME_IF_EXISTS:benzer_shared> $<TARGET_NAME_IF_EXISTS:benzer_server>
    $<TARGET_NAME_IF_EXISTS:benzer_image_codecs>)
endforeach()
