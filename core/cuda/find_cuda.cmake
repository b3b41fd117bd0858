# SPDX-License-Identifier: Apache-2.0
#
# Finds the headers and the static runtime that the CUDA module is built with. No nvcc: kernels are compiled at run time.
# CMake's own FindCUDAToolkit wants nvcc, where a machine may have only the runtime, CUPTI and NVRTC packages; and CMake 3.25's
# stops with an error at a toolkit of version 13, which has no nvToolsExt any more.
# Sets OPSCOPE_CUDA_FOUND, OPSCOPE_CUDA_WHY (when not found), OPSCOPE_CUDA_VERSION, OPSCOPE_CUDA_INCLUDES,
# OPSCOPE_CUDA_LIBRARY_FOLDER, OPSCOPE_CUDART_STATIC.

function(opscope_find_cuda)
  set(roots ${CUDAToolkit_ROOT} $ENV{CUDAToolkit_ROOT} $ENV{CUDA_HOME} $ENV{CUDA_PATH})
  find_program(OPSCOPE_NVCC nvcc)
  if(OPSCOPE_NVCC)  # whoever has it in the path means that toolkit
    file(REAL_PATH "${OPSCOPE_NVCC}" nvcc)
    cmake_path(GET nvcc PARENT_PATH programs)
    cmake_path(GET programs PARENT_PATH root)
    list(APPEND roots ${root})
  endif()
  list(APPEND roots /usr/local/cuda)
  find_path(OPSCOPE_CUDA_INCLUDE cuda_runtime_api.h HINTS ${roots}
            PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
  find_path(OPSCOPE_CUPTI_INCLUDE cupti.h HINTS ${roots}
            PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include extras/CUPTI/include)
  find_path(OPSCOPE_NVRTC_INCLUDE nvrtc.h HINTS ${roots}
            PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
  find_path(OPSCOPE_CUBLASLT_INCLUDE cublasLt.h HINTS ${roots}
            PATH_SUFFIXES include targets/x86_64-linux/include targets/sbsa-linux/include)
  find_library(OPSCOPE_CUDART_STATIC cudart_static HINTS ${roots}
               PATH_SUFFIXES lib64 lib targets/x86_64-linux/lib targets/sbsa-linux/lib)
  mark_as_advanced(OPSCOPE_CUDA_INCLUDE OPSCOPE_CUPTI_INCLUDE OPSCOPE_NVRTC_INCLUDE OPSCOPE_CUBLASLT_INCLUDE
                   OPSCOPE_CUDART_STATIC OPSCOPE_NVCC)
  set(why "")
  foreach(pair "OPSCOPE_CUDA_INCLUDE|cuda_runtime_api.h" "OPSCOPE_CUPTI_INCLUDE|cupti.h"
               "OPSCOPE_NVRTC_INCLUDE|nvrtc.h" "OPSCOPE_CUBLASLT_INCLUDE|cublasLt.h"
               "OPSCOPE_CUDART_STATIC|libcudart_static.a")
    string(REPLACE "|" ";" pair "${pair}")
    list(GET pair 0 variable)
    list(GET pair 1 file)
    if(NOT ${variable})
      string(APPEND why " ${file}")
    endif()
  endforeach()
  if(why)
    set(why "not found:${why}")
  else()
    file(STRINGS ${OPSCOPE_CUDA_INCLUDE}/cuda_runtime_api.h line REGEX "#define CUDART_VERSION +[0-9]+")
    string(REGEX REPLACE ".*CUDART_VERSION +([0-9]+).*" "\\1" number "${line}")
    math(EXPR major "${number} / 1000")
    math(EXPR minor "${number} % 1000 / 10")
    set(version ${major}.${minor})
    if(version VERSION_LESS 12.8)
      set(why "the toolkit is ${version}, 12.8 or newer is needed")
    endif()
  endif()
  if(why)
    set(OPSCOPE_CUDA_FOUND FALSE PARENT_SCOPE)
    set(OPSCOPE_CUDA_WHY "${why}" PARENT_SCOPE)
    return()
  endif()
  set(includes ${OPSCOPE_CUDA_INCLUDE} ${OPSCOPE_CUPTI_INCLUDE} ${OPSCOPE_NVRTC_INCLUDE} ${OPSCOPE_CUBLASLT_INCLUDE})
  list(REMOVE_DUPLICATES includes)
  get_filename_component(folder ${OPSCOPE_CUDART_STATIC} DIRECTORY)
  set(OPSCOPE_CUDA_FOUND TRUE PARENT_SCOPE)
  set(OPSCOPE_CUDA_VERSION ${version} PARENT_SCOPE)
  set(OPSCOPE_CUDA_INCLUDES ${includes} PARENT_SCOPE)
  set(OPSCOPE_CUDA_LIBRARY_FOLDER ${folder} PARENT_SCOPE)
endfunction()
