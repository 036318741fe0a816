#ifndef STAGEDOOR_CLIENT_SDK_FRAME_CONTENTS_H_
#define STAGEDOOR_CLIENT_SDK_FRAME_CONTENTS_H_

#include <memory>
#include <unordered_map>

#include "absl/status/status.h"
#include "client/sdk/frame_objects.h"

namespace stagedoor::sdk {

// The objects of one frame by ID, put together from the messages about it and about frames before
// it. Maps are in no particular order. Not thread-safe, but reading is.
class FrameContents {
 public:
  template <typename T>
  using Objects = std::unordered_map<FrameId, T>;

  // The snapshot, the time and so on; without the camera and the settings.
  const v1::FrameHeader& header() const { return header_; }
  const FrameCamera& camera() const { return camera_; }
  // Null if there are none.
  const std::shared_ptr<const v1::RenderSettings>& settings() const { return settings_; }

  const Objects<FramePrim>& prims() const { return prims_; }
  // Of prims and lights.
  const Objects<FramePlace>& places() const { return places_; }
  const Objects<FrameGeometry>& geometry() const { return geometry_; }
  const Objects<FrameSubset>& subsets() const { return subsets_; }
  const Objects<FrameMaterial>& materials() const { return materials_; }
  const Objects<FrameLight>& lights() const { return lights_; }
  // The IDs of their lights, ascending.
  const Objects<std::vector<FrameId>>& light_sets() const { return light_sets_; }

  // Null if there is no such object.
  template <typename T>
  static const T* Find(const Objects<T>& objects, FrameId id) {
    const auto found = objects.find(id);
    return found == objects.end() ? nullptr : &found->second;
  }

  // Takes the next message, and adds to `changes` what it has brought. DATA_LOSS if it is
  // inconsistent; what it says may be here in part then.
  absl::Status Apply(const v1::ExtractFrameResponse& message, FrameChanges* changes);
  // Drops the geometry, materials, subsets and places that no prim or light has any more. To be
  // called after the last message of a frame.
  void DropUnused();

 private:
  absl::Status ApplyHeader(const v1::FrameHeader& header, FrameChanges* changes);
  absl::Status ApplyLights(const v1::ExtractFrameResponse& message, FrameChanges* changes);
  absl::Status ApplyPlaces(const v1::ExtractFrameResponse& message, FrameChanges* changes);
  absl::Status ApplyGeometry(const v1::FrameGeometry& message, FrameChanges* changes);
  // Takes over values of other geometry.
  absl::Status ApplyShared(const v1::FrameSharedValues& shared, FrameGeometry* geometry,
                           FrameChanges::Geometry* changed);
  void Remove(const v1::ExtractFrameResponse& message, FrameChanges* changes);

  v1::FrameHeader header_;
  FrameCamera camera_;
  std::shared_ptr<const v1::RenderSettings> settings_;
  Objects<FramePrim> prims_;
  Objects<FramePlace> places_;
  Objects<FrameGeometry> geometry_;
  Objects<FrameSubset> subsets_;
  Objects<FrameMaterial> materials_;
  Objects<FrameLight> lights_;
  Objects<std::vector<FrameId>> light_sets_;
  bool may_have_unused_ = false;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_FRAME_CONTENTS_H_
