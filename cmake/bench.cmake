# Builds the micro benchmarks (src/**/x_benchmark.cc) as one program, and the programs of bench/ that need
# the library; bench/ has the benchmarks of whole runs.
if(BENZER_BENCH)
  find_package(benchmark REQUIRED)
  file(GLOB_RECURSE micro_benchmarks CONFIGURE_DEPENDS src/*_benchmark.cc)
  add_executable(benzer_benchmarks ${micro_benchmarks})
  target_include_directories(benzer_benchmarks PRIVATE src)
  target_link_libraries(benzer_benchmarks PRIVATE benzer benzer_build_flags benchmark::benchmark
    benchmark::benchmark_main PkgConfig::XXHASH fmt::fmt)
endif()

foreach(program index_speed hash_speed sketch_speed)
  add_executable(${program} bench/${program}.cc)
  target_include_directories(${program} PRIVATE src)
  target_link_libraries(${program} PRIVATE benzer benzer_build_flags PkgConfig::XXHASH fmt::fmt)
  set_target_properties(${program} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
endforeach()
