// Whether text that a writer made of unusual parts (values of other types than declared, words and
// texts that a crate may hold but a text layer may not) is read again as what it was made of.
// Costs a parse: for the rare case only.
#ifndef STAGEDOOR_SCENE_USDA_ROUND_TRIP_CHECKS_H_
#define STAGEDOOR_SCENE_USDA_ROUND_TRIP_CHECKS_H_

#include <string_view>

#include "scene/layer/spec_tree.h"
#include "scene/paths/token.h"

namespace stagedoor::usda {

// The statements of one property and nothing else.
bool ParsesAsProperty(std::string_view statements);

// One statement of metadata, of a field `name` of a spec of this type, and nothing else.
bool ParsesAsMetadata(SpecType type, Token name, std::string_view statement);

// Whether text can have the word as the type of an attribute (an identifier, with or without
// brackets) or of a prim (identifiers joined by dots).
bool IsValidAttributeTypeName(std::string_view word);
bool IsValidPrimTypeName(std::string_view word);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_ROUND_TRIP_CHECKS_H_
