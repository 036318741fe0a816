#ifndef STAGEDOOR_BASE_REQUEST_COSTS_H_
#define STAGEDOOR_BASE_REQUEST_COSTS_H_

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"

namespace stagedoor {

// The fetches of the engine for a request, which explain why it took long. Recorded only where
// something slow happens anyway. Thread-safe.
class RequestCosts {
 public:
  enum class Kind {
    kLayerOpen,  // a layer that was not in the cache
    kClipOpen,   // a value clip that was not in the cache
    kFetch,      // bytes of an asset from another machine
  };
  static constexpr size_t kKinds = 3;
  static constexpr size_t kMaxNames = 4;

  struct Cost {
    uint64_t count = 0;
    uint64_t bytes = 0;                    // the sizes of the assets, or the bytes fetched
    std::chrono::nanoseconds time{0};      // spent by all threads together
    std::vector<std::string> first_names;  // of the first kMaxNames assets
  };

  void Record(Kind kind, std::string_view asset, uint64_t bytes, std::chrono::nanoseconds time);
  std::array<Cost, kKinds> costs() const;

 private:
  mutable Mutex mu_;
  std::array<Cost, kKinds> costs_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_REQUEST_COSTS_H_
