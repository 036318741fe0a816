#include "server/stages/path_set_store.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/fingerprinter.h"
#include "base/heap_costs.h"
#include "base/pacer.h"
#include "base/reservation.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

using RepeatedPaths = google::protobuf::RepeatedPtrField<std::string>;

// A list with the charge for it.
struct ChargedPaths {
  explicit ChargedPaths(std::shared_ptr<MemoryPool> paid_by)
      : pool(std::move(paid_by)), charge(pool.get()) {}

  const std::shared_ptr<MemoryPool> pool;
  Reservation charge;
  PathSetStore::Paths paths;
};

LruCacheOptions StoreLimits(const MemoryPool* pool, const PathSetStore::Options& options) {
  size_t bytes = options.max_bytes;
  if (pool != nullptr) bytes = std::min(bytes, pool->limit() / 8);
  return {.max_bytes = bytes,
          .max_entries = options.max_entries,
          .hard_max_bytes = 2 * bytes,
          .shards = 1};
}

// The memory of a list, with each path in a block of its own.
size_t BytesOf(const RepeatedPaths& paths) {
  size_t bytes = sizeof(ChargedPaths) + kNodeBytes;
  for (const std::string& path : paths) {
    bytes += sizeof(std::string) + path.size() + kHeapBlockBytes;
  }
  return bytes;
}

std::string Bytes(const std::array<uint64_t, 2>& words) {
  std::string bytes;
  for (const uint64_t word : words) {
    for (int shift = 0; shift < 64; shift += 8) bytes.push_back(static_cast<char>(word >> shift));
  }
  return bytes;
}

absl::StatusOr<std::string> NameOf(RequestContext& context, const RepeatedPaths& paths) {
  Fingerprinter fingerprinter;
  Pacer pacer(context);
  for (const std::string& path : paths) {
    SD_RETURN_IF_ERROR(pacer.Step());
    fingerprinter.Add(path);
  }
  return Bytes(fingerprinter.FinishWords());
}

}  // namespace

PathSetStore::PathSetStore(std::shared_ptr<MemoryPool> pool, Options options)
    : pool_(std::move(pool)), sets_(StoreLimits(pool_.get(), options)) {}

absl::StatusOr<std::string> PathSetStore::Define(RequestContext& context, std::string_view caller,
                                                 const RepeatedPaths& paths) {
  const size_t bytes = BytesOf(paths);
  if (bytes > sets_.max_bytes() / 2) {
    return WithReason(
        ResourceExhaustedError("the paths take ", bytes,
                               " bytes, and the daemon keeps lists of at most ",
                               sets_.max_bytes() / 2, "; send them with each request"),
        v1::ERROR_REASON_REQUEST_TOO_LARGE);
  }
  if (pool_ != nullptr && pool_->over()) {
    return WithReason(ResourceExhaustedError("the memory for stages is used up, so no list of "
                                             "paths is kept; send them with each request"),
                      v1::ERROR_REASON_BUDGET_EXHAUSTED);
  }
  SD_ASSIGN_OR_RETURN(std::string name, NameOf(context, paths));
  const auto load = [&]() -> absl::StatusOr<LruCache<std::string, Paths>::Loaded> {
    auto made = std::make_shared<ChargedPaths>(pool_);
    made->charge.Add(bytes);
    made->paths.assign(paths.begin(), paths.end());
    return LruCache<std::string, Paths>::Loaded{Pointer(made, &made->paths), bytes};
  };
  const auto kept = sets_.GetOrLoad(context, Concat(name, caller), load);
  if (!kept.ok()) return WithReason(kept.status(), v1::ERROR_REASON_BUDGET_EXHAUSTED);
  return name;
}

PathSetStore::Pointer PathSetStore::Find(std::string_view caller, std::string_view name) {
  return sets_.Get(Concat(name, caller));
}

}  // namespace stagedoor::server
