include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/benzer)
set(BENZER_PARTS "" CACHE PATH "Folder with licences/ and parts.cdx.json of the libraries that are linked in; it is installed, too")

# Installs what belongs to the program besides itself, for one component, below a folder that ends with / or is empty.
function(benzer_install_pages component share)
  if(BENZER_PARTS)
    install(DIRECTORY ${BENZER_PARTS}/licences DESTINATION ${share}doc/benzer COMPONENT ${component})
    install(FILES ${BENZER_PARTS}/parts.cdx.json DESTINATION ${share}doc/benzer COMPONENT ${component})
  endif()
  if(benzer_pages)
    install(DIRECTORY ${benzer_pages}/man1 DESTINATION ${share}man COMPONENT ${component} FILES_MATCHING PATTERN "*.gz")
    install(FILES ${benzer_pages}/benzer.bash RENAME benzer
      DESTINATION ${share}bash-completion/completions COMPONENT ${component})
    # Debian's zsh does not look into /usr/share/zsh/site-functions: packages have a folder of their own.
    install(CODE "
      set(zsh_folder site-functions)
      if(CMAKE_INSTALL_PREFIX MATCHES \"/usr$\" AND EXISTS /etc/debian_version)
        set(zsh_folder vendor-completions)
      endif()
      set(share \"${share}\")
      cmake_path(ABSOLUTE_PATH share BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
      file(INSTALL \"${benzer_pages}/_benzer\" DESTINATION \"\${share}zsh/\${zsh_folder}\")" COMPONENT ${component})
    install(FILES ${benzer_pages}/benzer.fish DESTINATION ${share}fish/vendor_completions.d COMPONENT ${component})
  endif()
endfunction()

if(BENZER_CLI)
  install(TARGETS benzer_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  benzer_install_pages(program ${CMAKE_INSTALL_DATADIR}/)
endif()
if(SKBUILD)  # a wheel; pip puts this folder into that of the environment
  benzer_install_pages(python ${SKBUILD_DATA_DIR}/share/)
endif()
install(TARGETS benzer EXPORT benzer-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT development INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS benzer_research EXPORT benzer-research-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT development)
install(DIRECTORY include/benzer DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)

# The files that find_package(benzer COMPONENTS research) reads.
configure_file(cmake/benzer-config.cmake.in benzer-config.cmake @ONLY)
write_basic_package_version_file(benzer-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/benzer-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/benzer-config-version.cmake DESTINATION ${package_folder}
  COMPONENT development)
if(BENZER_WITH_STEMMING)
  install(FILES cmake/FindStemmer.cmake DESTINATION ${package_folder} COMPONENT development)
endif()
foreach(targets benzer-targets benzer-research-targets)
  install(EXPORT ${targets} NAMESPACE benzer:: DESTINATION ${package_folder} COMPONENT development)
endforeach()

if(PROJECT_IS_TOP_LEVEL AND BENZER_CLI)
  include(cmake/package.cmake)
endif()
