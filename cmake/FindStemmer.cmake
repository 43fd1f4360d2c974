# Finds libstemmer, the stemming algorithms of Snowball, which has neither a package file of CMake nor
# one of pkg-config on Debian. Sets Stemmer_FOUND, and defines the target Stemmer::Stemmer.
find_path(STEMMER_INCLUDE_DIR libstemmer.h)
find_library(STEMMER_LIBRARY stemmer)
mark_as_advanced(STEMMER_INCLUDE_DIR STEMMER_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Stemmer REQUIRED_VARS STEMMER_LIBRARY STEMMER_INCLUDE_DIR)
if(Stemmer_FOUND AND NOT TARGET Stemmer::Stemmer)
  add_library(Stemmer::Stemmer UNKNOWN IMPORTED)
  set_target_properties(Stemmer::Stemmer PROPERTIES IMPORTED_LOCATION ${STEMMER_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${STEMMER_INCLUDE_DIR})
endif()
