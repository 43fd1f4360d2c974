# Builds the web page in TO from FROM. If npm fails (there may be no network), the files are empty, and
# the program is built without a page, and says so.
set(files ${TO}/dist/index.html.gz ${TO}/dist/page.js.gz ${TO}/dist/page.css.gz
  ${TO}/dist/frame.html.gz)

function(give_up step why)
  # npm prints many lines; the first one names the reason.
  string(STRIP "${why}" why)
  string(SUBSTRING "${why}" 0 200 why)
  string(REGEX REPLACE "\n.*" "" why "${why}")
  message(WARNING "The program will have no web page, as '${step}' failed:\n${why}\n"
    "Everything else is built. To try again, remove ${TO} and build.")
  file(MAKE_DIRECTORY ${TO}/dist)
  foreach(file ${files})
    file(WRITE ${file} "")
  endforeach()
endfunction()

# Files that were deleted from FROM must not stay in the copy.
file(REMOVE_RECURSE ${TO}/src ${TO}/dist)
file(COPY ${FROM}/ DESTINATION ${TO} PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE PATTERN e2e EXCLUDE)

# Packages are fetched only when package-lock.json changes.
file(SHA256 ${FROM}/package-lock.json wanted)
set(have "")
if(EXISTS ${TO}/node_modules/.benzer-lock)
  file(READ ${TO}/node_modules/.benzer-lock have)
endif()
if(NOT have STREQUAL wanted)
  execute_process(
    COMMAND ${NPM} ci --omit=dev --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error
      --fetch-retries=1 --fetch-timeout=20000
    WORKING_DIRECTORY ${TO} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE why TIMEOUT 300)
  if(failed)
    give_up("npm ci" "${why}")
    return()
  endif()
  file(WRITE ${TO}/node_modules/.benzer-lock ${wanted})
endif()

execute_process(COMMAND ${NPM} run --silent bundle
  WORKING_DIRECTORY ${TO} RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE why TIMEOUT 300)
if(failed)
  give_up("npm run bundle" "${said}${why}")
endif()
