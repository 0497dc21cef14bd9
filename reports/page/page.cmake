# The page of a comparison is bundled here, in the build directory: reports/page holds its sources, and never
# node_modules. Sets page_template, a source file of picklock_reports.
find_program(PICKLOCK_NPM npm)
find_program(PICKLOCK_NODE NAMES node nodejs)
mark_as_advanced(PICKLOCK_NPM PICKLOCK_NODE)
if(NOT PICKLOCK_NPM OR NOT PICKLOCK_NODE)
  message(FATAL_ERROR "npm and node are missing: the page of a comparison (reports/page) is bundled with them. "
    "On Debian: apt-get install nodejs npm")
endif()

set(page_sources "${CMAKE_CURRENT_SOURCE_DIR}/page")
set(page_build "${CMAKE_CURRENT_BINARY_DIR}/page")
set(page_template "${page_build}/page_template.cc")
# Of what is run, nothing needs the scripts that packages run when they are installed.
set(npm_ci "${PICKLOCK_NPM}" ci --ignore-scripts --no-audit --no-fund --prefer-offline --loglevel=error)

add_custom_command(OUTPUT "${page_build}/node_modules/.package-lock.json"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${page_build}"
  COMMAND ${CMAKE_COMMAND} -E copy "${page_sources}/package.json" "${page_sources}/package-lock.json" "${page_build}"
  COMMAND ${CMAKE_COMMAND} -E chdir "${page_build}" ${npm_ci} --omit=dev
  DEPENDS "${page_sources}/package.json" "${page_sources}/package-lock.json"
  COMMENT "Installing what bundles the page" VERBATIM)

file(GLOB page_files CONFIGURE_DEPENDS "${page_sources}/src/*")
add_custom_command(OUTPUT "${page_template}"
  COMMAND ${CMAKE_COMMAND} -E rm -rf "${page_build}/src"
  COMMAND ${CMAKE_COMMAND} -E copy_directory "${page_sources}/src" "${page_build}/src"
  COMMAND ${CMAKE_COMMAND} -E copy "${page_sources}/build.mjs" "${page_build}"
  COMMAND "${PICKLOCK_NODE}" "${page_build}/build.mjs" "${page_template}"
  DEPENDS ${page_files} "${page_sources}/build.mjs" "${page_build}/node_modules/.package-lock.json"
  COMMENT "Bundling the page" VERBATIM)
