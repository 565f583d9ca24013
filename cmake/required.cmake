# Libraries that every build needs; a lean build needs jansson alone, to read calibrators and results. CRD_REQUIRED
# collects their targets, CRD_REQUIRED_MODULES their pkg-config names.

# crd_require(<NAME> <pkg-config module>)
macro(crd_require name module)
  pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})
  list(APPEND CRD_REQUIRED PkgConfig::${name})
  list(APPEND CRD_REQUIRED_MODULES ${module})
endmacro()

crd_require(JANSSON jansson)
if(CREDENCE_LEAN)
  add_compile_definitions(CREDENCE_LEAN)
  foreach(option HDF5 MAT PNG JPEG NN)
    if(CREDENCE_${option} AND NOT CREDENCE_${option} STREQUAL AUTO)
      message(FATAL_ERROR "CREDENCE_LEAN leaves out what CREDENCE_${option}=${CREDENCE_${option}} asks for")
    endif()
    set(CREDENCE_${option} OFF)
  endforeach()
else()
  crd_require(LIBARCHIVE libarchive)
  crd_require(NETTLE nettle)
endif()
