# Sorts the files of the rooms by their names:
#   x.cc             the library
#   x_test.cc        a unit test, next to the code that it tests
#   x_fuzz.cc        a fuzz target, likewise; replayed as a test without a fuzzer
#   x_benchmark.cc   a micro benchmark, likewise
#   x_avx2.cc, x_avx512.cc   kernels of that CPU level

function(benzer_room_sources out folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz|benchmark)\\.cc$")
  foreach(source IN LISTS sources)
    # Kernel files always get -O3: at -O2 GCC 12 does not vectorise them.
    if(source MATCHES "/kernels/[^/]*_avx" AND NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-O3")  # empty elsewhere
    elseif(source MATCHES "/kernels/[^/]*_avx512\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "-O3;-mavx512f;-mavx512bw;-mavx512dq;-mavx512vl;-mbmi;-mbmi2;-mlzcnt;-mpopcnt;-mprefer-vector-width=512")
    elseif(source MATCHES "/kernels/[^/]*_avx2\\.cc$")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS
        "-O3;-mavx2;-mbmi;-mbmi2;-mlzcnt;-mpopcnt")
    elseif(source MATCHES "/kernels/")
      set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "-O3")
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# Removes the tests and fuzz targets of components that are not built.
function(benzer_filter_parts list)
  if(NOT BENZER_WITH_REDIS)
    list(FILTER ${list} EXCLUDE REGEX "/store/redis/|/tests/redis_")
  endif()
  if(NOT BENZER_WITH_IMAGES)
    list(FILTER ${list} EXCLUDE REGEX "/image/(codecs|child)/|/image/(decoder|child_process|file_hash)_test|/report/picture_report_test|/features/image_features_test")
  endif()
  if(BENZER_WITH_STEMMING)
    list(FILTER ${list} EXCLUDE REGEX "/features/no_stemmer_test")
  else()
    list(FILTER ${list} EXCLUDE REGEX "/features/stemmer_test")
  endif()
  if(NOT BENZER_WITH_SERVER)
    list(FILTER ${list} EXCLUDE REGEX "/apps/server/")
  endif()
  if(NOT BENZER_CLI)
    list(FILTER ${list} EXCLUDE REGEX "/apps/shared/")
  endif()
  set(${list} ${${list}} PARENT_SCOPE)
endfunction()

# Returns the fuzz targets of the components that are built.
function(benzer_fuzz_sources out)
  set(places src/*_fuzz.cc)
  if(BENZER_CLI)
    list(APPEND places apps/*_fuzz.cc)
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${places})
  benzer_filter_parts(sources)
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# benzer_unite(TARGET...): with BENZER_UNITY, compiles the files of a room together, a dozen at a
# time. So names in unnamed namespaces must differ within a room. Kernels, like all files with options
# of their own, are compiled alone.
function(benzer_unite)
  if(NOT BENZER_UNITY)
    return()
  endif()
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      continue()
    endif()
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cc$")
    list(SORT sources)
    set(place 0)
    set(last_room "")
    foreach(source IN LISTS sources)
      cmake_path(GET source PARENT_PATH room)
      if(NOT room STREQUAL last_room)
        set(place 0)
        set(last_room ${room})
      endif()
      math(EXPR dozen "${place} / 12")
      math(EXPR place "${place} + 1")
      cmake_path(GET room FILENAME name)
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${name}_${dozen})
    endforeach()
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  endforeach()
endfunction()
