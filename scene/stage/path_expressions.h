// Values of path expression attributes: opinions composed, and anchored and translated to the
// stage.
#ifndef STAGEDOOR_SCENE_STAGE_PATH_EXPRESSIONS_H_
#define STAGEDOOR_SCENE_STAGE_PATH_EXPRESSIONS_H_

#include <string_view>

#include "base/request_context.h"
#include "scene/paths/path_expression.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/property_walk.h"

namespace stagedoor {

// `text`, the answer of the opinion `strongest` about an attribute of `prim`, over the defaults of
// weaker opinions as far as it refers to them ("%_"). Malformed expressions are empty; one that
// is too long ends the request.
PathExpressionTree ComposePathExpression(RequestContext& context, const Prim& prim, Token attribute,
                                         const PropertyOpinion& strongest, std::string_view text);

// `text`, a time sample of the opinion or an element of an array, which is not anchored.
PathExpressionTree MapPathExpression(RequestContext& context, const Prim& prim,
                                     const PropertyOpinion& opinion, std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_STAGE_PATH_EXPRESSIONS_H_
