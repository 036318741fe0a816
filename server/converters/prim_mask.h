#ifndef STAGEDOOR_SERVER_CONVERTERS_PRIM_MASK_H_
#define STAGEDOOR_SERVER_CONVERTERS_PRIM_MASK_H_

#include <google/protobuf/field_mask.pb.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "stagedoor/v1/prims.pb.h"

namespace stagedoor::server {

// The set of fields with these numbers: bit 1 << number for each.
constexpr uint32_t FieldSet(std::initializer_list<int> numbers) {
  uint32_t set = 0;
  for (const int number : numbers) set |= 1u << number;
  return set;
}

// The fields of prims and of their properties that a reply has: a read mask in compact form.
// v1::Prim::path is always sent and, if properties are, their fields from name to authored.
struct PrimMask {
  uint32_t prim = 0;      // the FieldSet of v1::Prim
  uint32_t property = 0;  // the FieldSet of v1::Property; empty if properties are not sent

  bool Has(int field) const { return (prim & (1u << field)) != 0; }
  bool HasOfProperty(int field) const { return (property & (1u << field)) != 0; }
  bool HasAnyOfProperty(uint32_t fields) const { return (property & fields) != 0; }
  // Whether the values or stacks of properties are sent, which are those at times.
  bool NeedsTimes() const;

  bool operator==(const PrimMask&) const = default;
};

// Values come in three fields, of which one cannot be read without the others.
inline constexpr uint32_t kPropertyValues =
    FieldSet({v1::Property::kValuesFieldNumber, v1::Property::kUniformValueFieldNumber,
              v1::Property::kValueStatesFieldNumber});

// The fields of a prim that are at hand: what WritePrim writes.
inline constexpr uint32_t kPrimSummary = FieldSet(
    {v1::Prim::kPathFieldNumber, v1::Prim::kSpecifierFieldNumber, v1::Prim::kTypeNameFieldNumber,
     v1::Prim::kInactiveFieldNumber, v1::Prim::kUnloadedFieldNumber,
     v1::Prim::kUndefinedFieldNumber, v1::Prim::kAbstractFieldNumber, v1::Prim::kModelFieldNumber,
     v1::Prim::kGroupFieldNumber, v1::Prim::kInstanceFieldNumber,
     v1::Prim::kInstanceableFieldNumber, v1::Prim::kInstanceProxyFieldNumber,
     v1::Prim::kHasPayloadFieldNumber, v1::Prim::kPrototypeFieldNumber});

// All paths that a read mask may have; query.proto explains them. They are those of the fields of
// v1::Prim and v1::Property, except for errors.
std::vector<std::string> PrimMaskPaths();

// The fields that a read mask selects; `otherwise` if it has no paths. INVALID_ARGUMENT
// (INVALID_FIELD) for an unknown path; RESOURCE_EXHAUSTED (REQUEST_TOO_LARGE) for more than 100.
absl::StatusOr<PrimMask> ParsePrimMask(const google::protobuf::FieldMask& read_mask,
                                       PrimMask otherwise);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_PRIM_MASK_H_
