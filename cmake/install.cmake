include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/benzer)
if(BENZER_CLI)
  install(TARGETS benzer_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
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
