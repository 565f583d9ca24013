# Converts a text file to a C array, to embed it in the library:
#   cmake -D INPUT=page.css -D OUTPUT=page_css.c -D NAME=crd__page_css -P embed.cmake
# defines `const char NAME[]`, NUL-terminated, and `const size_t NAME_size`, without the NUL.
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
get_filename_component(file ${INPUT} NAME)
file(WRITE ${OUTPUT} "/* Made from ${file} by embed.cmake. */
#include <stddef.h>
extern const char ${NAME}[];
extern const size_t ${NAME}_size;
const char ${NAME}[] = {
${bytes}0
};
const size_t ${NAME}_size = sizeof ${NAME} - 1;
")
