#include "server/upstream/array_files.h"

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include "base/status.h"
#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

// The bytes of a digest, with which each part of a file begins.
constexpr size_t kDigestBytes = 32;

}  // namespace

absl::StatusOr<std::unique_ptr<ArrayFiles>> ArrayFiles::Open(const std::string& directory,
                                                             size_t max_bytes) {
  SD_ASSIGN_OR_RETURN(auto files, ReplyFiles::Open(directory, max_bytes));
  return std::unique_ptr<ArrayFiles>(new ArrayFiles(std::move(files)));
}

absl::StatusOr<ArrayFiles::Arrays> ArrayFiles::Read(const std::string& kind) {
  SD_ASSIGN_OR_RETURN(const std::vector<grpc::ByteBuffer> parts, files_->Read(kind));
  Arrays arrays;
  for (const grpc::ByteBuffer& part : parts) {
    grpc::Slice slice;
    if (!part.DumpToSingleSlice(&slice).ok() || slice.size() < kDigestBytes) {
      files_->Remove(kind);
      return DataLossError("a file of arrays is damaged");
    }
    const auto* const bytes = reinterpret_cast<const char*>(slice.begin());
    arrays.emplace_back(std::string(bytes, kDigestBytes),
                        std::string(bytes + kDigestBytes, slice.size() - kDigestBytes));
  }
  return arrays;
}

absl::Status ArrayFiles::Write(const std::string& kind, const ArrayStore::Arrays& arrays) {
  std::vector<grpc::ByteBuffer> parts;
  for (const auto& [digest, array] : arrays) {
    if (digest.size() != kDigestBytes) continue;
    // The bytes of the array are not copied; it outlives the slice.
    const grpc::Slice slices[] = {
        grpc::Slice(digest),
        grpc::Slice(array->bytes.data(), array->bytes.size(), grpc::Slice::STATIC_SLICE)};
    parts.emplace_back(slices, 2);
  }
  files_->Remove(kind);
  if (parts.empty()) return absl::OkStatus();
  return files_->Write(kind, parts);
}

}  // namespace stagedoor::server
