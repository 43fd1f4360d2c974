# Builds the program: apps/cli, with apps/server inside it.
find_package(spdlog REQUIRED)
find_package(SQLite3)
benzer_component(SERVER "benzer serve" "OpenSSL 3" OPENSSL_FOUND "SQLite 3" SQLite3_FOUND)

file(GLOB cli_sources CONFIGURE_DEPENDS apps/cli/*.cc)
file(GLOB shared_sources CONFIGURE_DEPENDS apps/shared/*.cc)
list(FILTER shared_sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
add_library(benzer_shared STATIC ${shared_sources})
target_link_libraries(benzer_shared PRIVATE benzer benzer_build_flags fmt::fmt)
if(BENZER_WITH_SERVER)
  file(GLOB server_sources CONFIGURE_DEPENDS apps/server/*.cc)
  list(FILTER server_sources EXCLUDE REGEX "_(test|fuzz)\\.cc$")
  list(FILTER cli_sources EXCLUDE REGEX "/no_serve_command")
  add_library(benzer_server STATIC ${server_sources})
  target_link_libraries(benzer_server PUBLIC benzer benzer_shared fmt::fmt simdjson::simdjson
    OpenSSL::SSL Boost::headers SQLite::SQLite3 Threads::Threads PRIVATE benzer_build_flags)
else()
  list(FILTER cli_sources EXCLUDE REGEX "/(serve_command|stop_watch)")
endif()
# The commands are a library, because the Python package runs them in its own process. It has no
# server there.
set(serve_source ${cli_sources})
list(FILTER serve_source INCLUDE REGEX "/(serve_command|no_serve_command|stop_watch)\\.cc$")
list(FILTER cli_sources EXCLUDE REGEX "/(main|serve_command|no_serve_command|stop_watch)\\.cc$")
add_library(benzer_commands STATIC ${cli_sources})
target_compile_definitions(benzer_commands PRIVATE SPDLOG_FMT_EXTERNAL)
target_link_libraries(benzer_commands PRIVATE benzer benzer_research benzer_shared benzer_build_flags
  spdlog::spdlog fmt::fmt simdjson::simdjson Threads::Threads)
add_executable(benzer_cli apps/cli/main.cc ${serve_source})
set_target_properties(benzer_cli PROPERTIES OUTPUT_NAME benzer
  RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
target_compile_definitions(benzer_cli PRIVATE SPDLOG_FMT_EXTERNAL)
target_link_libraries(benzer_cli PRIVATE benzer_commands benzer_shared benzer benzer_build_flags
  spdlog::spdlog fmt::fmt simdjson::simdjson Threads::Threads)
if(BENZER_WITH_SERVER)
  target_link_libraries(benzer_cli PRIVATE benzer_server)
  include(cmake/page.cmake)
endif()
# The built program prints its own man pages and completions. A program for another machine cannot,
# unless CMAKE_CROSSCOMPILING_EMULATOR runs it.
if(NOT CMAKE_CROSSCOMPILING OR CMAKE_CROSSCOMPILING_EMULATOR)
  set(benzer_pages ${PROJECT_BINARY_DIR}/pages)
  add_custom_command(TARGET benzer_cli POST_BUILD
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${benzer_pages}
    COMMAND benzer_cli man --out ${benzer_pages}/man1
    COMMAND gzip -9nr ${benzer_pages}/man1
    COMMAND benzer_cli completions bash > ${benzer_pages}/benzer.bash
    COMMAND benzer_cli completions zsh > ${benzer_pages}/_benzer
    COMMAND benzer_cli completions fish > ${benzer_pages}/benzer.fish
    COMMENT "Printing man pages and completions")
else()
  message(STATUS "benzer: without man pages and completions, which only a program that runs here can print")
endif()
# Under a sanitizer the library is optimised, but not these files: they take longer to build than to
# run.
foreach(target benzer_cli benzer_commands benzer_shared benzer_server)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Debug>:-O0>)
  endif()
endforeach()
