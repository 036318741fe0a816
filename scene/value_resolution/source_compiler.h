#ifndef STAGEDOOR_SCENE_VALUE_RESOLUTION_SOURCE_COMPILER_H_
#define STAGEDOOR_SCENE_VALUE_RESOLUTION_SOURCE_COMPILER_H_

#include <cstdint>

#include "scene/value_resolution/attribute_source.h"
#include "scene/values/layer_offset.h"

namespace stagedoor {

// The walk that finds the source of an attribute's values; see attribute_source.h. Corresponds to
// UsdStage::_GetResolveInfoImpl and its resolver object (_ResolveInfoResolver).
class SourceCompiler {
 public:
  // The source of the opinions after clips.
  static AttributeSource CompileRest(RequestContext& context, const SourceRest& rest);

  SourceCompiler(RequestContext& context, const AttributeSite& site, bool numeric)
      : context_(context), site_(site), index_(*site.index->index), numeric_(numeric) {}

  AttributeSource Compile();

 private:
  // Each returns true if the walk is complete.
  // The sites of one node of the prim index, layer by layer, with the clips that each layer
  // anchors.
  bool VisitNode(uint32_t node);
  // One spec: samples, then the spline, then the default (12.3.2).
  bool VisitSpec(const PropertyOpinion& opinion);
  // The clip sets that a layer of the node anchors (12.3.4.5).
  bool VisitClips(uint32_t node_index, size_t layer_index);
  bool TakeDefault(const PropertyOpinion& opinion, Value value);
  bool TakeAnimation(const PropertyOpinion& opinion, ResolveInfoSource kind, Value value);
  // The fallback of the schema (12.3.5 Fallback Values).
  void TakeFallback();
  // For an edit: compiles the source that it is composed over, from the opinions after it.
  void CompileWeaker();
  // For splines in clips: compiles the source of sample lists, from the opinions after them.
  void CompileSamples();
  // Whether a value, or one of the samples, may be an edit.
  static bool HoldsEdit(const PropertyOpinion& opinion, const Value& value);

  RequestContext& context_;
  const AttributeSite site_;
  const PrimIndex& index_;
  const bool numeric_;
  AttributeSource result_;
  uint32_t next_site_ = 0;            // the first site not yet visited
  uint32_t first_site_ = 0;           // sites before it are skipped in walks for weaker opinions
  bool animation_hidden_ = false;     // by an AnimationBlock
  bool samples_only_ = false;         // skips splines in clips
  const SourceRest* rest_ = nullptr;  // set in a walk that begins after clips
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUE_RESOLUTION_SOURCE_COMPILER_H_
