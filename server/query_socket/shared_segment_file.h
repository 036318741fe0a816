#ifndef STAGEDOOR_SERVER_QUERY_SOCKET_SHARED_SEGMENT_FILE_H_
#define STAGEDOOR_SERVER_QUERY_SOCKET_SHARED_SEGMENT_FILE_H_

#include <cstddef>
#include <memory>

#include "absl/status/statusor.h"

namespace stagedoor::server {

// Memory of a fixed size that this process writes and others may map for reading: a memfd, sealed
// before another process has its descriptor. Such a process can neither write nor change the size,
// so that no access to the memory can fail here. Not thread-safe.
class SharedSegmentFile {
 public:
  // UNAVAILABLE if the kernel has no such memory (Linux before 5.1), or none is left.
  static absl::StatusOr<std::unique_ptr<SharedSegmentFile>> Create(size_t bytes);
  // The memory lives on with those who have mapped it.
  ~SharedSegmentFile();
  SharedSegmentFile(const SharedSegmentFile&) = delete;
  SharedSegmentFile& operator=(const SharedSegmentFile&) = delete;

  char* data() const { return data_; }
  size_t size() const { return size_; }
  // The descriptor, which the caller then owns. To be called once.
  int TakeDescriptor();

 private:
  SharedSegmentFile(int fd, size_t size) : fd_(fd), size_(size) {}
  absl::Status Prepare();

  int fd_;
  const size_t size_;
  char* data_ = nullptr;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERY_SOCKET_SHARED_SEGMENT_FILE_H_
