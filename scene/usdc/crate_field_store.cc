#include "scene/usdc/crate_field_store.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "scene/layer/field_keys.h"
#include "scene/usdc/crate_value_reader.h"
#include "scene/values/list_op.h"
#include "scene/values/payload.h"

namespace stagedoor {
namespace {

bool StatesNamespace(std::string_view field) {
  for (const std::string_view name :
       {"primChildren", "properties", "variantChildren", "variantSetChildren", "connectionChildren",
        "targetChildren", "relationshipTargetChildren", "mapperChildren", "expressionChildren"}) {
    if (field == name) return true;
  }
  return false;
}

// Crates may hold a single payload in place of a list op.
Value AsListOp(const Payload& payload) {
  ListOp<Payload> op = ListOp<Payload>::Explicit({});
  if (!payload.asset.empty() || !payload.prim_path.empty()) op.explicit_items.push_back(payload);
  return Value(std::move(op));
}

}  // namespace

CrateFieldStore::CrateFieldStore(RefPtr<const CrateTables> tables, std::vector<uint32_t> field_sets,
                                 const std::vector<SpecId>& prims)
    : tables_(std::move(tables)), field_sets_(std::move(field_sets)) {
  constexpr uint16_t kUnknown = 0xffff;
  std::vector<uint16_t> by_token(tables_->token_count(), kUnknown);
  field_names_.resize(tables_->field_count());
  names_.emplace_back();
  for (uint32_t field = 0; field < field_names_.size(); ++field) {
    const uint32_t token = tables_->field_token(field);
    uint16_t& name = by_token[token];
    if (name == kUnknown) {
      // No real file has more names than fit; fields with further names are not found.
      const bool hidden = names_.size() == kUnknown || StatesNamespace(tables_->TokenText(token));
      name = hidden ? 0 : static_cast<uint16_t>(names_.size());
      if (!hidden) names_.push_back(tables_->TokenAt(token));
    }
    // OpenUSD writes a zero representation for a value that it cannot write.
    field_names_[field] = tables_->field_rep(field) == CrateValueRep() ? 0 : name;
  }
  for (const SpecId prim : prims) {
    if (Find(prim, Fields().specifier) == kCrateNoField) overs_.push_back(prim);
  }
}

bool CrateFieldStore::LacksSpecifier(SpecId spec) const {
  return !overs_.empty() && std::binary_search(overs_.begin(), overs_.end(), spec);
}

bool CrateFieldStore::Has(SpecId spec, Token field) const {
  return Find(spec, field) != kCrateNoField ||
         (field == Fields().specifier && LacksSpecifier(spec));
}

uint32_t CrateFieldStore::Find(SpecId spec, Token field) const {
  if (field.empty()) return kCrateNoField;
  const std::vector<uint32_t>& sets = tables_->field_sets();
  if (field_sets_[spec] == kCrateNoField) return kCrateNoField;
  for (uint32_t i = field_sets_[spec]; sets[i] != kCrateNoField; ++i) {
    if (names_[field_names_[sets[i]]] == field) return sets[i];
  }
  return kCrateNoField;
}

Value CrateFieldStore::Get(SpecId spec, Token field) const {
  const uint32_t index = Find(spec, field);
  if (index == kCrateNoField) {
    const bool over = field == Fields().specifier && LacksSpecifier(spec);
    return over ? Value(Specifier::kOver) : Value();
  }
  Value value = CrateValueReader(*tables_).Read(tables_->field_rep(index));
  if (field == Fields().payload) {
    if (const Payload* payload = value.Get<Payload>()) return AsListOp(*payload);
  }
  return value;
}

std::vector<Token> CrateFieldStore::Names(SpecId spec) const {
  std::vector<Token> names;
  if (field_sets_[spec] == kCrateNoField) return names;
  std::vector<bool> seen(names_.size());
  const std::vector<uint32_t>& sets = tables_->field_sets();
  for (uint32_t i = field_sets_[spec]; sets[i] != kCrateNoField; ++i) {
    const Token name = names_[field_names_[sets[i]]];
    // If several fields have the same name, the first one counts.
    const bool again = seen[field_names_[sets[i]]];
    seen[field_names_[sets[i]]] = true;
    if (!name.empty() && !again) names.push_back(name);
  }
  if (LacksSpecifier(spec)) names.push_back(Fields().specifier);
  return names;
}

size_t CrateFieldStore::byte_size() const {
  return sizeof(*this) + tables_->byte_size() + field_sets_.capacity() * sizeof(uint32_t) +
         names_.capacity() * sizeof(Token) + field_names_.capacity() * sizeof(uint16_t) +
         overs_.capacity() * sizeof(SpecId);
}

}  // namespace stagedoor
