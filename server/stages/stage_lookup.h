#ifndef STAGEDOOR_SERVER_STAGES_STAGE_LOOKUP_H_
#define STAGEDOOR_SERVER_STAGES_STAGE_LOOKUP_H_

#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "scene/paths/path.h"
#include "scene/stage/prim.h"
#include "scene/stage/property.h"

namespace stagedoor::server {

// Functions that find the scene objects that request paths name. Look-ups never intern the paths.
// Every error has a reason and the path.

// The prim at an absolute prim path or "/". INVALID_ARGUMENT (INVALID_PATH) for any other text,
// NOT_FOUND (PRIM_NOT_FOUND) if the stage does not have it.
absl::StatusOr<Prim> LookUpPrim(const Stage& stage, std::string_view text);

// The attribute or relationship at an absolute property path. In addition to the errors of
// LookUpPrim, NOT_FOUND (ATTRIBUTE_NOT_FOUND).
absl::StatusOr<Property> LookUpProperty(const Stage& stage, std::string_view text);

// The attribute at an absolute property path. In addition to the errors of LookUpProperty,
// INVALID_ARGUMENT (WRONG_KIND) for a relationship.
absl::StatusOr<Attribute> LookUpAttribute(const Stage& stage, std::string_view text);

// Parses and interns an absolute prim path of a mask or of load rules, which need not exist.
// INVALID_ARGUMENT (INVALID_PATH).
absl::StatusOr<Path> ParsePrimPath(std::string_view text);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_STAGES_STAGE_LOOKUP_H_
