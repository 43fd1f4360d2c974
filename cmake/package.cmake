# Configures two Debian packages: the program, and the library for building other programs. `./dev
# package` makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME benzer)
set(CPACK_PACKAGE_CONTACT "Benzer maintainers <maintainers@benzer.invalid>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME benzer)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION utils)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "finds similar documents\nNear-duplicates in files, and an index of documents that answers which are\nsimilar to a given one.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
if(BENZER_WITH_IMAGES)  # dpkg-shlibdeps cannot see the libraries of the embedded decoder
  set(CPACK_BENZER_IMAGE_CHILD ${PROJECT_BINARY_DIR}/image/benzer_image_child)
  set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package-depends.cmake)
endif()

# The development package depends on the libraries that benzer-config.cmake looks for.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbenzer-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "library that finds similar documents\nHeaders, the static libraries, and what find_package(benzer) reads.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
  "libicu-dev, zlib1g-dev, libsimdjson-dev, libfmt-dev, libzstd-dev, liblzma-dev, libbz2-dev, libxxhash-dev, pkg-config")

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/benzer COMPONENT program)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE RENAME copyright
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libbenzer-dev COMPONENT development)
if(BENZER_WITH_REDIS)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libhiredis-dev, libssl-dev")
endif()
if(BENZER_WITH_STEMMING)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libstemmer-dev")
endif()
include(CPack)
