# A room is a folder of src/. Its list.h, if it has one, names its members for the compiler and for
# the build alike: a line METRIC(e_aurc) stands for e_aurc.c, FAMILY(unary, exp) for unary.c. A test <name>_test.c beside a source
# is found by its name.

# crd_members(<out> [<folder>]): the sources that list.h names, here or in the folder.
function(crd_members out)
  set(folder)
  if(ARGC GREATER 1)
    set(folder ${ARGV1}/)
  endif()
  get_filename_component(list ${CMAKE_CURRENT_SOURCE_DIR}/${folder}list.h ABSOLUTE)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
  file(STRINGS ${list} rows REGEX "^[A-Z]+\\(")
  set(files)
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^[A-Z]+\\(([a-z0-9_]+).*" "${folder}\\1.c" file "${row}")
    list(APPEND files ${file})
  endforeach()
  list(REMOVE_DUPLICATES files)
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# crd_needs(<sources> <member> <library>): without the library, a file that reports it as missing is built
# instead.
macro(crd_needs sources member library)
  if(NOT (PkgConfig::${library} IN_LIST CRD_OPTIONAL OR PkgConfig::${library} IN_LIST CRD_OPTIONAL_NN))
    list(TRANSFORM ${sources} REPLACE "/${member}\\.c$" "/${member}_absent.c")
  endif()
endmacro()

# crd_lean(<sources> <file> <replacement>): in a lean build, another file is built instead.
macro(crd_lean sources file replacement)
  if(CREDENCE_LEAN)
    list(TRANSFORM ${sources} REPLACE "^${file}$" ${replacement})
  endif()
endmacro()

# crd_room(<sources>...): compile a room into the library, and its tests if tests are built.
function(crd_room)
  get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  add_library(room-${room} OBJECT ${ARGN})
  target_include_directories(room-${room} PRIVATE ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(room-${room} PRIVATE ${CRD_REQUIRED} OpenMP::OpenMP_C)
  set_property(GLOBAL APPEND PROPERTY CRD_OBJECTS $<TARGET_OBJECTS:room-${room}>)
  if(CREDENCE_TESTS)
    foreach(source ${ARGN})
      string(REGEX REPLACE "\\.[ch]$" "_test" test ${source})
      set(includes)
      if(CREDENCE_LEAN AND EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${test}.c) # without tests that write archives
        file(STRINGS ${test}.c includes REGEX "<archive.h>")
      endif()
      if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${test}.c AND NOT includes)
        # Members of a table are tested under the room's name: metric-ece_test, not metric-kind-...
        string(REGEX REPLACE "^(architecture|augment|corrupt|finding|form|format|fuse|kind|language|method|op|optimiser|part|peer|schedule)/" "" name
               ${test})
        string(REPLACE "/" "-" name ${name})
        crd_test(${room}-${name} ${test}.c)
      endif()
    endforeach()
  endif()
endfunction()

# crd_test(<name> <sources>...): a cmocka program with access to the library's internal functions.
function(crd_test name)
  add_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include
                             ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE test-support credence-nn-static PkgConfig::CMOCKA ${CRD_REQUIRED}
                        OpenMP::OpenMP_C m)
  target_compile_definitions(${name} PRIVATE CREDENCE_SOURCE="${PROJECT_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  # An emulator is ten to twenty times slower.
  set_tests_properties(${name} PROPERTIES TIMEOUT $<IF:$<BOOL:${CMAKE_CROSSCOMPILING_EMULATOR}>,2400,300>)
endfunction()
