# What every target of ours is built with. Link `xb_options` (PRIVATE) to get it.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()

option(XB_ASAN "build xbdbg itself (not the agent, not the samples) with ASan and UBSan" OFF)
option(XB_FUZZ "build the libFuzzer targets (needs clang)" OFF)

add_library(xb_options INTERFACE)
target_include_directories(xb_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(xb_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wnon-virtual-dtor -Wswitch-enum -Werror)
if(XB_ASAN)
  target_compile_options(xb_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(xb_options INTERFACE -fsanitize=address,undefined)
endif()
