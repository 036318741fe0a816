// Lexical rules of names (Core Specification, "identifiers").
#ifndef STAGEDOOR_SCENE_PATHS_IDENTIFIER_H_
#define STAGEDOOR_SCENE_PATHS_IDENTIFIER_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stagedoor {

// Unicode properties by code point ('_' counts as a start).
bool IsXidStart(uint32_t code_point);
bool IsXidContinue(uint32_t code_point);

// Decodes one UTF-8 code point at `text[at]`, which must exist. Returns its length in bytes; 0 for
// an invalid sequence (overlong forms and surrogates included).
size_t DecodeUtf8(std::string_view text, size_t at, uint32_t* code_point);

// Length in bytes of the longest identifier at the beginning of `text`; 0 if there is none.
size_t IdentifierLength(std::string_view text);
bool IsIdentifier(std::string_view text);
// Identifiers joined by ':'.
bool IsNamespacedIdentifier(std::string_view text);
// A variant name: an optional '.', then letters, digits, '_', '|', '-' and XID characters; may be
// empty.
size_t VariantNameLength(std::string_view text);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_PATHS_IDENTIFIER_H_
