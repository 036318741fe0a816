#ifndef STAGEDOOR_SERVER_TESTING_BYTE_BUFFERS_H_
#define STAGEDOOR_SERVER_TESTING_BYTE_BUFFERS_H_

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <string>
#include <vector>

namespace stagedoor::server {

// The bytes of a message; empty if they cannot be read.
inline std::string BytesOf(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  for (const grpc::Slice& slice : slices) {
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  }
  return bytes;
}

// A message with the given bytes.
inline grpc::ByteBuffer BufferOf(const std::string& bytes) {
  const grpc::Slice slice(bytes);
  return grpc::ByteBuffer(&slice, 1);
}

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_TESTING_BYTE_BUFFERS_H_
