#include "server/query_socket/shared_segment_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010  // since Linux 5.1; absent from older headers
#endif

namespace stagedoor::server {
namespace {

absl::Status SegmentError() {
  return UnavailableError("cannot make a segment of shared memory: ", std::strerror(errno));
}

}  // namespace

absl::StatusOr<std::unique_ptr<SharedSegmentFile>> SharedSegmentFile::Create(size_t bytes) {
  const int fd = ::memfd_create("stagedoor-arrays", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return SegmentError();
  std::unique_ptr<SharedSegmentFile> file(new SharedSegmentFile(fd, bytes));
  SD_RETURN_IF_ERROR(file->Prepare());
  return file;
}

absl::Status SharedSegmentFile::Prepare() {
  if (::ftruncate(fd_, static_cast<off_t>(size_)) != 0) return SegmentError();
  void* const mapped = ::mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, fd_, 0);
  if (mapped == MAP_FAILED) return SegmentError();
  data_ = static_cast<char*>(mapped);
  // This mapping stays writable; all others can only read.
  constexpr int kSeals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
  if (::fcntl(fd_, F_ADD_SEALS, kSeals) != 0) return SegmentError();
  return absl::OkStatus();
}

SharedSegmentFile::~SharedSegmentFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
  if (fd_ >= 0) ::close(fd_);
}

int SharedSegmentFile::TakeDescriptor() { return std::exchange(fd_, -1); }

}  // namespace stagedoor::server
