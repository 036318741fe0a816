#include "client/cc/daemon_program.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdlib>

namespace stagedoor {
namespace {

std::string FolderOf(std::string_view file) {
  const size_t slash = file.rfind('/');
  return slash == std::string_view::npos || file.front() != '/'
             ? ""
             : std::string(file.substr(0, slash));
}

std::string OwnProgram() {
  std::array<char, PATH_MAX> path;
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length <= 0 ? "" : std::string(path.data(), static_cast<size_t>(length));
}

// The file that this code was loaded from: the library, or the program.
std::string OwnLibrary() {
  Dl_info info;
  const auto* here = reinterpret_cast<const void*>(&FindDaemonProgram);
  return ::dladdr(here, &info) == 0 || info.dli_fname == nullptr ? "" : info.dli_fname;
}

bool IsProgram(const std::string& path) {
  struct stat found;
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

}  // namespace

std::string FindProgram(std::string_view name, const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    std::string path = folder + "/";
    path.append(name);
    if (IsProgram(path)) return path;
  }
  return "";
}

std::string FindDaemonProgram(const std::vector<std::string>& folders) {
  return FindProgram("stagedoord", folders);
}

std::vector<std::string> DaemonProgramFolders() {
  std::vector<std::string> folders;
  // The launcher of the daemon's wheel executes the dynamic loader, and passes its own name.
  for (const std::string& file : {OwnProgram(), std::string(program_invocation_name)}) {
    const std::string folder = FolderOf(file);
    if (!folder.empty()) folders.push_back(folder);
  }
  const std::string library = FolderOf(OwnLibrary());
  if (!library.empty()) folders.push_back(library + "/../bin");
  const char* path = std::getenv("PATH");
  for (std::string& folder : AbsoluteFolders(path == nullptr ? "" : path)) {
    folders.push_back(std::move(folder));
  }
  return folders;
}

std::vector<std::string> AbsoluteFolders(std::string_view path) {
  std::vector<std::string> folders;
  while (!path.empty()) {
    const std::string_view folder = path.substr(0, path.find(':'));
    if (folder.starts_with('/')) folders.emplace_back(folder);
    path.remove_prefix(std::min(folder.size() + 1, path.size()));
  }
  return folders;
}

}  // namespace stagedoor
