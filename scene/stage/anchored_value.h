#ifndef STAGEDOOR_SCENE_STAGE_ANCHORED_VALUE_H_
#define STAGEDOOR_SCENE_STAGE_ANCHORED_VALUE_H_

#include "base/request_context.h"
#include "scene/stage/property.h"
#include "scene/value_resolution/attribute_source.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/value.h"

namespace stagedoor {

// The values of attributes as they are written to another layer: path expressions are in the
// namespace of the stage, and asset paths are evaluated and anchored to the layer of their opinion,
// but not resolved. A value whose memory was refused ends the request.

// The value at `time`, from a source of Attribute::Compile, or of CompileDefault for default time.
Value AnchoredValue(RequestContext& context, const Attribute& attribute,
                    const AttributeSource& source, TimeCode time);

// `value`, which is the value of the source at `time`, in stage time already, as AnchoredValue
// returns it.
Value AnchorValue(RequestContext& context, const Attribute& attribute,
                  const AttributeSource& source, Value value, TimeCode time);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_ANCHORED_VALUE_H_
