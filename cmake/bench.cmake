# Micro benchmarks (src/**/x_benchmark.cc) in one program. Whole runs live in bench/.
find_package(benchmark REQUIRED)
file(GLOB_RECURSE micro_benchmarks CONFIGURE_DEPENDS src/*_benchmark.cc)
add_executable(benzer_benchmarks ${micro_benchmarks})
target_include_directories(benzer_benchmarks PRIVATE src)
target_link_libraries(benzer_benchmarks PRIVATE benzer benzer_build_flags benchmark::benchmark
  benchmark::benchmark_main PkgConfig::XXHASH fmt::fmt)
