#ifndef STAGEDOOR_SCENE_CLIPS_CLIP_CACHE_OPTIONS_H_
#define STAGEDOOR_SCENE_CLIPS_CLIP_CACHE_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace stagedoor {

// Limits of a ClipCache.
struct ClipCacheOptions {
  using Clock = std::chrono::steady_clock;

  uint64_t max_bytes = uint64_t{2} << 30;
  size_t max_layers = 16384;  // each may hold a mapped file
  // How long a failure to open a clip or a manifest is remembered.
  Clock::duration negative_ttl = std::chrono::seconds(5);
  // Limits of what is remembered of files that are not open: `max_known` entries and
  // `max_known_bytes` bytes, for failures and for statistics each.
  size_t max_known = 65536;
  size_t max_known_bytes = size_t{16} << 20;
  std::function<Clock::time_point()> now = Clock::now;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_CLIPS_CLIP_CACHE_OPTIONS_H_
