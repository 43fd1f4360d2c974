include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/benzer)
if(BENZER_CLI)
  install(TARGETS benzer_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
  if(benzer_pages)
    install(DIRECTORY ${benzer_pages}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} COMPONENT program FILES_MATCHING PATTERN "*.gz")
    install(FILES ${benzer_pages}/benzer.bash RENAME benzer
      DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT program)
    # Debian's zsh does not look into /usr/share/zsh/site-functions: packages have a folder of their own.
    install(CODE "
      set(zsh_folder site-functions)
      if(CMAKE_INSTALL_PREFIX MATCHES \"/usr$\" AND EXISTS /etc/debian_version)
        set(zsh_folder vendor-completions)
      endif()
      file(INSTALL \"${benzer_pages}/_benzer\"
        DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}/zsh/\${zsh_folder}\")" COMPONENT program)
    install(FILES ${benzer_pages}/benzer.fish
      DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d COMPONENT program)
  endif()
endif()
install(TARGETS benzer EXPORT benzer-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT development)
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
