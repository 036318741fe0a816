#include "server/converters/prim_wire.h"

#include "server/converters/wire_text.h"
#include "stagedoor/v1/prims.pb.h"

namespace stagedoor {
namespace {

enum WireType : uint32_t { kVarint = 0, kLengthDelimited = 2 };

void AppendVarint(uint64_t number, std::string* wire) {
  for (; number >= 0x80; number >>= 7) wire->push_back(static_cast<char>(number | 0x80));
  wire->push_back(static_cast<char>(number));
}

void AppendTag(int field, WireType type, std::string* wire) {
  AppendVarint(static_cast<uint32_t>(field) << 3 | type, wire);
}

uint64_t PrototypeNumber(const Prim& prim) {
  if (!prim.IsInstance()) return 0;
  const Prototype* prototype = prim.data().prototype;
  return prototype == nullptr ? 0 : prototype->source_path.hash() | 1;
}

}  // namespace

void AppendWireNumber(int field, uint64_t number, std::string* wire) {
  if (number == 0) return;
  AppendTag(field, kVarint, wire);
  AppendVarint(number, wire);
}

void AppendWireHead(int field, size_t size, std::string* wire) {
  AppendTag(field, kLengthDelimited, wire);
  AppendVarint(size, wire);
}

void AppendWireBytes(int field, std::string_view bytes, std::string* wire) {
  AppendWireHead(field, bytes.size(), wire);
  wire->append(bytes);
}

void AppendPrimSummary(const Prim& prim, std::string* wire) {
  using P = v1::Prim;
  AppendWireNumber(P::kSpecifierFieldNumber, static_cast<uint64_t>(prim.specifier()) + 1, wire);
  if (const Token type = prim.type_name(); !type.empty()) {
    AppendWireBytes(P::kTypeNameFieldNumber, WireText(type.text()), wire);
  }
  AppendWireNumber(P::kInactiveFieldNumber, !prim.IsActive(), wire);
  AppendWireNumber(P::kUnloadedFieldNumber, !prim.IsLoaded(), wire);
  AppendWireNumber(P::kUndefinedFieldNumber, !prim.IsDefined(), wire);
  AppendWireNumber(P::kAbstractFieldNumber, prim.IsAbstract(), wire);
  AppendWireNumber(P::kModelFieldNumber, prim.IsModel(), wire);
  AppendWireNumber(P::kGroupFieldNumber, prim.IsGroup(), wire);
  AppendWireNumber(P::kInstanceFieldNumber, prim.IsInstance(), wire);
  AppendWireNumber(P::kInstanceableFieldNumber, prim.IsInstanceable(), wire);
  AppendWireNumber(P::kInstanceProxyFieldNumber, prim.IsInstanceProxy(), wire);
  AppendWireNumber(P::kHasPayloadFieldNumber, prim.HasPayload(), wire);
  AppendWireNumber(P::kPrototypeFieldNumber, PrototypeNumber(prim), wire);
}

void AppendPrim(int field, const Prim& prim, bool summary, std::string* wire) {
  std::string message;
  AppendWireBytes(v1::Prim::kPathFieldNumber, WireText(prim.PathText()), &message);
  if (summary) AppendPrimSummary(prim, &message);
  AppendWireBytes(field, message, wire);
}

}  // namespace stagedoor
