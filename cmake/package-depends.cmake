# Read by cpack: the packages of the libraries that the embedded program needs, as dpkg-shlibdeps
# finds them for the program that it is embedded in.
set(scratch ${CPACK_TOPLEVEL_DIRECTORY}/image-depends)
file(MAKE_DIRECTORY ${scratch}/debian)
file(WRITE ${scratch}/debian/control "Source: benzer\nPackage: benzer\nArchitecture: any\n")
execute_process(COMMAND dpkg-shlibdeps -O ${CPACK_BENZER_IMAGE_CHILD} WORKING_DIRECTORY ${scratch}
  OUTPUT_VARIABLE depends OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "^shlibs:Depends=" "" depends "${depends}")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "${depends}")
# Whatever is linked with the library starts that program.
string(APPEND CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ", ${depends}")
