# Writes the man page and the completions into `folder`. Needs `program`, `version`, `source` and `gzip`.
cmake_minimum_required(VERSION 3.23)
include("${CMAKE_CURRENT_LIST_DIR}/source_date.cmake")
file(MAKE_DIRECTORY "${folder}")

function(ask form output)
  execute_process(COMMAND "${program}" help --as "${form}" OUTPUT_VARIABLE text COMMAND_ERROR_IS_FATAL ANY)
  set("${output}" "${text}" PARENT_SCOPE)
endfunction()

ask(bash text)
file(CONFIGURE OUTPUT "${folder}/picklock.bash" CONTENT "@text@" @ONLY)
ask(zsh text)
file(CONFIGURE OUTPUT "${folder}/_picklock" CONTENT "@text@" @ONLY)
ask(man help)
string(TIMESTAMP date %Y-%m-%d UTC)
configure_file("${source}/cli/picklock.1.in" "${folder}/picklock.1" @ONLY)
execute_process(COMMAND "${gzip}" -9nkf "${folder}/picklock.1" COMMAND_ERROR_IS_FATAL ANY)
