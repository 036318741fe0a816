// SourceCompiler: the walk that finds what answers for an attribute; see attribute_source.h.
#ifndef STAGEDOOR_SCENE_VALUE_RESOLUTION_SOURCE_COMPILER_H_
#define STAGEDOOR_SCENE_VALUE_RESOLUTION_SOURCE_COMPILER_H_

#include <cstdint>

#include "scene/value_resolution/attribute_source.h"

namespace stagedoor {

class SourceCompiler {
 public:
  SourceCompiler(RequestContext& context, const AttributeSite& site, bool numeric)
      : context_(context), site_(site), index_(*site.index->index), numeric_(numeric) {}

  AttributeSource Compile();

 private:
  // Each returns true when the walk is over.
  bool VisitNode(uint32_t node);
  bool VisitSpec(const PropertyOpinion& opinion);
  bool VisitClips(const PrimIndexNode& node, size_t layer_index);
  bool TakeDefault(const PropertyOpinion& opinion, Value value);
  bool TakeAnimation(const PropertyOpinion& opinion, ResolveInfoSource kind, Value value);
  void TakeFallback();
  // The answer was an array edit: compiles what it edits from the opinions after it.
  void CompileWeaker();
  void SetOffset(const LayerOffset& offset);
  // The answer was a spline of clips: compiles what lists of samples come from.
  void CompileSamples();
  static bool HoldsArrayEdit(const Value& value);

  RequestContext& context_;
  const AttributeSite site_;
  const PrimIndex& index_;
  const bool numeric_;
  AttributeSource result_;
  uint32_t next_site_ = 0;         // first site not yet visited
  uint32_t first_site_ = 0;        // sites before it are skipped (weaker walks)
  bool animation_hidden_ = false;  // by AnimationBlock
  bool samples_only_ = false;      // splines of clips are skipped
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUE_RESOLUTION_SOURCE_COMPILER_H_
