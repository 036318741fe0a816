#ifndef STAGEDOOR_SCENE_SHADE_BINDING_NAMES_H_
#define STAGEDOOR_SCENE_SHADE_BINDING_NAMES_H_

#include <string_view>

#include "scene/paths/token.h"

namespace stagedoor {

// The names of relationships that bind materials; see material_binding.h.

inline constexpr std::string_view kDirectBinding = "material:binding";
inline constexpr std::string_view kCollectionBinding = "material:binding:collection:";

inline bool BindsMembers(Token relationship) {
  return relationship.text().starts_with(kCollectionBinding);
}

// Whether a relationship is a direct binding for a purpose.
inline bool IsDirectBinding(Token relationship, std::string_view purpose) {
  std::string_view rest = relationship.text().substr(kDirectBinding.size());
  if (purpose.empty()) return rest.empty();
  return rest.starts_with(':') && rest.substr(1) == purpose;
}

// Whether a relationship binds the members of a collection for a purpose. As in OpenUSD, the names
// of such bindings for a purpose may have colons, others not.
inline bool IsCollectionBinding(Token relationship, std::string_view purpose) {
  if (!BindsMembers(relationship)) return false;
  const std::string_view rest = relationship.text().substr(kCollectionBinding.size());
  if (purpose.empty()) return rest.find(':') == std::string_view::npos;
  return rest.size() > purpose.size() && rest.starts_with(purpose) && rest[purpose.size()] == ':';
}

// Whether it may bind prims for a purpose, as a direct binding or that of a collection.
inline bool IsBinding(Token relationship, std::string_view purpose) {
  return BindsMembers(relationship) ? IsCollectionBinding(relationship, purpose)
                                    : IsDirectBinding(relationship, purpose);
}

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SHADE_BINDING_NAMES_H_
