#ifndef STAGEDOOR_CLIENT_SDK_IMAGING_H_
#define STAGEDOOR_CLIENT_SDK_IMAGING_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "client/sdk/value_types.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::sdk {

// Results for paths, many of which have the same one. T is std::string, the path of a material, or
// std::vector<uint32_t>, a set of lights. Copies are cheap.
template <typename T>
class SharedResults {
 public:
  // `chosen` has 1 + the place in `distinct` of the result of each item, or 0 for none. `width` is
  // the number of items of a path, at least 1. `errors` are those of paths, by their place in the
  // request.
  SharedResults(std::vector<T> distinct, std::vector<uint32_t> chosen, size_t width,
                std::unordered_map<size_t, absl::Status> errors)
      : data_(std::make_shared<const Data>(
            Data{std::move(distinct), std::move(chosen), width, std::move(errors)})) {}

  size_t path_count() const { return data_->chosen.size() / data_->width; }
  // The result of a path, by its place in the request; where the request names several purposes,
  // that for one of them. Empty if there is none. The error of the path if there is one:
  // PRIM_NOT_FOUND or INVALID_PATH; OUT_OF_RANGE if there is no such item.
  absl::StatusOr<T> Get(size_t path, size_t purpose = 0) const {
    const auto error = data_->errors.find(path);
    if (error != data_->errors.end()) return error->second;
    if (path >= path_count() || purpose >= data_->width) {
      return absl::OutOfRangeError("no such path or purpose in the request");
    }
    const uint32_t chosen = data_->chosen[path * data_->width + purpose];
    return chosen == 0 ? T() : data_->distinct[chosen - 1];
  }

  // The results that some path has, each once, and for each item 1 + the place of its own, or 0.
  std::span<const T> distinct() const { return data_->distinct; }
  std::span<const uint32_t> chosen() const { return data_->chosen; }
  // By the place of the path.
  const std::unordered_map<size_t, absl::Status>& errors() const { return data_->errors; }

 private:
  struct Data {
    std::vector<T> distinct;
    std::vector<uint32_t> chosen;
    size_t width;
    std::unordered_map<size_t, absl::Status> errors;
  };
  std::shared_ptr<const Data> data_;
};

// The paths of the materials that prims are bound to.
using BoundMaterials = SharedResults<std::string>;

// The lights that prims are linked to, as ascending places in `lights`.
struct LightSets {
  std::vector<std::string> lights;  // paths
  SharedResults<std::vector<uint32_t>> sets;
};

// A camera at one time. Lengths are in the stage's unit, unless geom.proto says otherwise.
struct Camera {
  Matrix4d local_to_world;
  // From world space to the space of the camera, without its scale and shear.
  Matrix4d view_matrix;
  // From the space of the camera to the cube from -1 to 1.
  Matrix4d projection_matrix;
  // The visible rectangle, at the distance of 1 if the projection is perspective: minimum x,
  // minimum y, maximum x, maximum y.
  Vec4d window;
  Vec2f clipping_range;  // the distances of the near and the far plane
  float focal_length = 0;
  float f_stop = 0;
  float focus_distance = 0;
  double shutter_open = 0;  // in time codes from the time on
  double shutter_close = 0;
  // All that the daemon says about the camera, as its only item; in frames, as one item for each
  // sample.
  std::shared_ptr<const v1::ComputeCamerasResponse> message;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_IMAGING_H_
