#include "base/testing/temp_dir.h"

#include <stdlib.h>

#include <filesystem>
#include <fstream>

#include "base/strings.h"

namespace stagedoor {

namespace fs = std::filesystem;

TempDir::TempDir(std::string parent) {
  path_ = std::move(parent) + "/stagedoorXXXXXX";
  if (mkdtemp(path_.data()) == nullptr) abort();
  path_ = fs::canonical(path_).string();
}

TempDir::~TempDir() { fs::remove_all(path_); }

std::string TempDir::operator/(std::string_view name) const { return Concat(path_, "/", name); }

void TempDir::Write(std::string_view name, std::string_view content) const {
  const std::string target = *this / name;
  fs::create_directories(fs::path(target).parent_path());
  std::ofstream(target + ".new", std::ios::binary) << content;
  fs::rename(target + ".new", target);
}

}  // namespace stagedoor
