#include "resolver/access/secret_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxLineBytes = size_t{16} << 10;

}  // namespace

absl::StatusOr<std::string> ReadSecretFile(const std::string& path) {
  // A pipe or a device must not block the caller.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return PermissionDeniedError(std::strerror(errno));
  struct stat info;
  std::string text;
  ssize_t count = -1;
  if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode)) {
    char buffer[4096];
    while ((count = read(fd, buffer, sizeof(buffer))) > 0 && text.size() <= kMaxSecretFileBytes) {
      text.append(buffer, static_cast<size_t>(count));
    }
  }
  close(fd);
  if (count < 0) return PermissionDeniedError("it is not a readable file");
  if (text.size() > kMaxSecretFileBytes) return PermissionDeniedError("it is too large");
  return text;
}

absl::StatusOr<std::string> ReadSecretLine(const std::string& path) {
  SD_ASSIGN_OR_RETURN(std::string text, ReadSecretFile(path));
  text.resize(std::min(text.find_first_of("\r\n"), text.size()));
  const bool printable =
      std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
  if (text.empty() || !printable || text.size() > kMaxLineBytes) {
    return PermissionDeniedError("its first line is empty, too long, or not printable ASCII");
  }
  return text;
}

}  // namespace stagedoor
