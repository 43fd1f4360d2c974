# Read by cpack. Adds the packages of the libraries that the embedded decoder needs, because
# dpkg-shlibdeps sees only those of the program in which it is embedded.
set(scratch ${CPACK_TOPLEVEL_DIRECTORY}/image-depends)
file(MAKE_DIRECTORY ${scratch}/debian)
file(WRITE ${scratch}/debian/control "Source: benzer\nPackage: benzer\nArchitecture: any\n")
execute_process(COMMAND dpkg-shlibdeps -O ${CPACK_BENZER_IMAGE_CHILD} WORKING_DIRECTORY ${scratch}
  OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^shlibs:Depends=" "" depends "${depends}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${depends}")
# Programs that are linked with the library start that decoder, too.
string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", ${depends}")
