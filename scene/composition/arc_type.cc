#include "scene/composition/arc_type.h"

namespace stagedoor {

// Singular, as OpenUSD's display names of PcpArcType, so that dumps can be compared.
std::string_view ArcTypeName(ArcType arc) {
  switch (arc) {
    case ArcType::kRoot:
      return "root";
    case ArcType::kInherit:
      return "inherit";
    case ArcType::kVariant:
      return "variant";
    case ArcType::kRelocate:
      return "relocate";
    case ArcType::kReference:
      return "reference";
    case ArcType::kPayload:
      return "payload";
    case ArcType::kSpecialize:
      return "specialize";
  }
  return "";
}

}  // namespace stagedoor
