#include "server/converters/prim_wire.h"

#include <utility>

#include "base/strings.h"
#include "stagedoor/v1/prims.pb.h"

namespace stagedoor::server {
namespace {

uint64_t PrototypeNumber(const Prim& prim) {
  if (!prim.IsInstance()) return 0;
  const Prototype* prototype = prim.data().prototype;
  return prototype == nullptr ? 0 : prototype->source_path.hash() | 1;
}

}  // namespace

void WritePrimSummary(const Prim& prim, const PrimMask& mask, WireWriter* out) {
  using P = v1::Prim;
  const auto number = [&](int field, uint64_t value) {
    if (mask.Has(field)) out->Number(field, value);
  };
  number(P::kSpecifierFieldNumber, static_cast<uint64_t>(prim.specifier()) + 1);
  if (const Token type = prim.type_name(); !type.empty() && mask.Has(P::kTypeNameFieldNumber)) {
    out->Bytes(P::kTypeNameFieldNumber, CoerceToUtf8(type.text()));
  }
  number(P::kInactiveFieldNumber, !prim.IsActive());
  number(P::kUnloadedFieldNumber, !prim.IsLoaded());
  number(P::kUndefinedFieldNumber, !prim.IsDefined());
  number(P::kAbstractFieldNumber, prim.IsAbstract());
  number(P::kModelFieldNumber, prim.IsModel());
  number(P::kGroupFieldNumber, prim.IsGroup());
  number(P::kInstanceFieldNumber, prim.IsInstance());
  number(P::kInstanceableFieldNumber, prim.IsInstanceable());
  number(P::kInstanceProxyFieldNumber, prim.IsInstanceProxy());
  number(P::kHasPayloadFieldNumber, prim.HasPayload());
  number(P::kPrototypeFieldNumber, PrototypeNumber(prim));
}

void WritePrim(int field, const Prim& prim, const PrimMask& mask, WireWriter* out) {
  WireWriter message;
  message.Bytes(v1::Prim::kPathFieldNumber, CoerceToUtf8(prim.PathText()));
  WritePrimSummary(prim, mask, &message);
  out->Message(field, std::move(message));
}

}  // namespace stagedoor::server
