find_package(PkgConfig REQUIRED)
find_package(GTest REQUIRED)
