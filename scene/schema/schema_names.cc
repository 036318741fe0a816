#include "scene/schema/schema_names.h"

#include <string>

#include "base/strings.h"

namespace stagedoor {
namespace {

// The position of a placeholder that is a whole element of the name; npos if there is none.
size_t FindPlaceholder(std::string_view name) {
  const size_t length = kInstanceNamePlaceholder.size();
  for (size_t at = name.find(kInstanceNamePlaceholder); at != std::string_view::npos;
       at = name.find(kInstanceNamePlaceholder, at + 1)) {
    const bool starts = at == 0 || name[at - 1] == ':';
    const bool ends = at + length == name.size() || name[at + length] == ':';
    if (starts && ends) return at;
  }
  return std::string_view::npos;
}

}  // namespace

std::pair<std::string_view, uint32_t> SplitSchemaVersion(std::string_view identifier) {
  const size_t underscore = identifier.rfind('_');
  if (underscore == std::string_view::npos) return {identifier, 0};
  const auto version = ParseNumber<uint32_t>(identifier.substr(underscore + 1));
  if (!version) return {identifier, 0};
  return {identifier.substr(0, underscore), *version};
}

std::pair<std::string_view, std::string_view> SplitSchemaInstance(std::string_view applied) {
  const size_t colon = applied.find(':');
  if (colon == std::string_view::npos) return {applied, {}};
  return {applied.substr(0, colon), applied.substr(colon + 1)};
}

Token InstantiateTemplate(Token name, std::string_view instance) {
  const std::string_view text = name.text();
  const size_t at = FindPlaceholder(text);
  if (at == std::string_view::npos) return name;
  std::string result(text.substr(0, at));
  result += instance;
  result += text.substr(at + kInstanceNamePlaceholder.size());
  return Token(result);
}

bool IsTemplateName(std::string_view name) {
  return FindPlaceholder(name) != std::string_view::npos;
}

}  // namespace stagedoor
