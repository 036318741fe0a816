#include "scene/layer/layer.h"

#include "base/request_scope.h"
#include "scene/layer/field_keys.h"

namespace stagedoor {

const FieldKeys& Fields() {
  static const FieldKeys* tokens = new FieldKeys;
  return *tokens;
}

Layer::Layer(Info info, SpecTree tree, std::unique_ptr<const FieldStore> fields)
    : info_(std::move(info)),
      tree_(std::move(tree)),
      fields_(std::move(fields)),
      paths_(RequestScope::Current().owner ? RequestScope::Current().owner->weak_from_this().lock()
                                           : nullptr) {}

Path Layer::DefaultPrim() const {
  const auto name = GetAs<Token>(kRootSpec, Fields().defaultPrim);
  if (!name || name->empty()) return Path();
  const auto path = Path::Parse(name->text());
  if (!path.ok()) return Path();
  const Path absolute = path->MakeAbsolute(Path::AbsoluteRoot());
  return absolute.IsPrim() ? absolute : Path();
}

double Layer::TimeCodesPerSecond() const {
  if (const auto tcps = GetAs<double>(kRootSpec, Fields().timeCodesPerSecond)) return *tcps;
  return GetAs<double>(kRootSpec, Fields().framesPerSecond).value_or(24);
}

}  // namespace stagedoor
