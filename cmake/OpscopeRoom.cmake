# SPDX-License-Identifier: Apache-2.0
#
# opscope_room(NAME SOURCES files... ROOMS lower-rooms... [LIBRARIES libs...] [PRIVATE_LIBRARIES libs...])
#
# One static library per folder of core/. A room links only the rooms it may include, so that a call in the wrong
# direction fails to link; includes alone are checked by tests/frame/include_direction.cmake.

set(OPSCOPE_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wnon-virtual-dtor
                     -Woverloaded-virtual -Wcast-align -Wundef -Wno-missing-field-initializers -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # With -O3 that compiler reports overlapping copies inside std::string's own operator+ (GCC bug 105651).
  list(APPEND OPSCOPE_WARNINGS -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # What libstdc++ 12 itself calls inside std::stable_sort.
  list(APPEND OPSCOPE_WARNINGS -Wno-deprecated-declarations)
endif()

function(opscope_target_defaults target)
  target_compile_options(${target} PRIVATE ${OPSCOPE_WARNINGS})
  if(OPSCOPE_SANITIZE)
    target_compile_options(${target} PRIVATE -fsanitize=${OPSCOPE_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    # For tests of time and memory: g++ and clang tell it each in a way of its own.
    target_compile_definitions(${target} PRIVATE OPSCOPE_SANITIZED)
    target_link_options(${target} PRIVATE -fsanitize=${OPSCOPE_SANITIZE})
  endif()
endfunction()

function(opscope_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;ROOMS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  add_library(opscope_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(opscope_${name} PUBLIC ${CMAKE_SOURCE_DIR}/core)
  foreach(room IN LISTS ROOM_ROOMS)
    target_link_libraries(opscope_${name} PUBLIC opscope_${room})
  endforeach()
  target_link_libraries(opscope_${name} PUBLIC ${ROOM_LIBRARIES} PRIVATE ${ROOM_PRIVATE_LIBRARIES})
  opscope_target_defaults(opscope_${name})
endfunction()

# What a test costs is its compiling: with less debug information and optimisation that takes two thirds of the time, and a
# backtrace still has its lines. Under a sanitizer even -O1 doubles what clang takes for them. In a Debug build tests are
# built as all else is.
function(opscope_compile_quickly target)
  if(OPSCOPE_SANITIZE)
    set(level -O0)
  else()
    set(level -O1)
  endif()
  target_compile_options(${target} PRIVATE $<$<NOT:$<CONFIG:Debug>>:${level}> $<$<NOT:$<CONFIG:Debug>>:-g1>)
endfunction()

# opscope_test(NAME SOURCES files... ROOMS rooms... [LIBRARIES libs...] [LABELS label]): one Catch2 executable. Each of its
# test cases is a test of ctest's, labelled with the folder it lies in or with the label given. Tests of the GPU travel
# with a bundle, to be run where the GPU is.
function(opscope_test name)
  cmake_parse_arguments(TEST "" "LABELS" "SOURCES;ROOMS;LIBRARIES" ${ARGN})
  if(NOT TEST_LABELS)
    cmake_path(GET CMAKE_CURRENT_SOURCE_DIR FILENAME TEST_LABELS)
  endif()
  add_executable(test_${name} ${TEST_SOURCES})
  foreach(room IN LISTS TEST_ROOMS)
    target_link_libraries(test_${name} PRIVATE opscope_${room})
  endforeach()
  target_link_libraries(test_${name} PRIVATE ${TEST_LIBRARIES} Catch2::Catch2WithMain)
  target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
  target_compile_definitions(test_${name} PRIVATE
    OPSCOPE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" OPSCOPE_BINARY_DIR="${CMAKE_BINARY_DIR}")
  opscope_target_defaults(test_${name})
  opscope_compile_quickly(test_${name})
  # 4 is what Catch2 ends with when every assertion was skipped: ctest then says skipped, not passed.
  catch_discover_tests(test_${name} TEST_PREFIX "${name}: " DISCOVERY_MODE PRE_TEST
                       PROPERTIES LABELS ${TEST_LABELS} TIMEOUT 600 SKIP_RETURN_CODE 4)
  if(TEST_LABELS STREQUAL "gpu")
    set_target_properties(test_${name} PROPERTIES INSTALL_RPATH "$ORIGIN/../../lib;$ORIGIN/../../lib/opscope")
    install(TARGETS test_${name} RUNTIME DESTINATION ${CMAKE_INSTALL_LIBEXECDIR}/opscope COMPONENT gpu_tests)
  endif()
endfunction()

# Lets a program use the precompiled header of the library `owner`. One is only good for the code model and the level of
# optimisation that it was made with, which g++ 14 checks: a library is made with -fPIC, where a program would be compiled
# with -fPIE.
function(opscope_reuse_headers target owner)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${target} PRIVATE -fPIC)
  target_precompile_headers(${target} REUSE_FROM ${owner})
endfunction()
