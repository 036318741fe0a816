#include "scene/usda/round_trip_checks.h"

#include <string>

#include "base/strings.h"
#include "scene/layer/layer.h"
#include "scene/usda/text_cursor.h"
#include "scene/usda/usda_reader.h"

namespace stagedoor::usda {
namespace {

constexpr std::string_view kHeader = "#usda 1.4\n";

// The text of a layer in which a single spec of the type has the metadata.
std::string LayerWith(SpecType type, std::string_view statement) {
  const std::string block = Concat("(\n", statement, ")");
  switch (type) {
    case SpecType::kPseudoRoot:
      return Concat(kHeader, block, "\n");
    case SpecType::kAttribute:
      return Concat(kHeader, "over \"A\" {\n int a ", block, "\n}\n");
    case SpecType::kRelationship:
      return Concat(kHeader, "over \"A\" {\n rel a ", block, "\n}\n");
    default:
      return Concat(kHeader, "over \"A\" ", block, " {\n}\n");
  }
}

}  // namespace

bool ParsesAsProperty(std::string_view statements) {
  const auto layer = ReadUsda(Concat(kHeader, "over \"A\" {\n", statements, "}\n"), {});
  if (!layer.ok() || (*layer)->tree().size() != 3) return false;
  return (*layer)->tree().is_property(2);
}

bool ParsesAsMetadata(SpecType type, Token name, std::string_view statement) {
  const bool property = type == SpecType::kAttribute || type == SpecType::kRelationship;
  const SpecId spec = type == SpecType::kPseudoRoot ? 0 : property ? 2 : 1;
  const auto layer = ReadUsda(LayerWith(type, statement), {});
  if (!layer.ok() || (*layer)->tree().size() != size_t{spec} + 1) return false;
  const auto empty = ReadUsda(LayerWith(type, ""), {});
  const size_t fields = (*layer)->FieldNames(spec).size();
  return empty.ok() && (*layer)->Has(spec, name) && fields == (*empty)->FieldNames(spec).size() + 1;
}

bool IsValidPrimTypeName(std::string_view word) {
  TextCursor cursor(word);
  do {
    if (cursor.TakePlainIdentifier().empty()) return false;
  } while (cursor.Take('.'));
  return cursor.AtEnd();
}

bool IsValidAttributeTypeName(std::string_view word) {
  TextCursor cursor(word.ends_with("[]") ? word.substr(0, word.size() - 2) : word);
  return !cursor.TakePlainIdentifier().empty() && cursor.AtEnd();
}

}  // namespace stagedoor::usda
