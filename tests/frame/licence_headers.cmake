# SPDX-License-Identifier: Apache-2.0
#
# Reads the first lines of every source file: its licence must be the one of its folder.
#   cmake -DROOT=<source tree> -P licence_headers.cmake         checks the tree
#   cmake -DSELF_TEST=<scratch folder> -P licence_headers.cmake checks the check
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/planted.cmake)

# find_wrong_licences(ROOT found): sets `found` to a list of sentences.
function(find_wrong_licences root found)
  set(wrong)
  file(GLOB files RELATIVE ${root} ${root}/dev ${root}/.ci/run ${root}/CMakeLists.txt)
  foreach(folder core ui app python tests resources cmake docs)
    foreach(pattern *.h *.cpp *.cu *.cuh *.cmake *.sh *.py *.pyi *.c *.yaml CMakeLists.txt)
      file(GLOB_RECURSE more RELATIVE ${root} ${root}/${folder}/${pattern})
      list(APPEND files ${more})
    endforeach()
  endforeach()
  # Inputs of tests, malformed ones among them, are read as they are.
  list(FILTER files EXCLUDE REGEX "^tests/data/")
  foreach(file IN LISTS files)
    set(licence Apache-2.0)
    if(file MATCHES "^(ui|app/opscope-ui|tests/ui)/")
      set(licence GPL-3.0-or-later)
    endif()
    file(STRINGS ${root}/${file} lines LIMIT_COUNT 2)
    if(NOT "${lines}" MATCHES "SPDX-License-Identifier: ${licence}(;|$)")
      list(APPEND wrong "${file}: its first line must say SPDX-License-Identifier: ${licence}")
    endif()
  endforeach()
  set(${found} "${wrong}" PARENT_SCOPE)
endfunction()

if(DEFINED SELF_TEST)
  file(REMOVE_RECURSE ${SELF_TEST})
  # The two parts of the tag are joined here so that no tool takes these lines for this file's own licence.
  set(tag "SPDX-License-" "Identifier:")
  list(JOIN tag "" tag)
  plant(${SELF_TEST}/good core/base/a.h "// ${tag} Apache-2.0\n#pragma once")
  plant(${SELF_TEST}/good dev "#!/usr/bin/env bash\n# ${tag} Apache-2.0")
  plant(${SELF_TEST}/good ui/CMakeLists.txt "# ${tag} GPL-3.0-or-later")
  plant(${SELF_TEST}/good tests/ui/a.cpp "// ${tag} GPL-3.0-or-later")
  plant(${SELF_TEST}/good tests/data/broken.yaml "ops: [")
  expect_findings(find_wrong_licences ${SELF_TEST}/good)

  plant(${SELF_TEST}/none core/base/a.h "#pragma once")
  expect_findings(find_wrong_licences ${SELF_TEST}/none "core/base/a.h: its first line")
  plant(${SELF_TEST}/ui ui/a.cpp "// ${tag} Apache-2.0")
  expect_findings(find_wrong_licences ${SELF_TEST}/ui "ui/a.cpp.*GPL-3.0-or-later")
  plant(${SELF_TEST}/core core/cuda/a.cpp "// ${tag} GPL-3.0-or-later")
  expect_findings(find_wrong_licences ${SELF_TEST}/core "core/cuda/a.cpp.*Apache-2.0")
  plant(${SELF_TEST}/late app/opscope/main.cpp "int main() {\n}\n// ${tag} Apache-2.0")
  expect_findings(find_wrong_licences ${SELF_TEST}/late "app/opscope/main.cpp")
  plant(${SELF_TEST}/op resources/ops/add.yaml "ops: []")
  expect_findings(find_wrong_licences ${SELF_TEST}/op "resources/ops/add.yaml")
else()
  report(find_wrong_licences ${ROOT})
endif()
