# Builds the web page in TO from FROM. If npm cannot (there may be no network), the files are empty: the
# program is built all the same, and says that it has no page.
set(files ${TO}/dist/index.html.gz ${TO}/dist/page.js.gz ${TO}/dist/page.css.gz)

function(give_up step why)
  # npm goes on for pages; its first words say it.
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

# What was deleted must not stay in the copy.
file(REMOVE_RECURSE ${TO}/src ${TO}/dist)
file(COPY ${FROM}/ DESTINATION ${TO} PATTERN node_modules EXCLUDE PATTERN dist EXCLUDE PATTERN e2e EXCLUDE)

# Packages are fetched when the list of them changes, not when the page does.
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
