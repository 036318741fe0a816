#ifndef STAGEDOOR_SCENE_STAGE_DERIVED_DATA_H_
#define STAGEDOOR_SCENE_STAGE_DERIVED_DATA_H_

#include <map>
#include <memory>

#include "base/mutex.h"

namespace stagedoor {

// Data that libraries above scene/stage compute about a snapshot and keep for its lifetime, such as
// compiled transforms and skinning queries.
//
// Owned by the stage. Thread-safe; the stored objects must be thread-safe and bounded themselves.
class DerivedData {
 public:
  // Returns the snapshot's T, constructed as T(args…) on first use. Valid as long as the snapshot.
  template <typename T, typename... Args>
  T& Get(const Args&... args) const {
    MutexLock lock(mu_);
    std::shared_ptr<void>& slot = by_type_[&kKey<T>];
    if (!slot) slot = std::make_shared<T>(args...);
    return *static_cast<T*>(slot.get());
  }

 private:
  // Its address identifies the type.
  template <typename T>
  static inline char kKey = 0;

  mutable Mutex mu_;
  mutable std::map<const void*, std::shared_ptr<void>> by_type_ ABSL_GUARDED_BY(mu_);
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_DERIVED_DATA_H_
