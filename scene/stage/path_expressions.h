// Values of attributes of type pathExpression: opinions are composed, anchored to their prims and
// translated to the namespace of the stage, as OpenUSD's value resolution of SdfPathExpression
// does.
#ifndef STAGEDOOR_SCENE_STAGE_PATH_EXPRESSIONS_H_
#define STAGEDOOR_SCENE_STAGE_PATH_EXPRESSIONS_H_

#include <string_view>

#include "base/request_context.h"
#include "scene/paths/path_expression.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/property_walk.h"

namespace stagedoor {

// Parses `text`, the value of the opinion `strongest` about an attribute of `prim`, and replaces
// its references to the weaker expression ("%_") by the defaults of weaker opinions. A malformed
// expression is empty; one that is too long fails the request.
PathExpression ComposePathExpression(RequestContext& context, const Prim& prim, Token attribute,
                                     const PropertyOpinion& strongest, std::string_view text);

// Parses and translates `text`, a time sample of the opinion or an element of an array. These are
// not anchored, as in OpenUSD.
PathExpression MapPathExpression(RequestContext& context, const Prim& prim,
                                 const PropertyOpinion& opinion, std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PATH_EXPRESSIONS_H_
