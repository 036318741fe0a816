#ifndef STAGEDOOR_SCENE_FRAME_FRAME_COLLECTION_WRITER_H_
#define STAGEDOOR_SCENE_FRAME_FRAME_COLLECTION_WRITER_H_

#include <unordered_set>
#include <vector>

#include "absl/status/status.h"
#include "base/reservation.h"
#include "scene/frame/frame_attribute_writer.h"
#include "scene/frame/frame_layer_work.h"
#include "scene/paths/path.h"
#include "scene/stage/collection.h"

namespace stagedoor {

// Copies collections to a frame's layer, with those that they include or refer to. Their members
// stay the same, because the prims of the layer have their paths of the stage. Not thread-safe.
// Borrows the work.
class FrameCollectionWriter {
 public:
  explicit FrameCollectionWriter(FrameLayerWork& work)
      : work_(work), attributes_(work), reserved_(work.context) {}

  // Copies a collection, unless nothing of it is authored. Errors: those of the context.
  absl::Status Write(const Collection& collection);

 private:
  absl::Status WriteOne(const Collection& collection);
  void WriteTargets(SpecId spec, const Relationship& relationship);
  void Enqueue(Path path);
  void EnqueueReferences(const Collection& collection);

  FrameLayerWork& work_;
  FrameAttributeWriter attributes_;
  std::vector<Collection> queue_;
  std::unordered_set<Path> known_;  // paths of collections that were enqueued
  Reservation reserved_;            // for known_
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_FRAME_FRAME_COLLECTION_WRITER_H_
