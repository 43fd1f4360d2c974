# The web page of `benzer serve`: web/ built by npm and Vite, and embedded into the program. Without a
# Node.js that is new enough the program has a notice in its place.
option(BENZER_PAGE "The web page of benzer serve (needs Node.js 20.19 or newer, and npm)" ON)

# The sanitizers have nothing to say of it.
if(BENZER_PAGE AND NOT BENZER_SANITIZE)
  find_program(BENZER_NPM npm)
  find_program(BENZER_NODE node)
  set(page_node_version 0)
  if(BENZER_NODE)
    execute_process(COMMAND ${BENZER_NODE} --version OUTPUT_VARIABLE page_node_version
      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    string(REPLACE "v" "" page_node_version "${page_node_version}")
  endif()
  if(NOT BENZER_NPM OR NOT BENZER_NODE)
    message(STATUS "No npm: the program will have no web page")
  elseif(page_node_version VERSION_LESS 20.19)
    message(STATUS "Node.js ${page_node_version} is older than 20.19: the program will have no web page")
  else()
    file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/web/src/*)
    list(FILTER page_sources EXCLUDE REGEX "\\.test\\.ts$")
    foreach(name package.json package-lock.json .npmrc vite.config.ts tsconfig.json index.html pack.mjs)
      list(APPEND page_sources ${CMAKE_CURRENT_SOURCE_DIR}/web/${name})
    endforeach()
    set(page_folder ${CMAKE_CURRENT_BINARY_DIR}/web)
    set(page_files ${page_folder}/dist/index.html.gz ${page_folder}/dist/page.js.gz
      ${page_folder}/dist/page.css.gz)
    add_custom_command(OUTPUT ${page_files}
      COMMAND ${CMAKE_COMMAND} -DNPM=${BENZER_NPM} -DFROM=${CMAKE_CURRENT_SOURCE_DIR}/web
        -DTO=${page_folder} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_page.cmake
      DEPENDS ${page_sources} ${CMAKE_CURRENT_SOURCE_DIR}/cmake/build_page.cmake
      COMMENT "Building the web page" VERBATIM)
    target_sources(benzer_server PRIVATE ${page_files})
    # Read by the assembler.
    set_source_files_properties(apps/server/page.cc PROPERTIES
      COMPILE_DEFINITIONS BENZER_PAGE_FOLDER="${page_folder}/dist" OBJECT_DEPENDS "${page_files}")
  endif()
endif()
