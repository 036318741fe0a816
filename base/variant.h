#ifndef STAGEDOOR_BASE_VARIANT_H_
#define STAGEDOOR_BASE_VARIANT_H_

#include <compare>
#include <variant>

namespace stagedoor {

// The last alternative of a Variant, which is never held.
struct NeverHeld {
  NeverHeld() = delete;
  NeverHeld(const NeverHeld&) {}  // NOLINT(modernize-use-equals-default): must not be trivial
  NeverHeld& operator=(const NeverHeld&) = default;
  auto operator<=>(const NeverHeld&) const = default;
};

// A std::variant that survives a copy that fails for lack of memory.
//
// libstdc++ 12 assumes that a std::variant of only scalars, strings and vectors always has a value.
// When a copy throws, it destroys the alternative at an index that does not exist. An alternative
// of another kind makes it check.
template <typename... Alternatives>
using Variant = std::variant<Alternatives..., NeverHeld>;

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_VARIANT_H_
