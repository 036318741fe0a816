#ifndef STAGEDOOR_CLIENT_SDK_GEOMETRY_H_
#define STAGEDOOR_CLIENT_SDK_GEOMETRY_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "absl/status/statusor.h"
#include "client/sdk/array.h"
#include "client/sdk/value_types.h"
#include "stagedoor/v1/errors.pb.h"
#include "stagedoor/v1/skel.pb.h"

namespace stagedoor::sdk {

// Something that was computed for prims at times. T is Matrix4d or Range3d. Copies are cheap.
template <typename T>
class PrimTable {
 public:
  // `errors` are those of paths, by their place in the request.
  PrimTable(Array<T> items, size_t time_count, std::unordered_map<size_t, absl::Status> errors)
      : items_(std::move(items)), time_count_(time_count), errors_(std::move(errors)) {}

  size_t path_count() const { return time_count_ == 0 ? 0 : items_.size() / time_count_; }
  size_t time_count() const { return time_count_; }
  // The result for a path at a time, by their places in the request. The error of the path if there
  // is one: PRIM_NOT_FOUND or INVALID_PATH; OUT_OF_RANGE if there is no such item.
  absl::StatusOr<T> Get(size_t path, size_t time) const {
    const auto error = errors_.find(path);
    if (error != errors_.end()) return error->second;
    if (path >= path_count() || time >= time_count_) {
      return absl::OutOfRangeError("no such path or time in the request");
    }
    return items_[path * time_count_ + time];
  }

  // All results, path after path, and the errors, by the place of the path.
  const Array<T>& items() const { return items_; }
  const std::unordered_map<size_t, absl::Status>& errors() const { return errors_; }

 private:
  Array<T> items_;
  size_t time_count_;
  std::unordered_map<size_t, absl::Status> errors_;
};

// A prim at one time after blend shapes and skinning. Copies are cheap.
struct SkinnedPrim {
  std::string path;
  uint32_t time_index = 0;  // of the time, in the request
  // Why there are no points; OK if there are, or if the prim has none.
  absl::Status status;
  Array<Vec3f> points;
  Array<Vec3f> normals;  // only if asked for
  // Whether the prim moves as a whole, by the `xform` of the message.
  bool rigid = false;
  // All that the daemon says about the prim.
  std::shared_ptr<const v1::SkinnedPrim> message;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_GEOMETRY_H_
