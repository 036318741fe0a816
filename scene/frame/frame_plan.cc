#include "scene/frame/frame_plan.h"

#include "base/heap_costs.h"

namespace stagedoor {
namespace {

template <typename T>
size_t BytesOfVector(const std::vector<T>& items) {
  return items.capacity() * sizeof(T);
}

}  // namespace

size_t ByteSizeOf(const std::vector<FrameAttribute>& attributes) {
  size_t bytes = BytesOfVector(attributes);
  for (const FrameAttribute& attribute : attributes) {
    bytes += attribute.query.byte_size() - sizeof(attribute.query);
  }
  return bytes;
}

size_t FramePlan::byte_size() const {
  size_t bytes = sizeof(*this) + BytesOfVector(prims) + BytesOfVector(geometry) +
                 BytesOfVector(prototypes) + BytesOfVector(rigid_skins) + BytesOfVector(subsets) +
                 BytesOfVector(materials) + BytesOfVector(lights) + BytesOfVector(light_sets);
  for (const std::vector<uint32_t>* indices :
       {&moving_prims, &blinking_prims, &varying_geometry, &varying_subsets, &varying_materials,
        &varying_lights}) {
    bytes += BytesOfVector(*indices);
  }
  for (const FrameGeometry& of : geometry) {
    bytes += ByteSizeOf(of.varying) + BytesOfVector(of.prototypes) +
             (of.skin ? sizeof(*of.skin) + kHeapBlockBytes : 0);
  }
  for (const FrameLight& light : lights) {
    bytes +=
        ByteSizeOf(light.varying) + BytesOfVector(light.filters) + BytesOfVector(light.portals);
  }
  for (const FrameLightSet& set : light_sets) bytes += BytesOfVector(set.lights);
  return bytes;
}

}  // namespace stagedoor
