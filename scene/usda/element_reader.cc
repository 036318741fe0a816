#include "scene/usda/element_reader.h"

#include "scene/paths/path_expression.h"
#include "scene/values/asset_path.h"
#include "scene/values/path_expression_value.h"

namespace stagedoor::usda {

bool ElementReader::Read(bool* out) {
  Number number;
  const char* at = cursor_.position();
  if (cursor_.TakeNumber(&number)) {
    *out = number.kind == Number::Kind::kDouble ? number.d != 0 : number.u != 0;
    return !cursor_.failed();
  }
  std::string text;
  if (cursor_.failed()) return false;
  if (cursor_.AtQuote()) {
    if (!cursor_.TakeName(&text)) return false;
  } else {
    text = cursor_.TakePlainIdentifier();
  }
  return ParseBoolWord(text, out) || cursor_.FailAt(at, "expected 'true' or 'false'");
}

bool ElementReader::Read(Token* out) {
  // A string without escapes is looked up without copying it.
  const char quote = cursor_.Peek();
  if (quote != '"' && quote != '\'') return Expected("a quoted string");
  const char* const first = cursor_.position() + 1;
  const char* p = first;
  while (p != cursor_.end() && *p != quote && *p != '\\' && *p != '\n' && *p != '\r') ++p;
  if (p != cursor_.end() && *p == quote && p != first) {
    *out = words_.Find({first, static_cast<size_t>(p - first)});
    cursor_.MoveTo(p + 1);
    return true;
  }
  std::string text;
  if (!cursor_.TakeString(&text)) return false;
  *out = words_.Find(text);
  return true;
}

bool ElementReader::Read(PathExpressionValue* out) {
  const char* at = cursor_.position();
  std::string text;
  if (!Read(&text)) return false;
  const auto tree = PathExpression::Parse(text);
  if (tree.ok()) {
    out->text = tree->ToText();
  } else {
    out->text.clear();
    cursor_.Warn(at, std::string(tree.status().message()) + "; the value is empty");
  }
  return true;
}

bool ElementReader::Read(AssetPath* out) {
  if (cursor_.AtQuote()) {
    const char* at = cursor_.position();
    if (!cursor_.TakeName(&out->authored)) return false;
    if (HasControlCharacters(out->authored)) {
      out->authored.clear();
      cursor_.Warn(at, kControlCharacter);
    }
    return true;
  }
  if (cursor_.Peek() != '@') return Expected("an asset path enclosed in '@'");
  return cursor_.TakeAsset(&out->authored);
}

}  // namespace stagedoor::usda
