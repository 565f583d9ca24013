# A text file as bytes of C, for the library to carry along:
#   cmake -D INPUT=page.css -D OUTPUT=page_css.c -D NAME=crd__page_css -P embed.cmake
# gives `const char NAME[]`, ended by a NUL, and `const size_t NAME_size` without it.
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
