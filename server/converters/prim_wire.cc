#include "server/converters/prim_wire.h"

#include <utility>

#include "server/converters/coerce_to_utf8.h"
#include "stagedoor/v1/prims.pb.h"

namespace stagedoor::server {
namespace {

uint64_t PrototypeNumber(const Prim& prim) {
  if (!prim.IsInstance()) return 0;
  const Prototype* prototype = prim.data().prototype;
  return prototype == nullptr ? 0 : prototype->source_path.hash() | 1;
}

}  // namespace

void WritePrimSummary(const Prim& prim, WireWriter* out) {
  using P = v1::Prim;
  out->Number(P::kSpecifierFieldNumber, static_cast<uint64_t>(prim.specifier()) + 1);
  if (const Token type = prim.type_name(); !type.empty()) {
    out->Bytes(P::kTypeNameFieldNumber, CoerceToUtf8(type.text()));
  }
  out->Number(P::kInactiveFieldNumber, !prim.IsActive());
  out->Number(P::kUnloadedFieldNumber, !prim.IsLoaded());
  out->Number(P::kUndefinedFieldNumber, !prim.IsDefined());
  out->Number(P::kAbstractFieldNumber, prim.IsAbstract());
  out->Number(P::kModelFieldNumber, prim.IsModel());
  out->Number(P::kGroupFieldNumber, prim.IsGroup());
  out->Number(P::kInstanceFieldNumber, prim.IsInstance());
  out->Number(P::kInstanceableFieldNumber, prim.IsInstanceable());
  out->Number(P::kInstanceProxyFieldNumber, prim.IsInstanceProxy());
  out->Number(P::kHasPayloadFieldNumber, prim.HasPayload());
  out->Number(P::kPrototypeFieldNumber, PrototypeNumber(prim));
}

void WritePrim(int field, const Prim& prim, bool summary, WireWriter* out) {
  WireWriter message;
  message.Bytes(v1::Prim::kPathFieldNumber, CoerceToUtf8(prim.PathText()));
  if (summary) WritePrimSummary(prim, &message);
  out->Message(field, std::move(message));
}

}  // namespace stagedoor::server
