# Registers the tests. Each has labels: the rooms that it concerns, so that `ctest -L '^store$'` runs
# those of one room, "slow" if it takes longer than 20 seconds, and "long" if ./dev test leaves it to ./dev test --all.
#   src/ROOM/**/x_test.cc, apps/ROOM/x_test.cc   unit tests of that room
#   src/ROOM/**/x_fuzz.cc, apps/ROOM/x_fuzz.cc   fuzz targets of that room; here they replay their corpora
#   tests/**/x_test.cc, tests/**/x_test.py, tests/cli/x.test
#                                                tests of several rooms, or of the whole program
# A line "// labels: store slow" or "# labels: store slow" in a file adds these to the room of its folder.
find_package(GTest REQUIRED)
find_package(rapidcheck REQUIRED)
include(GoogleTest)

file(GLOB rooms CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${CMAKE_CURRENT_SOURCE_DIR} src/* apps/* web)
list(TRANSFORM rooms REPLACE "^.*/" "")
list(SORT rooms)

# benzer_labels(OUT FILE): returns the labels of a file, as a list.
function(benzer_labels out file)
  set(labels "")
  cmake_path(RELATIVE_PATH file BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  if(file MATCHES "^(src|apps)/([^/]+)/")
    list(APPEND labels ${CMAKE_MATCH_2})
  endif()
  file(STRINGS ${file} line REGEX "^(#|//) labels: " LIMIT_COUNT 1)
  string(REGEX REPLACE "^.* labels: " "" line "${line}")
  separate_arguments(line)
  list(APPEND labels ${line})
  if(NOT labels)
    message(FATAL_ERROR "${file} has no line '# labels: ROOM...': rooms are ${rooms}")
  endif()
  foreach(label IN LISTS labels)
    if(NOT label IN_LIST rooms AND NOT label MATCHES "^(slow|long)$")
      message(FATAL_ERROR "${file}: the label '${label}' is neither a room (${rooms}) nor 'slow' or 'long'")
    endif()
  endforeach()
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  set(${out} ${labels} PARENT_SCOPE)
endfunction()

# Targets that build everything that the tests of a room need.
foreach(room IN LISTS rooms)
  add_custom_target(tests_of_${room})
endforeach()
# benzer_needs(TARGET LABEL...): the tests with these labels need it.
function(benzer_needs target)
  foreach(label IN LISTS ARGN)
    if(label IN_LIST rooms)
      add_dependencies(tests_of_${label} ${target})
    endif()
  endforeach()
endfunction()

# --- unit tests ----------------------------------------------------------------------------------

file(GLOB_RECURSE unit_tests CONFIGURE_DEPENDS src/*_test.cc tests/*_test.cc apps/*_test.cc)
benzer_filter_parts(unit_tests)
if(BENZER_SANITIZE STREQUAL "thread")
  # The code of these tests starts no threads; and out_of_memory_test replaces operator new, as the
  # sanitizer does.
  list(FILTER unit_tests EXCLUDE REGEX "/src/(research/classics|features|sketch|lsh|verify|image/codecs)/|/image/(near|hashes)_test|/research/[^/]*$|/experiments/(course|examples|hash_errors)_test|/out_of_memory_test")
  list(APPEND unit_tests ${CMAKE_CURRENT_SOURCE_DIR}/src/features/unicode_test.cc)  # starts threads
endif()

add_library(benzer_test_flags INTERFACE)
target_include_directories(benzer_test_flags INTERFACE src)
target_compile_definitions(benzer_test_flags INTERFACE
  BENZER_SOURCE_DIR="${CMAKE_CURRENT_SOURCE_DIR}" BENZER_VERSION="${PROJECT_VERSION}")
# Tests take longer to build than to run.
target_compile_options(benzer_test_flags INTERFACE $<$<CONFIG:Debug>:-O0> $<$<CONFIG:Release>:-O1>)
target_link_libraries(benzer_test_flags INTERFACE benzer_research benzer_build_flags GTest::gtest GTest::gmock rapidcheck ICU::uc ZLIB::ZLIB PkgConfig::ZSTD
  BZip2::BZip2 LibLZMA::LibLZMA PkgConfig::XXHASH simdjson::simdjson fmt::fmt)
if(BENZER_WITH_IMAGES)
  target_link_libraries(benzer_test_flags INTERFACE benzer_image_codecs PkgConfig::SECCOMP)
endif()
add_library(benzer_test_main OBJECT tests/unit_main.cc)
target_link_libraries(benzer_test_main PUBLIC benzer_test_flags)

# A program that redis_fault_test.cc starts and kills.
add_executable(redis_writer tests/redis_writer_main.cc)
target_include_directories(redis_writer PRIVATE src)
target_link_libraries(redis_writer PRIVATE benzer benzer_build_flags fmt::fmt)
set_source_files_properties(tests/redis_fault_test.cc PROPERTIES
  COMPILE_DEFINITIONS BENZER_REDIS_WRITER="$<TARGET_FILE:redis_writer>")
add_dependencies(benzer_test_main redis_writer)

# Files with the same labels are compiled together and linked to a program of their own, so that the
# tests of one room need no build of the others.
set(label_sets "")
foreach(source IN LISTS unit_tests)
  benzer_labels(labels ${source})
  string(JOIN "_" name ${labels})
  list(APPEND label_sets ${name})
  list(APPEND unit_sources_${name} ${source})
  set(unit_labels_${name} ${labels})
endforeach()
list(REMOVE_DUPLICATES label_sets)
if(BENZER_WITH_IMAGES)
  list(APPEND unit_sources_image src/image/child/sandbox.cc)
endif()

# benzer_tests has all unit tests in one program.
add_executable(benzer_tests)
target_link_libraries(benzer_tests PRIVATE benzer_test_main)
foreach(name IN LISTS label_sets)
  add_library(${name}_test_objects OBJECT ${unit_sources_${name}})
  list(GET unit_labels_${name} 0 room)
  # A room of apps/ is a library of its own.
  target_link_libraries(${name}_test_objects PUBLIC $<TARGET_NAME_IF_EXISTS:benzer_${room}> benzer_test_flags)
  benzer_unite(${name}_test_objects)
  target_link_libraries(benzer_tests PRIVATE ${name}_test_objects)
  add_executable(${name}_tests)
  target_link_libraries(${name}_tests PRIVATE benzer_test_main ${name}_test_objects)
  benzer_needs(${name}_tests ${unit_labels_${name}})
  if(BENZER_SANITIZE)  # linking takes long under a sanitizer
    set_target_properties(${name}_tests PROPERTIES EXCLUDE_FROM_ALL ON)
  else()
    gtest_discover_tests(${name}_tests TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST NO_PRETTY_VALUES
      WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
    string(APPEND label_script "if(${name}_tests_TESTS)
  set_tests_properties(\${${name}_tests_TESTS} PROPERTIES LABELS \"${unit_labels_${name}}\")
endif()
")
  endif()
endforeach()
# Sets the labels in a script of its own, because gtest_discover_tests() keeps only the first of
# several.
file(CONFIGURE OUTPUT unit_test_labels.cmake CONTENT "${label_script}" @ONLY)
set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${CMAKE_CURRENT_BINARY_DIR}/unit_test_labels.cmake)

# Tests the library in a program that is linked without benzer::research.
add_executable(no_research tests/no_research_main.cc)
target_link_libraries(no_research PRIVATE benzer::benzer benzer_build_flags)
benzer_labels(labels ${CMAKE_CURRENT_SOURCE_DIR}/tests/no_research_main.cc)
add_test(NAME no_research COMMAND no_research)
set_tests_properties(no_research PROPERTIES LABELS "${labels}")
benzer_needs(no_research ${labels})

# Under a sanitizer the fuzz targets themselves run their corpora, and ./dev chooses the tests of the
# program.
if(BENZER_SANITIZE)
  add_test(NAME unit COMMAND benzer_tests)
  return()
endif()

# --- replays of fuzz corpora ---------------------------------------------------------------------

benzer_fuzz_sources(fuzz_targets)
foreach(source IN LISTS fuzz_targets)
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name}_replay ${source} tests/fuzz/replay_main.cc)
  target_include_directories(${name}_replay PRIVATE src)
  target_link_libraries(${name}_replay PRIVATE benzer_research benzer_build_flags fmt::fmt
    simdjson::simdjson PkgConfig::XXHASH $<TARGET_NAME_IF_EXISTS:benzer_shared> $<TARGET_NAME_IF_EXISTS:benzer_server>
    $<TARGET_NAME_IF_EXISTS:benzer_image_codecs>)
  benzer_labels(labels ${source})
  add_test(NAME fuzz_replay.${name}
    COMMAND ${name}_replay ${CMAKE_CURRENT_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(fuzz_replay.${name} PROPERTIES LABELS "${labels}")
  benzer_needs(${name}_replay ${labels})
endforeach()

# --- the program ---------------------------------------------------------------------------------

if(NOT (BENZER_WITH_SERVER AND BENZER_WITH_IMAGES AND BENZER_WITH_REDIS))
  message(STATUS "Tests of the program are left out: they need one with all optional parts")
  return()
endif()
# benzer_program_test(NAME FILE COMMAND...)
function(benzer_program_test name file)
  benzer_labels(labels ${file})
  add_test(NAME ${name} COMMAND ${ARGN} WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR})
  set_tests_properties(${name} PROPERTIES LABELS "${labels}" ENVIRONMENT BENZER=$<TARGET_FILE:benzer_cli>
    SKIP_REGULAR_EXPRESSION "(^|\n)0 passed, 0 failed, [0-9]+ skipped")
  benzer_needs(benzer_cli ${labels})
endfunction()
file(GLOB_RECURSE program_tests CONFIGURE_DEPENDS tests/*_test.py)
foreach(file IN LISTS program_tests)
  get_filename_component(name ${file} NAME_WE)
  string(REGEX REPLACE "_test$" "" name ${name})
  benzer_program_test(program.${name} ${file} python3 ${file})
endforeach()
# Runs alone, because the peak memory of a run depends on how its threads are scheduled.
set_tests_properties(program.memory PROPERTIES RUN_SERIAL ON)
file(GLOB command_cases CONFIGURE_DEPENDS tests/cli/*.test)
foreach(file IN LISTS command_cases)
  get_filename_component(name ${file} NAME_WE)
  benzer_program_test(command.${name} ${file}
    python3 tests/cli/run.py $<TARGET_FILE:benzer_cli> --file ${name}.test)
endforeach()
