#include "scene/composition/arc.h"

namespace stagedoor {

// Singular, as OpenUSD's display names of PcpArcType, so that dumps can be compared.
std::string_view ArcName(Arc arc) {
  switch (arc) {
    case Arc::kRoot:
      return "root";
    case Arc::kInherit:
      return "inherit";
    case Arc::kVariant:
      return "variant";
    case Arc::kRelocate:
      return "relocate";
    case Arc::kReference:
      return "reference";
    case Arc::kPayload:
      return "payload";
    case Arc::kSpecialize:
      return "specialize";
  }
  return "";
}

}  // namespace stagedoor
