# credence-onednn: oneDNN, where it is found. It has no file for pkg-config, and its own CMake package
# requires the headers of OpenCL, which nothing here uses. The build and the installed package both read this
# file.
find_path(ONEDNN_INCLUDE_DIR oneapi/dnnl/dnnl.h)
find_library(ONEDNN_LIBRARY dnnl)
mark_as_advanced(ONEDNN_INCLUDE_DIR ONEDNN_LIBRARY)
if(ONEDNN_INCLUDE_DIR AND ONEDNN_LIBRARY AND NOT TARGET credence-onednn)
  add_library(credence-onednn UNKNOWN IMPORTED)
  set_target_properties(credence-onednn PROPERTIES IMPORTED_LOCATION ${ONEDNN_LIBRARY}
                        INTERFACE_INCLUDE_DIRECTORIES ${ONEDNN_INCLUDE_DIR})
endif()
