// How values look in layer text; what the writer and the reader of unknown values share.
#ifndef STAGEDOOR_SCENE_USDA_TEXT_FORMAT_H_
#define STAGEDOOR_SCENE_USDA_TEXT_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "scene/usda/text_cursor.h"

namespace stagedoor::usda {

// Room enough for any number.
inline constexpr size_t kMaxNumberText = 40;

// Put a number's text at `out`, where there is kMaxNumberText of room; return its end. Floating
// numbers: the shortest decimals that read back as the same number; exponents below 1e-6 and from
// 1e15 on.
char* PutDouble(double value, char* out);
char* PutFloat(float value, char* out);
char* PutInteger(int64_t value, char* out);
char* PutUnsigned(uint64_t value, char* out);

// The same, behind a text.
void AppendDouble(double value, std::string* out);
void AppendFloat(float value, std::string* out);
void AppendInteger(int64_t value, std::string* out);
void AppendUnsigned(uint64_t value, std::string* out);
void AppendNumber(const Number& number, std::string* out);

// In double quotes, or single ones where that saves escapes; tripled around line ends.
void AppendQuoted(std::string_view text, std::string* out);
// In '@', or "@@@" where the path has an '@'.
void AppendAsset(std::string_view path, std::string* out);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_TEXT_FORMAT_H_
