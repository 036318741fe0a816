#ifndef STAGEDOOR_SCENE_GEOM_SOURCE_SINK_H_
#define STAGEDOOR_SCENE_GEOM_SOURCE_SINK_H_

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/stage/attribute_query.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/attribute_source.h"

namespace stagedoor {

// Takes the sources of the attributes that a result is computed from, for those who need to know
// when it varies. Functions such as AddXformMotion give them to it one by one.
class SourceSink {
 public:
  virtual ~SourceSink() = default;

  // Adds the source of the attribute `name` of `prim` for numeric times. Errors: those of the
  // context.
  virtual absl::Status Add(RequestContext& context, const AttributeSource& source, const Prim& prim,
                           Token name) = 0;
  // As above; nothing for the query of an invalid attribute.
  absl::Status Add(RequestContext& context, const AttributeQuery& query) {
    if (!query.valid()) return absl::OkStatus();
    return Add(context, query.numeric(), query.attribute().prim(), query.attribute().name());
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_GEOM_SOURCE_SINK_H_
