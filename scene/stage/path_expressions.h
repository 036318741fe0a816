#ifndef STAGEDOOR_SCENE_STAGE_PATH_EXPRESSIONS_H_
#define STAGEDOOR_SCENE_STAGE_PATH_EXPRESSIONS_H_

#include <string_view>

#include "base/request_context.h"
#include "scene/paths/path_expression.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/attribute_source.h"
#include "scene/value_resolution/time_code.h"
#include "scene/values/value.h"

namespace stagedoor {

// Path expressions in values of attributes and in metadata: opinions are composed, anchored to
// their prims and translated to the namespace of the stage, as OpenUSD's value resolution of
// SdfPathExpression does.

// Parses `text`, the value that `source` gives for an attribute of `prim` at `time`, and replaces
// its references to the weaker expression ("%_") by the value of weaker opinions at that time.
// Defaults are anchored to the prim; samples are not, as in OpenUSD. A malformed expression is
// empty; one that is too long or too large fails the request.
PathExpression ComposePathExpression(RequestContext& context, const Prim& prim, Token attribute,
                                     const AttributeSource& source, std::string_view text,
                                     TimeCode time);

// The value that `source` gives for an attribute of `prim` at `time`, with its path expressions in
// the namespace of the stage; other values unchanged. Elements of arrays are not composed with
// weaker opinions and not anchored, as in OpenUSD.
Value ResolvePathExpressions(RequestContext& context, const Prim& prim, Token attribute,
                             const AttributeSource& source, Value value, TimeCode time);

// The opinion `value` of a metadata field, authored at a node of the prim's index, with the path
// expressions in it translated: also those in arrays and dictionaries. These are not anchored, as
// in OpenUSD.
Value MapPathExpressions(RequestContext& context, const Prim& prim, uint32_t node, Value value);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PATH_EXPRESSIONS_H_
