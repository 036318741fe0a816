#ifndef STAGEDOOR_SCENE_USDC_CRATE_PATH_CHECKER_H_
#define STAGEDOOR_SCENE_USDC_CRATE_PATH_CHECKER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "scene/usdc/crate_tables.h"

namespace stagedoor {

// Checks the paths of all specs of a crate (Core Specification, 16.3.8.4.5 Paths Section, 7.3.3
// Names). As in OpenUSD, names must be identifiers, except those of variant sets and variants
// (IsCrateVariantName), properties must belong to a prim or variant, variant selections must name a
// set, and no path may occur twice. Paths without a spec are not checked.
//
// Used for one Check while a layer is opened. Examines each token once, so that the cost is small
// compared with reading the tables. Not thread-safe.
class CratePathChecker {
 public:
  // Both must outlive the checker.
  CratePathChecker(const CrateTables& tables, const CrateNamespace& names)
      : tables_(tables), names_(names) {}

  // DATA_LOSS that names the file and the first path element that is invalid or repeated.
  absl::Status Check();

 private:
  // The kind of an element, or of the last element of a path.
  enum class Kind : uint8_t {
    kUnknown,
    kNone,      // not valid as an element of a path
    kRoot,      // the absolute root
    kPrim,      // an identifier
    kVariant,   // {set=variant}
    kProperty,  // identifiers joined by ':'
    kOther,     // a target or what follows one, which is rare
  };
  absl::Status CheckElements();
  absl::Status CheckRepeats() const;
  bool HasSpec(uint32_t path) const { return has_spec_[path]; }
  absl::Status Damaged(uint32_t path, std::string_view what) const;
  static uint32_t TokenOf(const CrateTables::PathItem& path);
  Kind KindOf(uint32_t token, bool property);
  // The kind of a path of kind `parent` with the element appended; kNone if that is not a path.
  static Kind Append(Kind parent, Kind element);

  const CrateTables& tables_;
  const CrateNamespace& names_;
  std::vector<Kind> kinds_;     // by token and whether it names a property
  std::vector<bool> has_spec_;  // by path
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_PATH_CHECKER_H_
