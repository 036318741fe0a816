#ifndef STAGEDOOR_SCENE_COMPOSITION_COMPOSITION_ERROR_H_
#define STAGEDOOR_SCENE_COMPOSITION_COMPOSITION_ERROR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "scene/layer/layer.h"
#include "scene/paths/path.h"

namespace stagedoor {

// Composition errors (Core Specification, 10.6 Composition Errors): part of the result of
// composing, never a failure of it. The faulty operator is ignored and the others are evaluated.

// Corresponds to OpenUSD's PcpErrorType; the names are the same without the prefix.
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

// The name by which OpenUSD's TfEnum and our goldens know a type, such as "ArcCycle".
std::string_view CompositionErrorName(CompositionErrorType type);

// Corresponds to OpenUSD's PcpErrorBase.
struct CompositionError {
  CompositionErrorType type;
  Path path;            // the composed prim; empty for errors of a layer stack
  std::string message;  // names the layer, site and asset, and what to do about it
  // For assets that could not be opened: the identifiers under which they were looked for, none
  // longer than kMaxErrorMessage. The error may be gone once what is there has changed.
  std::vector<std::string> places = {};
};

using CompositionErrors = std::vector<CompositionError>;

// The most errors kept of one prim or layer stack; further ones are dropped.
inline constexpr size_t kMaxCompositionErrors = 1000;
// The most bytes of a message. Messages quote names and asset paths of any length, so longer ones
// are truncated in the middle.
inline constexpr size_t kMaxErrorMessage = 4096;

// Adds an error, its message truncated to the limit. Dropped once `errors` is full.
void AddCompositionError(CompositionError error, CompositionErrors* errors);

// CompositionError::places of the asset `identifier`, authored as `asset_path` in `layer`: a search
// path may lead to an asset beside the layer, once there is one.
std::vector<std::string> PlacesOf(const std::string& identifier, const std::string& asset_path,
                                  const Layer& layer);

// The heap memory of the errors, without the vector object itself.
size_t ByteSizeOf(const CompositionErrors& errors);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_COMPOSITION_COMPOSITION_ERROR_H_
