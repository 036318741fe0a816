#ifndef STAGEDOOR_BASE_UNIQUE_FD_H_
#define STAGEDOOR_BASE_UNIQUE_FD_H_

#include <unistd.h>

#include <utility>

namespace stagedoor {

// A file descriptor, or -1, which is closed at the end of its scope. Move-only.
class UniqueFd {
 public:
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&&) = delete;
  ~UniqueFd() { Close(); }

  bool ok() const { return fd_ >= 0; }
  int get() const { return fd_; }
  int Release() { return std::exchange(fd_, -1); }
  void Close() {
    if (fd_ >= 0) close(std::exchange(fd_, -1));
  }

 private:
  int fd_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_UNIQUE_FD_H_
