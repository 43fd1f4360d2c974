# Builds the web page of `benzer serve` from web/ with npm and Vite, and embeds it into the program.
# Without it the program shows a notice instead.
if(BENZER_SANITIZE)  # sanitizers do not check JavaScript
  return()
endif()
# It is the same for all machines, so that it may have been built on another one, by cmake/build_page.cmake.
set(BENZER_BUILT_PAGE "" CACHE PATH "Folder of a web page that has been built: index.html.gz and three others")
set(page_folder ${CMAKE_CURRENT_BINARY_DIR}/web/dist)
if(BENZER_BUILT_PAGE)
  set(page_folder ${BENZER_BUILT_PAGE})
  benzer_component(PAGE "the web page of benzer serve")
else()
  find_program(BENZER_NPM npm)
  find_program(BENZER_NODE node)
  set(page_node_version 0)
  if(BENZER_NODE)
    execute_process(COMMAND ${BENZER_NODE} --version OUTPUT_VARIABLE page_node_version
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REPLACE "v" "" page_node_version "${page_node_version}")
  endif()
  set(page_node_found OFF)
  if(page_node_version VERSION_GREATER_EQUAL 20.19)
    set(page_node_found ON)
  endif()
  benzer_component(PAGE "the web page of benzer serve" npm BENZER_NPM "Node.js 20.19" page_node_found)
endif()
if(NOT BENZER_WITH_PAGE)
  return()
endif()

set(page_files ${page_folder}/index.html.gz ${page_folder}/page.js.gz ${page_folder}/page.css.gz
  ${page_folder}/frame.html.gz)
if(NOT BENZER_BUILT_PAGE)
  file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/web/src/*)
  list(FILTER page_sources EXCLUDE REGEX "\\.test\\.ts$")
  foreach(name package.json package-lock.json .npmrc vite.config.ts tsconfig.json index.html pack.mjs
      public/frame.html)
    list(APPEND page_sources ${CMAKE_CURRENT_SOURCE_DIR}/web/${name})
  endforeach()
  add_custom_command(OUTPUT ${page_files}
    COMMAND ${CMAKE_COMMAND} -DNPM=${BENZER_NPM} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/web
      -DTO=${CMAKE_CURRENT_BINARY_DIR}/web -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_page.cmake
    DEPENDS ${page_sources} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_page.cmake
    COMMENT "Building the web page" VERBATIM)
endif()
target_sources(benzer_server PRIVATE ${page_files})
# The assembler reads these files, so they are dependencies of the object file.
set_source_files_properties(apps/server/page.cc PROPERTIES
  COMPILE_DEFINITIONS BENZER_PAGE_FOLDER="${page_folder}" OBJECT_DEPENDS "${page_files}")
