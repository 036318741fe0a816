#ifndef STAGEDOOR_SCENE_USDA_TEXT_FORMAT_H_
#define STAGEDOOR_SCENE_USDA_TEXT_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "scene/usda/text_cursor.h"

namespace stagedoor::usda {

// The text form of numbers, strings and asset paths, as the writer and the reader of values of
// unknown type produce it. Thread-safe.

// The most characters that any number takes.
inline constexpr size_t kMaxNumberText = 40;

// Write a number at `out`, which must have room for kMaxNumberText characters; return its end.
// Floating-point numbers are written as the shortest decimals that read back as the same number,
// with an exponent below 1e-6 and from 1e15 on (Core Specification, 16.2.5.1).
char* PutDouble(double value, char* out);
char* PutFloat(float value, char* out);
char* PutInteger(int64_t value, char* out);
char* PutUnsigned(uint64_t value, char* out);

// Append the same text to `out`.
void AppendDouble(double value, std::string* out);
void AppendFloat(float value, std::string* out);
void AppendNumber(const Number& number, std::string* out);

// Appends a string in double quotes, in single quotes if that saves escapes, or in triple quotes if
// it has line ends. As in OpenUSD, only the text up to its first zero byte is written.
void AppendQuoted(std::string_view text, std::string* out);
// Appends an asset path between '@', or between "@@@" if it contains '@'; up to its first zero
// byte.
void AppendAsset(std::string_view path, std::string* out);

}  // namespace stagedoor::usda

#endif  // STAGEDOOR_SCENE_USDA_TEXT_FORMAT_H_
