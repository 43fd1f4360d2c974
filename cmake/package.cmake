# Configures three Debian packages: the program, the server that systemd runs, and the library for
# building other programs. `./dev package` makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME benzer)
set(CPACK_PACKAGE_CONTACT "Benzer maintainers <maintainers@benzer.invalid>")
# Packages for another release of the system need other libraries; those for a later one count as newer.
file(STRINGS /etc/os-release system_name REGEX "^(ID|VERSION_ID)=")
list(SORT system_name)  # ID is before VERSION_ID
string(REGEX REPLACE "(VERSION_)?ID=|\"|;" "" system_name "${system_name}")
string(REPLACE debian deb system_name "${system_name}")
set(BENZER_PACKAGE_VERSION ${PROJECT_VERSION}+${system_name})
set(CPACK_PACKAGE_VERSION ${BENZER_PACKAGE_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_INSTALL_PREFIX /usr)
set(CPACK_SET_DESTDIR ON)  # for /etc
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_ALL program server development)
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

# The server as a service: its unit, user, folder and keys.
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
set(CPACK_DEBIAN_SERVER_PACKAGE_NAME benzer-server)
set(CPACK_DEBIAN_SERVER_PACKAGE_SECTION database)
set(CPACK_DEBIAN_SERVER_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_SERVER_DESCRIPTION
  "finds similar documents, as a service\nRuns 'benzer serve' by systemd, with a user of its own and few other\npermissions.")
set(CPACK_DEBIAN_SERVER_PACKAGE_DEPENDS "benzer (>= ${PROJECT_VERSION}), adduser")
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA "")
foreach(script postinst prerm postrm)
  configure_file(${packaging}/server.${script} packaging/${script} COPYONLY)
  list(APPEND CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/packaging/${script})
endforeach()
file(WRITE ${PROJECT_BINARY_DIR}/packaging/conffiles "/etc/benzer/server.conf\n")
list(APPEND CPACK_DEBIAN_SERVER_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/packaging/conffiles)
# Only packages have these files: beside a program in another place, the unit would be wrong.
install(FILES ${packaging}/benzer.service DESTINATION lib/systemd/system COMPONENT server EXCLUDE_FROM_ALL)
install(FILES ${packaging}/server.conf DESTINATION /etc/benzer COMPONENT server EXCLUDE_FROM_ALL)

# What Debian wants in the documentation of each package. The date is that of the commit, so that two builds are equal.
execute_process(COMMAND git -C ${PROJECT_SOURCE_DIR} log -1 --format=%cD OUTPUT_VARIABLE BENZER_DATE
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT BENZER_DATE)
  string(TIMESTAMP BENZER_DATE "%a, %d %b %Y %H:%M:%S +0000" UTC)  # it heeds SOURCE_DATE_EPOCH
endif()
configure_file(${packaging}/copyright packaging/copyright COPYONLY)
configure_file(${packaging}/changelog.in packaging/changelog @ONLY)
execute_process(COMMAND gzip -9nf changelog WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/packaging COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN ITEMS program server development)
  string(TOUPPER ${component} name)
  set(only_in_packages)
  if(component STREQUAL server)
    set(only_in_packages EXCLUDE_FROM_ALL)
  endif()
  install(FILES ${PROJECT_BINARY_DIR}/packaging/copyright ${PROJECT_BINARY_DIR}/packaging/changelog.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${CPACK_DEBIAN_${name}_PACKAGE_NAME} COMPONENT ${component} ${only_in_packages})
endforeach()
if(BENZER_WITH_REDIS)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libhiredis-dev")
endif()
if(BENZER_WITH_REDIS OR BENZER_WITH_IMAGES)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libssl-dev")
endif()
if(BENZER_WITH_STEMMING)
  string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", libstemmer-dev")
endif()
include(CPack)
