# What we use from Debian, as targets with one spelling: xb::elf xb::dwarf xb::capstone xb::zstd xb::xxhash
# xb::json xb::cli11 xb::fmt xb::gtest. Everything that is missing is named in one message, with the package that has it.
find_package(PkgConfig QUIET)
set(xb_missing "")

# xb_library(name package FOUND target): alias xb::name to the target, or note the Debian package as missing.
function(xb_library name package found target)
  if(found)
    add_library(xb::${name} ALIAS ${target})
  else()
    set(xb_missing ${xb_missing} ${package} PARENT_SCOPE)
  endif()
endfunction()

if(NOT PKG_CONFIG_FOUND)
  list(APPEND xb_missing pkg-config)
else()
  pkg_check_modules(ELF QUIET IMPORTED_TARGET libelf)
  xb_library(elf libelf-dev "${ELF_FOUND}" PkgConfig::ELF)
  pkg_check_modules(CAPSTONE QUIET IMPORTED_TARGET capstone)
  xb_library(capstone libcapstone-dev "${CAPSTONE_FOUND}" PkgConfig::CAPSTONE)
  pkg_check_modules(ZSTD QUIET IMPORTED_TARGET libzstd)
  xb_library(zstd libzstd-dev "${ZSTD_FOUND}" PkgConfig::ZSTD)
  pkg_check_modules(XXHASH QUIET IMPORTED_TARGET libxxhash)
  xb_library(xxhash libxxhash-dev "${XXHASH_FOUND}" PkgConfig::XXHASH)
endif()

# Debian 12's libdwarf-dev has no .pc file, and its headers are in a folder of their own: #include <libdwarf.h>.
find_path(XB_DWARF_INCLUDE_DIR libdwarf.h PATH_SUFFIXES libdwarf libdwarf-0)
find_library(XB_DWARF_LIBRARY dwarf)
mark_as_advanced(XB_DWARF_INCLUDE_DIR XB_DWARF_LIBRARY)
if(XB_DWARF_INCLUDE_DIR AND XB_DWARF_LIBRARY)
  add_library(xb::dwarf UNKNOWN IMPORTED)
  set_target_properties(xb::dwarf PROPERTIES
    IMPORTED_LOCATION ${XB_DWARF_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES ${XB_DWARF_INCLUDE_DIR})
else()
  list(APPEND xb_missing libdwarf-dev)
endif()

find_package(nlohmann_json QUIET)
xb_library(json nlohmann-json3-dev "${nlohmann_json_FOUND}" nlohmann_json::nlohmann_json)
find_package(CLI11 QUIET)
xb_library(cli11 libcli11-dev "${CLI11_FOUND}" CLI11::CLI11)
find_package(fmt QUIET)
xb_library(fmt libfmt-dev "${fmt_FOUND}" fmt::fmt)
find_package(GTest QUIET)
xb_library(gtest libgtest-dev "${GTest_FOUND}" GTest::gtest)
find_package(Threads REQUIRED)

if(xb_missing)
  list(JOIN xb_missing " " xb_missing)
  message(FATAL_ERROR "missing Debian packages: ${xb_missing}; run scripts/setup.sh")
endif()
