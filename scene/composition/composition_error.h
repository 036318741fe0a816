// Errors of composition: data on what was composed, never a failure of it.
#ifndef STAGEDOOR_SCENE_COMPOSITION_COMPOSITION_ERROR_H_
#define STAGEDOOR_SCENE_COMPOSITION_COMPOSITION_ERROR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scene/paths/path.h"

namespace stagedoor {

// Named as OpenUSD's PcpErrorType, without that prefix.
enum class CompositionErrorType : uint8_t {
  kArcCycle,
  kArcPermissionDenied,
  kArcToProhibitedChild,
  kIndexCapacityExceeded,
  kArcCapacityExceeded,
  kArcNamespaceDepthCapacityExceeded,
  kInconsistentPropertyType,
  kInconsistentAttributeType,
  kInconsistentAttributeVariability,
  kInternalAssetPath,
  kInvalidPrimPath,
  kInvalidAssetPath,
  kInvalidInstanceTargetPath,
  kInvalidExternalTargetPath,
  kInvalidTargetPath,
  kInvalidReferenceOffset,
  kInvalidSublayerOffset,
  kInvalidSublayerOwnership,
  kInvalidSublayerPath,
  kInvalidVariantSelection,
  kOpinionAtRelocationSource,
  kPrimPermissionDenied,
  kPropertyPermissionDenied,
  kSublayerCycle,
  kTargetPermissionDenied,
  kUnresolvedPrimPath,
  kVariableExpressionError,
  kInvalidAuthoredRelocation,
  kInvalidConflictingRelocation,
  kInvalidSameTargetRelocations,
  kMutedAssetPath,
};

// "ArcCycle" …
std::string_view CompositionErrorName(CompositionErrorType type);

struct CompositionError {
  CompositionErrorType type;
  Path path;            // the composed prim, empty for errors of a layer stack
  std::string message;  // names layer, site and asset, and says what to do
};

using CompositionErrors = std::vector<CompositionError>;

// Of one prim or layer stack; more say nothing new.
inline constexpr size_t kMaxCompositionErrors = 1000;
// Names and asset paths of any length are quoted in messages, which are cut in the middle.
inline constexpr size_t kMaxErrorMessage = 4096;

// Adds the error, with its message cut, unless there are as many as may be.
void AddCompositionError(CompositionError error, CompositionErrors* errors);

// What the errors take in memory beside the vector itself, for budgets.
size_t ByteSizeOf(const CompositionErrors& errors);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_COMPOSITION_ERROR_H_
