# Which files of the rooms belong to what, by their names:
#   x.cc             the library
#   x_test.cc        a unit test, beside what it tests
#   x_fuzz.cc        a fuzz target, likewise; replayed as a test without a fuzzer
#   x_benchmark.cc   a micro benchmark, likewise
#   x_avx2.cc, x_avx512.cc   kernels of that CPU level

function(benzer_room_sources out folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|benchmark)\\.cc$")
  foreach(source IN LISTS sources)
    # Kernel files always get -O3: at -O2 this compiler does not vectorise them.
    if(source MATCHES "/kernels/[^/]*_avx512\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "-O3;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mbmi;-mbmi2;-mlzcnt;-mpopcnt;-mprefer-vector-width=512")
    elseif(source MATCHES "/kernels/[^/]*_avx2\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "-O3;-mavx2;-mbmi;-mbmi2;-mlzcnt;-mpopcnt")
    elseif(source MATCHES "/kernels/")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-O3")
    endif()
    if(source MATCHES "/kernels/")  # a precompiled header is for one set of these options
      set_source_files_properties(${source} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()
