#include "client/cli/safe_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor {
namespace {

constexpr size_t kMaxParts = 100;

absl::Status Refused(std::string_view name, std::string_view why) {
  return PermissionDeniedError("refusing to write ", Quoted(name),
                               ", a name sent by the daemon: ", why);
}

absl::Status CheckPart(std::string_view name, std::string_view part) {
  if (part.empty()) return Refused(name, "the name has an empty component");
  if (part == "." || part == "..") return Refused(name, "the name has a '.' or '..' component");
  if (part.size() >= 2 && part[1] == ':') return Refused(name, "the name has a drive letter");
  return absl::OkStatus();
}

// Opens the directory `part` in `fd`, and creates it if necessary. Fails for a symbolic link.
int OpenPart(int fd, const std::string& part) {
  ::mkdirat(fd, part.c_str(), 0777);
  return ::openat(fd, part.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Owns a file descriptor.
class FdCloser {
 public:
  explicit FdCloser(int fd) : fd_(fd) {}
  ~FdCloser() { ::close(fd_); }
  FdCloser(const FdCloser&) = delete;
  FdCloser& operator=(const FdCloser&) = delete;
  int get() const { return fd_; }
  void reset(int fd) {
    ::close(fd_);
    fd_ = fd;
  }

 private:
  int fd_;
};

}  // namespace

absl::Status CheckFileName(std::string_view name) {
  if (name.empty()) return Refused(name, "the name is empty");
  if (name.front() == '/') return Refused(name, "the name is absolute");
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      return Refused(name, "the name contains control characters");
    }
    // A separator on some systems.
    if (c == '\\') return Refused(name, "the name contains a backslash");
  }
  std::string_view rest = name;
  for (size_t parts = 1;; ++parts) {
    if (parts > kMaxParts) return Refused(name, "the name has more than 100 components");
    const size_t slash = rest.find('/');
    SD_RETURN_IF_ERROR(CheckPart(name, rest.substr(0, slash)));
    if (slash == std::string_view::npos) return absl::OkStatus();
    rest.remove_prefix(slash + 1);
  }
}

absl::StatusOr<SafeFolder> SafeFolder::Open(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    return PermissionDeniedError("cannot write into ", Quoted(path), ": ", std::strerror(errno));
  }
  return SafeFolder(path, fd);
}

SafeFolder::SafeFolder(SafeFolder&& other) noexcept
    : path_(other.path_), fd_(std::exchange(other.fd_, -1)), created_(std::move(other.created_)) {}

SafeFolder::~SafeFolder() {
  if (fd_ >= 0) ::close(fd_);
}

absl::StatusOr<std::unique_ptr<OutputFile>> SafeFolder::Create(const std::string& name) {
  SD_RETURN_IF_ERROR(CheckFileName(name));
  if (!created_.insert(name).second) return Refused(name, "a file of this name was already sent");
  FdCloser folder(::fcntl(fd_, F_DUPFD_CLOEXEC, 3));
  size_t begin = 0;
  for (size_t slash; (slash = name.find('/', begin)) != std::string::npos; begin = slash + 1) {
    const int next = OpenPart(folder.get(), name.substr(begin, slash - begin));
    if (next < 0) {
      return Refused(name, Concat(Quoted(name.substr(0, slash)), " in ", Quoted(path_),
                                  " is not a writable directory (", std::strerror(errno), ")"));
    }
    folder.reset(next);
  }
  return OutputFile::CreateAt(folder.get(), name.substr(begin), Concat(path_, "/", name));
}

}  // namespace stagedoor
