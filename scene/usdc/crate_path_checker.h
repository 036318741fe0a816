// CratePathChecker: whether the paths of all specs of a crate are paths, as OpenUSD demands: a name
// is an identifier, a property is one of a prim or variant, a selection has a set, and no two of
// them are the same. Other paths of the table may be anything.
//
// Made for one Check while a layer is opened. Looks at each token once, so that it costs little
// beside reading the tables.
#ifndef STAGEDOOR_SCENE_USDC_CRATE_PATH_CHECKER_H_
#define STAGEDOOR_SCENE_USDC_CRATE_PATH_CHECKER_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "scene/usdc/crate_tables.h"

namespace stagedoor {

class CratePathChecker {
 public:
  // Both must outlive the checker.
  CratePathChecker(const CrateTables& tables, const CrateNamespace& names)
      : tables_(tables), names_(names) {}

  // DATA_LOSS naming the file and the first element that makes no path.
  absl::Status Check();

 private:
  // What an element is, or what a path ends with.
  enum class Kind : uint8_t {
    kUnknown,
    kNone,      // no element of a path
    kRoot,      // of all paths
    kPrim,      // an identifier
    kVariant,   // {set=variant}
    kProperty,  // identifiers joined by ':'
    kOther,     // a target, or what follows one: rare
  };
  absl::Status CheckElements();
  absl::Status CheckRepeats() const;
  bool HasSpec(uint32_t path) const { return has_spec_[path]; }
  absl::Status Damaged(uint32_t path, std::string_view what) const;
  static uint32_t TokenOf(const CrateTables::PathItem& path);
  Kind KindOf(uint32_t token, bool property);
  // What a path of kind `parent` becomes with the element; kNone where that is no path.
  static Kind Append(Kind parent, Kind element);

  const CrateTables& tables_;
  const CrateNamespace& names_;
  std::vector<Kind> kinds_;     // by token and whether it is a property's
  std::vector<bool> has_spec_;  // by path
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_PATH_CHECKER_H_
