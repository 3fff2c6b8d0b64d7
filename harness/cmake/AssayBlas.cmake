# SPDX-License-Identifier: Apache-2.0
# The target assay_cblas: a BLAS with the C interface. The first of these that has it; the
# system's libblas comes first, because another library can be put in its place later
# (Debian's alternatives, LD_LIBRARY_PATH). Another choice: -D ASSAY_CBLAS=NAME.
include(CheckLibraryExists)

find_path(ASSAY_CBLAS_INCLUDE cblas.h PATH_SUFFIXES openblas flexiblas blis)
if(NOT ASSAY_CBLAS)
  foreach(name blas flexiblas openblaso openblas blis cblas)
    check_library_exists(${name} cblas_dgemm "" ASSAY_HAVE_CBLAS_${name})
    if(ASSAY_HAVE_CBLAS_${name})
      set(ASSAY_CBLAS ${name} CACHE STRING "library that has cblas_dgemm")
      break()
    endif()
  endforeach()
endif()
if(NOT ASSAY_CBLAS OR NOT ASSAY_CBLAS_INCLUDE)
  message(FATAL_ERROR "no BLAS with cblas.h and cblas_dgemm: see jobs/packages.txt")
endif()
add_library(assay_cblas INTERFACE)
target_include_directories(assay_cblas SYSTEM INTERFACE ${ASSAY_CBLAS_INCLUDE})
target_link_libraries(assay_cblas INTERFACE ${ASSAY_CBLAS})
