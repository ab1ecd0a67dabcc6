# What our targets are built with.
#   xb_options         for everything that runs in the xbdbg process: warnings, and sanitizers when asked for
#   xb_target_options  for what runs inside the debugged program (agent, samples): warnings, never a sanitizer
# Link one of them PRIVATE.
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
option(XB_FUZZ "build the libFuzzer targets, with ASan (needs clang)" OFF)
if(XB_FUZZ AND NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
  message(FATAL_ERROR "XB_FUZZ needs clang, this is ${CMAKE_CXX_COMPILER}: use `cmake --preset fuzz`")
endif()

add_library(xb_target_options INTERFACE)
target_include_directories(xb_target_options INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(xb_target_options INTERFACE
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wswitch-enum -Werror
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>)

add_library(xb_options INTERFACE)
target_link_libraries(xb_options INTERFACE xb_target_options)
if(XB_FUZZ)
  set(xb_sanitizers -fsanitize=address,fuzzer-no-link -fno-omit-frame-pointer)
elseif(XB_ASAN)
  # Three checks of UBSan are left out for the time they take to compile.
  set(xb_sanitizers -fsanitize=address,undefined -fno-sanitize=null,object-size,vptr -fno-sanitize-recover=all
    -fno-omit-frame-pointer -g1)
  # gcc's own manual: sanitizers make this warning wrong. Here it strikes inside std::regex.
  target_compile_options(xb_options INTERFACE -Wno-maybe-uninitialized)
endif()
if(xb_sanitizers)
  target_compile_options(xb_options INTERFACE ${xb_sanitizers})
  target_link_options(xb_options INTERFACE ${xb_sanitizers})
endif()
