# Compiles the plug-in for the usd-core of OPENUSD_PYTHON, with the headers of PyPI: pxr-*-dev.
execute_process(
  COMMAND "${OPENUSD_PYTHON}" "${CMAKE_CURRENT_SOURCE_DIR}/find_openusd.py"
  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${OPENUSD_PYTHON} has no usd-core with headers: install client/openusd/requirements-26.8.txt or another one")
endif()
# The lines are CMake: openusd_include_dirs, openusd_library, openusd_old_abi, openusd_has_pcp.
cmake_language(EVAL CODE "${found}")

# Without Python's support the plug-in would compile, with other layouts than those of the library.
target_compile_definitions(stagedoor_openusd PRIVATE PXR_PYTHON_SUPPORT_ENABLED)
if(openusd_old_abi)
  target_compile_definitions(stagedoor_openusd PRIVATE _GLIBCXX_USE_CXX11_ABI=0)
endif()
target_include_directories(stagedoor_openusd SYSTEM PRIVATE ${openusd_include_dirs})
# usd-core is loaded with RTLD_LOCAL, so the plug-in must name the library that it needs: by its name, because the application
# has loaded it.
target_link_libraries(stagedoor_openusd PRIVATE "${openusd_library}")
