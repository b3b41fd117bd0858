# SPDX-License-Identifier: Apache-2.0
# For the checks' own tests: a small tree with one fault in it, and what the check must then say.

# plant(FOLDER FILE TEXT): writes a file of a planted tree.
function(plant folder file text)
  file(WRITE ${folder}/${file} "${text}\n")
endfunction()

# expect_findings(CHECK FOLDER [PATTERN]): runs check(FOLDER found). Without a pattern nothing may be found; with one,
# exactly one finding, matching it.
function(expect_findings check folder)
  cmake_language(CALL ${check} ${folder} found)
  list(LENGTH found count)
  if(ARGC EQUAL 2)
    if(count GREATER 0)
      message(FATAL_ERROR "nothing is wrong in ${folder}, but this was found: ${found}")
    endif()
  elseif(NOT count EQUAL 1 OR NOT found MATCHES "${ARGV2}")
    message(FATAL_ERROR "expected one finding like '${ARGV2}', but found ${count}: ${found}")
  endif()
endfunction()

# report(CHECK ROOT): fails with every finding.
function(report check root)
  cmake_language(CALL ${check} ${root} found)
  if(found)
    list(LENGTH found count)
    list(JOIN found "\n  " text)
    message(FATAL_ERROR "${count} found:\n  ${text}")
  endif()
endfunction()
