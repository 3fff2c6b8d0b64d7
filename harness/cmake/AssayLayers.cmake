# SPDX-License-Identifier: Apache-2.0
# The layers of the program as CMake targets, and the tables of plug-ins.

# assay_layer(NAME SOURCES file... [DEPS layer...] [LIBS target...])
# A layer is the static library assay_NAME; DEPS are the layers whose headers it includes
# (tests/lint checks the includes against the table in harness/layers.txt).
function(assay_layer name)
  cmake_parse_arguments(A "" "" "SOURCES;DEPS;LIBS" ${ARGN})
  add_library(assay_${name} STATIC ${A_SOURCES})
  target_link_libraries(assay_${name} PUBLIC assay_flags)
  foreach(dep ${A_DEPS})
    target_link_libraries(assay_${name} PUBLIC assay_${dep})
  endforeach()
  target_link_libraries(assay_${name} PUBLIC ${A_LIBS})
endfunction()

# assay_table(OUT def MACRO prefix): the source files a .def table names. A line
# MACRO(name) stands for prefix_name.c beside the table; the C code includes the same file.
function(assay_table out def macro prefix)
  file(STRINGS ${def} lines REGEX "^${macro}\\(")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${def})
  set(files)
  foreach(line ${lines})
    string(REGEX REPLACE "^${macro}\\(([a-z0-9_]+).*" "\\1" entry ${line})
    list(APPEND files ${prefix}_${entry}.c)
  endforeach()
  set(${out} ${files} PARENT_SCOPE)
endfunction()

# add_kernel(NAME [SOURCES file...] [LIBS target...]): the program assay-NAME from NAME.c
# and the kit, which brings main().
function(add_kernel name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS" ${ARGN})
  if(NOT A_SOURCES)
    set(A_SOURCES ${name}.c)
  endif()
  add_executable(assay-${name} ${A_SOURCES})
  target_link_libraries(assay-${name} PRIVATE assay_kit ${A_LIBS})
  install(TARGETS assay-${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# assay_test(NAME LABELS label... [SOURCES file...] [LIBS target...])
# A cmocka program NAME from NAME.c, run by ctest under its labels.
function(assay_test name)
  cmake_parse_arguments(A "" "" "SOURCES;LIBS;LABELS" ${ARGN})
  if(NOT A_SOURCES)
    set(A_SOURCES ${name}.c)
  endif()
  add_executable(${name} ${A_SOURCES})
  target_link_libraries(${name} PRIVATE ${A_LIBS} assay_flags PkgConfig::CMOCKA)
  target_compile_definitions(${name} PRIVATE
    TEST_DATA="${CMAKE_SOURCE_DIR}/tests/data" SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  add_test(NAME ${name} COMMAND ${name})
  set_tests_properties(${name} PROPERTIES LABELS "${A_LABELS}" TIMEOUT 300)
endfunction()
