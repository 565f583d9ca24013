# Cross-compiles for 64-bit ARM Linux with Debian's gcc-aarch64-linux-gnu (docs/guide/small-machines.md):
#   cmake -B build/aarch64 --toolchain cmake/aarch64-linux-gnu.cmake -DCREDENCE_LEAN=ON -DCREDENCE_TARGET=FOLDER
# FOLDER holds the target's jansson as its Debian packages lay it out (usr/include, usr/lib/aarch64-linux-gnu); without
# it the machine's own packages of arm64 are taken. Tests run under qemu-aarch64, where it is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CREDENCE_TARGET "" CACHE PATH "folder with the libraries of the target")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES CREDENCE_TARGET)

# Programs of the build machine, but no headers and libraries of it.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu ${CREDENCE_TARGET})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_LIBDIR} ${CREDENCE_TARGET}/usr/lib/aarch64-linux-gnu/pkgconfig:${CREDENCE_TARGET}/usr/share/pkgconfig)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CREDENCE_TARGET}")

find_program(CREDENCE_QEMU qemu-aarch64)
if(CREDENCE_QEMU)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${CREDENCE_QEMU} -L /usr/aarch64-linux-gnu)
endif()
