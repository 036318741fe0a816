#include "server/frame_memory/frame_memory.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"

namespace stagedoor::server {
namespace {

LruCacheOptions MemoryLimits(const MemoryPool* pool, const FrameMemory::Options& options) {
  size_t bytes = options.max_bytes;
  if (pool != nullptr) bytes = std::min(bytes, pool->limit() / 8);
  return {.max_bytes = bytes,
          .max_entries = options.max_entries,
          .hard_max_bytes = 2 * bytes,
          .shards = 1};
}

}  // namespace

FrameMemory::FrameMemory(std::shared_ptr<MemoryPool> pool, const Options& options)
    : pool_(std::move(pool)), frames_(MemoryLimits(pool_.get(), options)) {}

FrameMemory::Pointer FrameMemory::Find(const FrameToken& frame) {
  return frames_.Get(frame.ToBytes());
}

absl::Status FrameMemory::Keep(RequestContext& context, const FrameToken& frame,
                               FrameDigestsBuilder* digests) {
  if (pool_ != nullptr && pool_->over()) return absl::OkStatus();
  SD_ASSIGN_OR_RETURN(const Pointer made, digests->Finish(context, pool_));
  if (made == nullptr) return absl::OkStatus();
  using Loaded = LruCache<std::string, FrameDigests>::Loaded;
  // If the memory is full of entries in use, the frame is not remembered.
  frames_
      .GetOrLoad(context, frame.ToBytes(),
                 [&]() -> absl::StatusOr<Loaded> {
                   return Loaded{made, made->byte_size()};
                 })
      .IgnoreError();
  return context.Check();
}

}  // namespace stagedoor::server
