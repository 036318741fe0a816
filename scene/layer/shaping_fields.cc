#include "scene/layer/shaping_fields.h"

#include <unordered_set>

#include "scene/layer/field_keys.h"

namespace stagedoor {

bool ShapesPrims(Token field) {
  const FieldKeys& f = Fields();
  static const std::unordered_set<Token> kFields = {
      f.active,           f.apiSchemas,     f.clipSets,    f.clips,      f.inheritPaths,
      f.instanceable,     f.kind,           f.payload,     f.permission, f.primOrder,
      f.references,       f.relocates,      f.specializes, f.specifier,  f.typeName,
      f.variantSelection, f.variantSetNames};
  return kFields.contains(field);
}

}  // namespace stagedoor
