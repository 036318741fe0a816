#ifndef STAGEDOOR_BASE_VARIANT_H_
#define STAGEDOOR_BASE_VARIANT_H_

#include <compare>
#include <variant>

namespace stagedoor {

// The last alternative of a Variant, which it never holds.
struct NeverHeld {
  NeverHeld() = delete;
  NeverHeld(const NeverHeld&) {}  // NOLINT(modernize-use-equals-default): must not be trivial
  NeverHeld& operator=(const NeverHeld&) = default;
  auto operator<=>(const NeverHeld&) const = default;
};

// A std::variant that survives a copy that fails for lack of memory.
//
// libstdc++ 12 takes a std::variant of nothing but scalars, strings and vectors for one that is
// never without a value, and when its copy throws destroys the alternative of an index it does not
// have. An alternative of another kind makes it check.
template <typename... Alternatives>
using Variant = std::variant<Alternatives..., NeverHeld>;

}  // namespace stagedoor

#endif  // STAGEDOOR_BASE_VARIANT_H_
