#ifndef STAGEDOOR_SCENE_PATHS_VARIANT_NAMES_H_
#define STAGEDOOR_SCENE_PATHS_VARIANT_NAMES_H_

#include <string_view>

namespace stagedoor {

// The names of variant sets and variants. As in OpenUSD, there are three rules: text layers and
// edits have one, which is the same for both; paths hold fewer names of variant sets
// (path_parser.cc); and crates hold almost any. Pure functions.

// True for a name of a variant set or variant in text: an optional '.', then XID_Continue
// characters, '|' and '-' (see VariantNameLength in identifier.h). May be empty.
bool IsVariantName(std::string_view text);

// True for what may be selected: a variant name, or a variable expression in backquotes.
bool IsVariantSelection(std::string_view text);

// True for a name in a path element of a crate, "{set=variant}": UTF-8 without '=', '{' and '}'.
// May be empty.
bool IsCrateVariantName(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_VARIANT_NAMES_H_
