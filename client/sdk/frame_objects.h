#ifndef STAGEDOOR_CLIENT_SDK_FRAME_OBJECTS_H_
#define STAGEDOOR_CLIENT_SDK_FRAME_OBJECTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "client/sdk/array.h"
#include "client/sdk/imaging.h"
#include "client/sdk/value.h"
#include "client/sdk/value_types.h"
#include "stagedoor/v1/errors.pb.h"
#include "stagedoor/v1/frame.pb.h"
#include "stagedoor/v1/render.pb.h"
#include "stagedoor/v1/shade.pb.h"

// The objects that frames consist of; frame.proto describes them. What may vary within the shutter
// has samples: one, without a time, if it does not vary, or several with their `times`, in time
// codes of the stage. Copies are cheap unless they copy maps or matrices.
namespace stagedoor::sdk {

// Names an object in all frames, snapshots and replicas. 0 is no object.
using FrameId = uint64_t;

// A prim to draw.
struct FramePrim {
  std::string path;
  std::string type_name;  // of its schema, such as "Mesh"
  v1::Purpose purpose = v1::PURPOSE_UNSPECIFIED;
  FrameId material = 0;
  // The sets of lights that illuminate it, and that it casts shadows from.
  FrameId light_set = 0;
  FrameId shadow_set = 0;
  // Its geometry, which prims may have in common.
  FrameId geometry = 0;
  // The root of the prototype of point instancers that it is a part of. It is drawn only by these
  // then, and its transform is relative to that root. 0 if it is drawn where it is.
  FrameId prototype = 0;
  uint8_t pass_members = 0;  // see RenderPass.members
  // "cards", "bounds" or "origin"; empty if it is drawn by its geometry.
  std::string draw_mode;
};

// Where a prim or light is, and whether it is visible.
struct FramePlace {
  bool visible = true;
  std::vector<double> times;
  // From its space to world space, or to that of its prototype's root. Empty if that could not be
  // computed.
  std::vector<Matrix4d> matrices;
};

// A value of a geometry or a light.
struct FrameValue {
  std::vector<double> times;
  std::vector<Value> samples;
  // Of indexed primvars: int[] for each sample. Otherwise empty.
  std::vector<Value> indices;
  // Its name, type name, interpolation and element size.
  std::shared_ptr<const v1::FrameValue> message;
};

// The instances of a point instancer that are not masked. Instance i draws the prims of its
// prototype by (transform of the prim) × (transform of the instance) × (transform of the
// instancer).
struct FrameInstances {
  // The roots of the prototypes; 0 for one that has no prim.
  std::vector<FrameId> prototypes;
  // For each instance, the place of its prototype in `prototypes`, and its own in protoIndices.
  Array<uint32_t> prototype_indices;
  Array<uint32_t> instance_indices;
  Array<int64_t> ids;  // of instances; empty if they have none
  std::vector<double> times;
  std::vector<Array<Matrix4d>> transforms;  // for each sample, one for each instance
  // All that the daemon says about them, such as the paths of the prototypes.
  std::shared_ptr<const v1::FrameInstances> message;
};

// The values of a prim, or of prims that are instances of each other.
struct FrameGeometry {
  // By the names of attributes, such as "points" or "primvars:st".
  std::unordered_map<std::string, FrameValue> values;
  // The fields of a volume.
  std::vector<v1::VolumeField> fields;
  // Those of a point instancer; otherwise null.
  std::shared_ptr<const FrameInstances> instances;

  // Null if there is none.
  const FrameValue* Find(const std::string& name) const {
    const auto found = values.find(name);
    return found == values.end() ? nullptr : &found->second;
  }
};

// A GeomSubset of a prim.
struct FrameSubset {
  FrameId prim = 0;
  FrameId material = 0;  // 0 if none is bound to the subset
  Array<int32_t> indices;
  // Its path, element type and family.
  std::shared_ptr<const v1::FrameSubset> message;
};

struct FrameMaterial {
  std::string path;
  // Why there is no network; otherwise OK.
  absl::Status status;
  // Its shaders, whose inputs have one value each; null if there is a status.
  std::shared_ptr<const v1::MaterialNetwork> network;
};

struct FrameLight {
  // By the names of attributes, such as "inputs:intensity".
  std::unordered_map<std::string, FrameValue> values;
  // All else that the daemon says about it.
  std::shared_ptr<const v1::FrameLight> message;
};

// The camera of a frame.
struct FrameCamera {
  std::string path;  // empty if there is none
  // Why there are no samples; otherwise OK.
  absl::Status status;
  std::vector<double> times;
  std::vector<Camera> samples;
};

// The changes that a message about a frame has brought, or all messages of a call. The objects
// themselves are in the frame.
struct FrameChanges {
  struct Geometry {
    FrameId id = 0;
    // Whether all else that the frame had of it is gone.
    bool complete = false;
    std::vector<std::string> values;   // the names of those that are new or differ
    std::vector<std::string> removed;  // the names of those that are gone
    bool fields = false;
    bool instances = false;
  };
  // A prim with a part that could not be computed: it is missing in the frame or as it was before.
  struct Failure {
    std::string path;  // of the prim
    absl::Status status;
  };

  // Adds the changes that the next message has brought.
  void Add(const FrameChanges& next);

  bool complete = false;  // whether all that the frame had before is gone
  bool camera = false;
  bool settings = false;
  std::vector<FrameId> prims;
  std::vector<FrameId> visibility;  // of prims and lights
  std::vector<FrameId> transforms;  // of prims and lights
  std::vector<Geometry> geometry;
  std::vector<FrameId> subsets;
  std::vector<FrameId> materials;
  std::vector<FrameId> lights;
  std::vector<FrameId> light_sets;
  std::vector<FrameId> removed;  // objects of any kind
  std::vector<Failure> failures;
  std::vector<v1::Warning> warnings;
};

}  // namespace stagedoor::sdk

#endif  // STAGEDOOR_CLIENT_SDK_FRAME_OBJECTS_H_
