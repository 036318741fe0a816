#ifndef STAGEDOOR_SCENE_USDA_RELATIONSHIP_WRITER_H_
#define STAGEDOOR_SCENE_USDA_RELATIONSHIP_WRITER_H_

#include "scene/layer/layer.h"
#include "scene/usda/text_sink.h"

namespace stagedoor::usda {

// Writes the statements of one relationship of a prim or variant (Core Specification, 16.2.16.7
// Relationship Specs). Borrows the layer and the sink; not thread-safe.
class RelationshipWriter {
 public:
  RelationshipWriter(const Layer& layer, TextSink* out) : layer_(layer), out_(*out) {}

  void Write(SpecId relationship, int indent);

 private:
  const Layer& layer_;
  TextSink& out_;
};

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_RELATIONSHIP_WRITER_H_
