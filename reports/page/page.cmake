# The pages are bundled already, in reports/page/bundle: building picklock needs neither node nor a package registry.
# The test page_bundle says whether the bundle is what its sources give. Sets page_templates, source files of
# picklock_report_formats.
set(page_sources "${CMAKE_CURRENT_SOURCE_DIR}/page")
set(page_build "${CMAKE_CURRENT_BINARY_DIR}/page")
file(MAKE_DIRECTORY "${page_build}")

set(page_templates "")
foreach(page IN ITEMS comparison run)
  add_custom_command(OUTPUT "${page_build}/${page}_template.cc"
    COMMAND ${CMAKE_COMMAND} "-DPAGE=${page_sources}/bundle/${page}.html" "-DOUT=${page_build}/${page}_template.cc"
      -P "${page_sources}/embed.cmake"
    DEPENDS "${page_sources}/bundle/${page}.html" "${page_sources}/embed.cmake"
    COMMENT "Embedding the page ${page}.html" VERBATIM)
  list(APPEND page_templates "${page_build}/${page}_template.cc")
endforeach()
