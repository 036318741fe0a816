// DerivedData: what libraries above scene/stage work out about a snapshot and keep as long as it
// (compiled transforms, skinned prims).
//
// A stage owns one. Thread-safe; what is kept must be thread-safe and bounded itself.
#ifndef STAGEDOOR_SCENE_STAGE_DERIVED_DATA_H_
#define STAGEDOOR_SCENE_STAGE_DERIVED_DATA_H_

#include <map>
#include <memory>

#include "base/mutex.h"

namespace stagedoor {

class DerivedData {
 public:
  // The T of this snapshot, made as T(args…) when first asked for. Valid as long as the snapshot.
  template <typename T, typename... Args>
  T& Get(const Args&... args) const {
    MutexLock lock(mu_);
    std::shared_ptr<void>& slot = by_type_[&kKey<T>];
    if (!slot) slot = std::make_shared<T>(args...);
    return *static_cast<T*>(slot.get());
  }

 private:
  // Its address stands for the type.
  template <typename T>
  static inline char kKey = 0;

  mutable Mutex mu_;
  mutable std::map<const void*, std::shared_ptr<void>> by_type_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_DERIVED_DATA_H_
