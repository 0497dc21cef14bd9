# cmake -DPAGE=NAME.html -DOUT=FILE.cc -P embed.cmake: writes a bundled page as NAME_template(). Compilers promise
# no literal longer than 64 KiB, so each half, before the data and after them, is an array of pieces.
get_filename_component(name "${PAGE}" NAME_WE)
file(READ "${PAGE}" page)
string(FIND "${page}" ")page\"" delimiter)
string(FIND "${page}" "{{DATA}}" mark)
if(NOT delimiter EQUAL -1 OR mark EQUAL -1)
  message(FATAL_ERROR "${PAGE} is no page that build.mjs bundles")
endif()

function(write_pieces name text)
  set(pieces "")
  while(NOT text STREQUAL "")
    string(SUBSTRING "${text}" 0 60000 piece)
    string(LENGTH "${piece}" length)
    string(SUBSTRING "${text}" ${length} -1 text)
    string(APPEND pieces "    R\"page(${piece})page\",\n")
  endwhile()
  file(APPEND "${OUT}" "constexpr std::string_view ${name}[] = {\n${pieces}};\n\n")
endfunction()

string(SUBSTRING "${page}" 0 ${mark} before)
math(EXPR end "${mark} + 8")
string(SUBSTRING "${page}" ${end} -1 after)
file(WRITE "${OUT}" "// Made by reports/page/embed.cmake.
#include \"reports/page_template.h\"

namespace picklock::reports {
namespace {

")
write_pieces(kBeforeData "${before}")
write_pieces(kAfterData "${after}")
file(APPEND "${OUT}" "}  // namespace

PageTemplate ${name}_template() { return {kBeforeData, kAfterData}; }

}  // namespace picklock::reports
")
