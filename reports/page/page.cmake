# The page is bundled already, in reports/page/bundle: building picklock needs neither node nor a package registry.
# The test page_bundle says whether the bundle is what its sources give. Sets page_template, a source file of
# picklock_reports.
set(page_sources "${CMAKE_CURRENT_SOURCE_DIR}/page")
set(page_build "${CMAKE_CURRENT_BINARY_DIR}/page")
set(page_template "${page_build}/comparison_template.cc")

add_custom_command(OUTPUT "${page_template}"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${page_build}"
  COMMAND ${CMAKE_COMMAND} "-DPAGE=${page_sources}/bundle/comparison.html" "-DOUT=${page_template}"
    -P "${page_sources}/embed.cmake"
  DEPENDS "${page_sources}/bundle/comparison.html" "${page_sources}/embed.cmake"
  COMMENT "Embedding the page" VERBATIM)
