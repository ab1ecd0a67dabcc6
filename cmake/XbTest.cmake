# Helpers for the CMakeLists.txt files below tests/.
include(GoogleTest)

# What every test program gets: warnings, GoogleTest, tests/support, and where things are.
add_library(xb_test_common INTERFACE)
target_link_libraries(xb_test_common INTERFACE xb_options xb_base xb::gtest Threads::Threads)
target_compile_definitions(xb_test_common INTERFACE
  XB_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
  XB_BINARY_DIR="${CMAKE_BINARY_DIR}"                  # xbdbg is XB_BINARY_DIR "/bin/xbdbg"
  XB_SAMPLES_DIR="${CMAKE_BINARY_DIR}/bin/samples")

# xb_test(name SOURCES a_test.cc ... [LIBS xb_symbols ...] [LABELS unit] [TIMEOUT seconds] [SERIAL] [DEPENDS targets])
#
# A GoogleTest program `name`; each TEST in it is a test of ctest, with the labels (default: the name of the folder
# below tests/: unit, target, e2e, lint, bench) and the timeout (default 60 s). SERIAL: no other test runs beside it.
# DEPENDS: what the tests run (xbdbg, samples), so that building the program alone is enough to run it.
function(xb_test name)
  cmake_parse_arguments(ARG "SERIAL" "TIMEOUT" "SOURCES;LIBS;LABELS;DEPENDS" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS OR NOT ARG_SOURCES)
    message(FATAL_ERROR "xb_test(${name}): no SOURCES, or unknown arguments: ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_LABELS)
    file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/tests ${CMAKE_CURRENT_SOURCE_DIR})
    string(REGEX REPLACE "/.*" "" ARG_LABELS ${folder})
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 60)
  endif()
  add_executable(${name} ${ARG_SOURCES})
  foreach(label IN LISTS ARG_LABELS)
    if(NOT TARGET xb_tests_${label})
      add_custom_target(xb_tests_${label})  # all test programs with this label
    endif()
    add_dependencies(xb_tests_${label} ${name})
  endforeach()
  target_link_libraries(${name} PRIVATE xb_test_common ${ARG_LIBS} GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  set(properties LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
  if(ARG_SERIAL)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  # The list of tests is read when ctest runs: a program that crashes at start must not break the build.
  gtest_discover_tests(${name} NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
    PROPERTIES ${properties})
endfunction()

add_custom_target(xb_fuzzers)  # all fuzz targets

# xb_fuzz(name source.cc [LIBS ...]): source.cc defines LLVMFuzzerTestOneInput.
#
# With XB_FUZZ a libFuzzer program, whose test runs for a few seconds from the corpus in tests/fuzz/corpus/<name>.
# Without it the same code is linked with a small driver that runs the corpus and a few thousand mutations of it.
function(xb_fuzz name source)
  cmake_parse_arguments(ARG "" "" "LIBS" ${ARGN})
  set(corpus ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fuzz/${name})
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE xb_test_common ${ARG_LIBS})
  add_dependencies(xb_fuzzers ${name})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/bin)
  if(XB_FUZZ)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    # New inputs go to the first folder (in the build tree), crashes too; the corpus of the repository is only read.
    set(folders .)
    if(EXISTS ${corpus})
      list(APPEND folders ${corpus})
    endif()
    add_test(NAME ${name} WORKING_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fuzz/${name} COMMAND ${name}
      -max_total_time=5 -timeout=10 -rss_limit_mb=2048 ${folders})
  else()
    target_sources(${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests/support/fuzz_main.cc)
    add_test(NAME ${name} COMMAND ${name} ${corpus})
  endif()
  set_tests_properties(${name} PROPERTIES LABELS fuzz TIMEOUT 120)
endfunction()
