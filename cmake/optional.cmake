# Optional libraries. CREDENCE_<NAME> is AUTO, ON (required) or OFF. CRD_OPTIONAL collects the targets of both
# libraries, CRD_OPTIONAL_NN those of libcredence-nn and the program alone, <list>_MODULES their pkg-config names.

# crd_optional(<list> <NAME> <purpose> <pkg-config module>...): the first module found is taken.
macro(crd_optional list name purpose)
  set(CREDENCE_${name} AUTO CACHE STRING "${purpose}: AUTO, ON or OFF")
  if(CREDENCE_${name} OR CREDENCE_${name} STREQUAL AUTO)
    pkg_search_module(${name} QUIET IMPORTED_TARGET ${ARGN})
    if(${name}_FOUND)
      list(APPEND ${list} PkgConfig::${name})
      list(APPEND ${list}_MODULES ${${name}_MODULE_NAME})
    elseif(NOT CREDENCE_${name} STREQUAL AUTO)
      message(FATAL_ERROR "CREDENCE_${name} is ON, and pkg-config knows none of: ${ARGN}")
    endif()
  endif()
endmacro()

crd_optional(CRD_OPTIONAL HDF5 "read HDF5 files with libhdf5" hdf5-serial hdf5)
crd_optional(CRD_OPTIONAL MAT "read MATLAB files with libmatio" matio)
crd_optional(CRD_OPTIONAL_NN PNG "read PNG images with libpng" libpng)
crd_optional(CRD_OPTIONAL_NN JPEG "read JPEG images with libjpeg" libjpeg)

# Networks: CRD_NN is ON if they are built in. They are in a separate library, so that measuring calibration
# does not need oneDNN.
set(CREDENCE_NN AUTO CACHE STRING "run and train networks with oneDNN: AUTO, ON or OFF")
set(CRD_NN OFF)
if(CREDENCE_NN OR CREDENCE_NN STREQUAL AUTO)
  include(cmake/onednn.cmake)
  if(TARGET credence-onednn)
    set(CRD_NN ON)
  elseif(NOT CREDENCE_NN STREQUAL AUTO)
    message(FATAL_ERROR "CREDENCE_NN is ON, and there is no oneapi/dnnl/dnnl.h or no libdnnl")
  endif()
endif()
