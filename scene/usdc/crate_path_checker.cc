#include "scene/usdc/crate_path_checker.h"

#include <cstdlib>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/paths/identifier.h"
#include "scene/paths/path.h"

namespace stagedoor {
namespace {

bool IsSelection(std::string_view text) {
  std::string_view set, variant;
  return CrateTables::SplitSelection(text, &set, &variant);
}

}  // namespace

absl::Status CratePathChecker::Check() {
  has_spec_.assign(tables_.paths().size(), false);
  for (const CrateNamespace::Spec& spec : names_.specs) has_spec_[spec.path] = true;
  SD_RETURN_IF_ERROR(CheckElements());
  return CheckRepeats();
}

absl::Status CratePathChecker::CheckElements() {
  kinds_.assign(2 * tables_.token_count(), Kind::kUnknown);
  std::vector<Kind> ends(tables_.paths().size(), Kind::kNone);  // by path
  for (size_t item = 0; item < names_.item_path.size(); ++item) {
    const uint32_t path = names_.item_path[item];
    if (item == 0) {
      ends[path] = Kind::kRoot;
      continue;
    }
    const CrateTables::PathItem& at = tables_.paths()[path];
    const uint32_t token = TokenOf(at);
    const bool known = token < tables_.token_count();
    ends[path] = Append(ends[at.parent], known ? KindOf(token, at.element < 0) : Kind::kNone);
    if (!HasSpec(path)) continue;
    Path made;
    const bool other = ends[path] == Kind::kOther;
    if (ends[path] == Kind::kNone || (other && (!tables_.FindPath(path, &made) || made.empty()))) {
      return Damaged(path, "is not a valid path element here");
    }
  }
  return absl::OkStatus();
}

absl::Status CratePathChecker::CheckRepeats() const {
  constexpr uint32_t kNone = CrateNamespace::kNone;
  std::vector<uint32_t> last(kinds_.size(), kNone);  // the last parent with such an element
  for (uint32_t item = 0; item < names_.item_path.size(); ++item) {
    if (!names_.HasChild(item)) continue;
    for (uint32_t child = item + 1; child != kNone; child = names_.NextSibling(child)) {
      const uint32_t path = names_.item_path[child];
      if (!HasSpec(path)) continue;
      const CrateTables::PathItem& at = tables_.paths()[path];
      uint32_t& before = last[2 * size_t{TokenOf(at)} + (at.element < 0)];
      if (before == item) return Damaged(path, "is a duplicate element");
      before = item;
    }
  }
  return absl::OkStatus();
}

absl::Status CratePathChecker::Damaged(uint32_t path, std::string_view what) const {
  const uint32_t token = TokenOf(tables_.paths()[path]);
  const std::string_view text = token < tables_.token_count() ? tables_.TokenText(token) : "";
  return DataLossError(tables_.name(), ": ", Quoted(text), " ", what);
}

uint32_t CratePathChecker::TokenOf(const CrateTables::PathItem& path) {
  return static_cast<uint32_t>(std::abs(path.element));
}

CratePathChecker::Kind CratePathChecker::KindOf(uint32_t token, bool property) {
  Kind& kind = kinds_[2 * size_t{token} + property];
  if (kind != Kind::kUnknown) return kind;
  const std::string_view text = tables_.TokenText(token);
  if (property) {
    kind = IsNamespacedIdentifier(text) ? Kind::kProperty : Kind::kNone;
  } else if (text.starts_with('{')) {
    kind = IsSelection(text) ? Kind::kVariant : Kind::kNone;
  } else if (text.starts_with('[') || text.starts_with('.')) {
    kind = Kind::kOther;
  } else {
    kind = IsIdentifier(text) ? Kind::kPrim : Kind::kNone;
  }
  return kind;
}

CratePathChecker::Kind CratePathChecker::Append(Kind parent, Kind element) {
  const bool in_prim = parent == Kind::kPrim || parent == Kind::kVariant;
  switch (element) {
    case Kind::kPrim:
      return in_prim || parent == Kind::kRoot ? element : Kind::kNone;
    case Kind::kProperty:  // the relative path ".name" is stored below the root
      return in_prim || parent == Kind::kRoot ? element : Kind::kNone;
    case Kind::kVariant:
      return in_prim ? element : Kind::kNone;
    case Kind::kOther:
      return parent == Kind::kProperty || parent == Kind::kOther ? element : Kind::kNone;
    default:
      return Kind::kNone;
  }
}

}  // namespace stagedoor
