# Builds the extension module of the Python package: python/src. pip does it by pyproject.toml, and
# ./dev test python in build/release.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module
  OPTIONAL_COMPONENTS Development.SABIModule)
if(NOT nanobind_DIR)
  execute_process(COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_DIR COMMAND_ERROR_IS_FATAL ANY)
endif()
find_package(nanobind CONFIG REQUIRED)

file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/benzer)
file(GLOB python_sources CONFIGURE_DEPENDS python/src/*.cc)
# The stable interface begins with Python 3.12; for earlier ones this option has no effect.
nanobind_add_module(benzer_python STABLE_ABI NB_STATIC FREE_THREADED NOMINSIZE LTO ${python_sources}
  apps/cli/no_serve_command.cc)
set_target_properties(benzer_python PROPERTIES OUTPUT_NAME _engine
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/benzer)
# nanobind takes it that Python.h includes stdio.h, which it does not for the stable interface.
foreach(target benzer_python nanobind-static nanobind-static-abi3 nanobind-static-ft)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE "SHELL:-include stdio.h")
  endif()
endforeach()
target_compile_features(benzer_python PRIVATE cxx_std_20)
target_link_libraries(benzer_python PRIVATE benzer_commands benzer_shared benzer_research benzer
  benzer_build_flags fmt::fmt spdlog::spdlog OpenSSL::Crypto PkgConfig::XXHASH)
# Their warnings are not ours.
target_include_directories(benzer_python SYSTEM BEFORE PRIVATE ${nanobind_DIR}/../include)
# Other extensions of the process bring an ICU, a zstd and an OpenSSL of their own.
set(exports ${CMAKE_CURRENT_SOURCE_DIR}/cmake/python.map)
target_link_options(benzer_python PRIVATE -Wl,--version-script=${exports})
set_target_properties(benzer_python PROPERTIES LINK_DEPENDS ${exports})
# Wheels ask for this component by its name (pyproject.toml); below another prefix the package is in no folder of Python.
install(TARGETS benzer_python LIBRARY DESTINATION benzer COMPONENT python EXCLUDE_FROM_ALL)
install(FILES python/benzer_program.py DESTINATION . COMPONENT python EXCLUDE_FROM_ALL)
install(TARGETS benzer_cli RUNTIME DESTINATION benzer/bin COMPONENT python EXCLUDE_FROM_ALL)

# The package as it is in the source, put together with what was built, for tests.
file(GLOB package_files CONFIGURE_DEPENDS python/benzer/*.py python/benzer/*.pyi python/benzer/py.typed python/benzer/*/)
foreach(file IN LISTS package_files)
  get_filename_component(name ${file} NAME)
  if(NOT name MATCHES "^(__pycache__|.*\\.so)$")
    file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/python/benzer/${name} SYMBOLIC)
  endif()
endforeach()
file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/python/benzer_program.py ${PROJECT_BINARY_DIR}/python/benzer_program.py
  SYMBOLIC)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/benzer/bin)
file(CREATE_LINK ${PROJECT_BINARY_DIR}/benzer ${PROJECT_BINARY_DIR}/python/benzer/bin/benzer SYMBOLIC)
