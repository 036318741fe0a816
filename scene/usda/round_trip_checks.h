#ifndef STAGEDOOR_SCENE_USDA_ROUND_TRIP_CHECKS_H_
#define STAGEDOOR_SCENE_USDA_ROUND_TRIP_CHECKS_H_

#include <string_view>

#include "scene/layer/spec_tree.h"
#include "scene/paths/token.h"

namespace stagedoor::usda {

// Checks whether text that a writer made of unusual parts is read back as intended: values whose
// type differs from the declared one, and words that a crate may hold but a text layer may not.
// Each check costs a parse, so it is meant for the rare case only.

// True if the text parses as the statements of one property and nothing else.
bool ParsesAsProperty(std::string_view statements);

// True if the text parses as one metadata statement that sets the field `name` of a spec of this
// type, and nothing else.
bool ParsesAsMetadata(SpecType type, Token name, std::string_view statement);

// True if the grammar accepts the word as the type of an attribute (an identifier, with or without
// brackets) or of a prim (identifiers joined by dots).
bool IsValidAttributeTypeName(std::string_view word);
bool IsValidPrimTypeName(std::string_view word);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_ROUND_TRIP_CHECKS_H_
