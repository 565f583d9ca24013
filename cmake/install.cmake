# Installation. The shared and the static library have separate export files, so that users of the shared one
# need none of its dependencies.
include(CMakePackageConfigHelpers)

# Hidden visibility does not apply to symbols that the compiler generates, such as the locks of OpenMP.
include(CheckLinkerFlag)
set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
check_linker_flag(C -Wl,--version-script=${exports} CREDENCE_VERSION_SCRIPT)
set(libraries credence)
if(CRD_NN)
  list(APPEND libraries credence-nn)
endif()
foreach(library ${libraries})
  if(CREDENCE_VERSION_SCRIPT)
    target_link_options(${library}-shared PRIVATE -Wl,--version-script=${exports})
    set_target_properties(${library}-shared PROPERTIES LINK_DEPENDS ${exports})
  endif()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/credence)
set(generated ${PROJECT_BINARY_DIR}/install)

install(TARGETS credence RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/credence DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")
foreach(library ${libraries})
  foreach(kind shared static)
    install(TARGETS ${library}-${kind} EXPORT ${library}-${kind}
            LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
            ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
    install(EXPORT ${library}-${kind} NAMESPACE credence:: DESTINATION ${package_dir})
  endforeach()
endforeach()

# As in the build: PkgConfig::HDF5 for the module hdf5, and so on.
# crd_find(<out> <indent> <targets> <modules>)
function(crd_find out indent targets modules)
  set(text)
  foreach(target module IN ZIP_LISTS targets modules)
    string(REPLACE PkgConfig:: "" name ${target})
    string(APPEND text "${indent}pkg_check_modules(${name} REQUIRED IMPORTED_TARGET ${module})\n")
  endforeach()
  set(${out} "${text}" PARENT_SCOPE)
endfunction()
crd_find(find_required "  " "${CRD_REQUIRED}" "${CRD_REQUIRED_MODULES}")
crd_find(find_optional "  " "${CRD_OPTIONAL}" "${CRD_OPTIONAL_MODULES}")
crd_find(find_optional_nn "      " "${CRD_OPTIONAL_NN}" "${CRD_OPTIONAL_NN_MODULES}")
configure_package_config_file(cmake/credence-config.cmake.in ${generated}/credence-config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${generated}/credence-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/credence-config.cmake ${generated}/credence-config-version.cmake
        DESTINATION ${package_dir})
if(CRD_NN)
  install(FILES cmake/onednn.cmake DESTINATION ${package_dir})
endif()

# Relative to the file itself, because the tree may be moved after installation.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
# crd_pkg_config(<library> <description> <flags of its dependencies> <optional modules>...)
function(crd_pkg_config library description private)
  list(JOIN CRD_REQUIRED_MODULES " " requires)
  foreach(module ${ARGN})
    string(APPEND requires " ${module}")
  endforeach()
  configure_file(cmake/credence.pc.in ${generated}/${library}.pc @ONLY)
  install(FILES ${generated}/${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
crd_pkg_config(credence "measures and improves the calibration of classifiers" ""
               ${CRD_OPTIONAL_MODULES})
if(CRD_NN)
  crd_pkg_config(credence-nn "credence, and networks: a superset of its library" "-ldnnl "
                 ${CRD_OPTIONAL_MODULES} ${CRD_OPTIONAL_NN_MODULES})
endif()

file(GLOB pages CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
install(FILES completions/credence.bash RENAME credence OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completions/_credence OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completions/credence.fish OPTIONAL
        DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
