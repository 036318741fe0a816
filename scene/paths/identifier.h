#ifndef STAGEDOOR_SCENE_PATHS_IDENTIFIER_H_
#define STAGEDOOR_SCENE_PATHS_IDENTIFIER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stagedoor {

// Lexical rules for names: Core Specification, section 8.5 (Grammar Definition). Pure functions.

// The XID_Start (or '_') and XID_Continue properties of a code point, by Unicode 15.1.
bool IsXidStart(uint32_t code_point);
bool IsXidContinue(uint32_t code_point);

// Decodes the UTF-8 code point at `text[at]`, which must exist. Returns its length in bytes, or 0
// for an invalid sequence, including overlong forms and surrogates.
size_t DecodeUtf8(std::string_view text, size_t at, uint32_t* code_point);

// Length in bytes of the longest identifier at the beginning of `text`, or 0 if there is none.
size_t IdentifierLength(std::string_view text);
bool IsIdentifier(std::string_view text);
// True for identifiers joined by ':', such as property names.
bool IsNamespacedIdentifier(std::string_view text);
// Length in bytes of the longest variant name at the beginning of `text`: an optional '.', then
// XID_Continue characters, '|' and '-'. May be 0, because a variant selection may be empty.
size_t VariantNameLength(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_IDENTIFIER_H_
