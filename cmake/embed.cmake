# Writes the files of FILES as one C table called TABLE (src/cli/bundled.h declares it): name without `.lua`, bytes,
# length.
set(text "/* Made by cmake/embed.cmake: do not edit. */\n#include \"cli/bundled.h\"\n\n")
set(rows "")
foreach(file ${FILES})
  get_filename_component(name "${file}" NAME_WE)
  file(READ "${file}" hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND text "static const unsigned char bytes_${name}[] = {${bytes}0};\n")
  string(APPEND rows "    {.name = \"${name}\", .bytes = (const char *)bytes_${name}, "
                     ".length = sizeof bytes_${name} - 1},\n")
endforeach()
string(APPEND text "\nconst struct bundled ${TABLE}[] = {\n${rows}    {.name = 0},\n};\n")
file(WRITE "${OUT}" "${text}")
