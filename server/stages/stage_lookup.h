#ifndef STAGEDOOR_SERVER_STAGES_STAGE_LOOKUP_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_LOOKUP_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/paths/path.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"

namespace stagedoor {

// From the paths of requests to scene objects. Look-ups find, they never intern. Every error
// carries its reason and the path.

// The prim at an absolute prim path or "/". INVALID_ARGUMENT (INVALID_PATH) where the text is no
// such path, NOT_FOUND (PRIM_NOT_FOUND) where there is no prim.
absl::StatusOr<Prim> LookUpPrim(const Stage& stage, std::string_view text);

// The attribute at an absolute property path; also NOT_FOUND (ATTRIBUTE_NOT_FOUND), and
// INVALID_ARGUMENT (WRONG_KIND) for a relationship.
absl::StatusOr<Attribute> LookUpAttribute(const Stage& stage, std::string_view text);

// Absolute prim paths of a mask or of load rules, which may name what is not there: these are
// interned. INVALID_ARGUMENT (INVALID_PATH).
absl::StatusOr<Path> ParsePrimPath(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_LOOKUP_H_
