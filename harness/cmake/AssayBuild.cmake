# SPDX-License-Identifier: Apache-2.0
# The build id: generated/assay_build.h with ASSAY_VERSION and ASSAY_BUILD, the same for
# assay and every kernel of one build. The controller compares it with what each node's
# programs answer, so two different builds must never share one.
#
# Included by the top CMakeLists.txt it adds the target assay_build_id; run as a script
# (cmake -P) it writes the header, and leaves it alone when nothing changed, so a build
# without changes compiles nothing.

if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(ASSAY_BUILD_HEADER ${CMAKE_BINARY_DIR}/generated/assay_build.h)
  set(command ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR} -D OUT=${ASSAY_BUILD_HEADER}
    -D VERSION=${PROJECT_VERSION} -P ${CMAKE_CURRENT_LIST_FILE})
  # once now, for tools that read the sources without building them
  execute_process(COMMAND ${command} COMMAND_ERROR_IS_FATAL ANY)
  add_custom_target(assay_build_id BYPRODUCTS ${ASSAY_BUILD_HEADER}
    COMMAND ${command} COMMENT "Checking the build id" VERBATIM)
  return()
endif()

# Eight bytes of a hash over every file the programs are made of.
function(source_hash out)
  file(GLOB_RECURSE files LIST_DIRECTORIES false ${SOURCE}/harness/* ${SOURCE}/kernels/*
    ${SOURCE}/reports/*)
  file(GLOB top ${SOURCE}/CMakeLists.txt) # a recursive one looks in every folder
  list(APPEND files ${top})
  list(SORT files)
  set(sums)
  foreach(file ${files})
    file(SHA256 ${file} sum)
    file(RELATIVE_PATH name ${SOURCE} ${file})
    string(APPEND sums "${sum} ${name}\n")
  endforeach()
  string(SHA256 sum "${sums}")
  string(SUBSTRING ${sum} 0 16 sum)
  set(${out} ${sum} PARENT_SCOPE)
endfunction()

# What git says, or nothing: no git, no repository, or one that merely contains us.
function(git_id out)
  set(${out} "" PARENT_SCOPE)
  find_program(GIT git)
  if(NOT GIT)
    return()
  endif()
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-prefix
    OUTPUT_VARIABLE prefix OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE rc)
  if(NOT rc EQUAL 0 OR prefix)
    return()
  endif()
  execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE}
    describe --always --dirty --abbrev=12
    OUTPUT_VARIABLE id OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE rc)
  if(rc EQUAL 0)
    set(${out} "${id}" PARENT_SCOPE)
  endif()
endfunction()

git_id(id)
if(NOT id)
  source_hash(hash)
  set(id "src-${hash}")
elseif(id MATCHES "-dirty$")
  source_hash(hash) # two different uncommitted states are two builds
  string(APPEND id "-${hash}")
endif()
set(text "/* SPDX-License-Identifier: Apache-2.0 */
/* Written by harness/cmake/AssayBuild.cmake: version and build id of this build. */
#ifndef ASSAY_BUILD_H
#define ASSAY_BUILD_H

#define ASSAY_VERSION \"${VERSION}\"
#define ASSAY_BUILD   \"${id}\"

#endif
")
set(old "")
if(EXISTS ${OUT})
  file(READ ${OUT} old)
endif()
if(NOT text STREQUAL old)
  file(WRITE ${OUT} "${text}")
endif()
