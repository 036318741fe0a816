#include "client/cli/output.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/status.h"

namespace stagedoor {
namespace {

constexpr size_t kFlushBytes = 64 << 10;

}  // namespace

void Output::Write(std::string_view text) {
  pending_.append(text);
  if (pending_.size() >= kFlushBytes) Flush();
}

void Output::Flush() {
  std::string_view left = pending_;
  while (!left.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, left.data(), left.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;  // nobody reads any more
    left.remove_prefix(static_cast<size_t>(written));
  }
  pending_.clear();
}

absl::Status WriteFile(const std::string& name, std::string_view content) {
  const std::string temporary = Concat(name, ".", static_cast<int64_t>(::getpid()), ".tmp");
  std::FILE* file = std::fopen(temporary.c_str(), "wb");
  if (file == nullptr) {
    return PermissionDeniedError("can't write ", Quoted(name), ": ", std::strerror(errno));
  }
  const bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  const bool closed = std::fclose(file) == 0;
  if (written && closed && std::rename(temporary.c_str(), name.c_str()) == 0) {
    return absl::OkStatus();
  }
  const int error = errno;
  std::remove(temporary.c_str());
  return UnavailableError("can't write ", Quoted(name), ": ", std::strerror(error));
}

}  // namespace stagedoor
