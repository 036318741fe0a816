#include "client/cc/token_file.h"

#include <fstream>

#include "base/strings.h"

namespace stagedoor {
namespace {

constexpr std::chrono::seconds kReadInterval{5};

}  // namespace

std::string TokenFile::Authorization() {
  if (path_.empty()) return {};
  const Clock::time_point now = now_();
  MutexLock lock(mu_);
  if (now < read_again_) return authorization_;
  read_again_ = now + kReadInterval;
  std::string token;
  std::ifstream file(path_);
  file >> token;  // up to the end of the line
  if (!token.empty()) authorization_ = Concat("Bearer ", token);
  return authorization_;
}

}  // namespace stagedoor
