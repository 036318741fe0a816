#include "scene/composition/composition_error.h"

namespace stagedoor {

std::string_view CompositionErrorName(CompositionErrorType type) {
  switch (type) {
    case CompositionErrorType::kArcCycle:
      return "ArcCycle";
    case CompositionErrorType::kArcPermissionDenied:
      return "ArcPermissionDenied";
    case CompositionErrorType::kArcToProhibitedChild:
      return "ArcToProhibitedChild";
    case CompositionErrorType::kIndexCapacityExceeded:
      return "IndexCapacityExceeded";
    case CompositionErrorType::kArcCapacityExceeded:
      return "ArcCapacityExceeded";
    case CompositionErrorType::kArcNamespaceDepthCapacityExceeded:
      return "ArcNamespaceDepthCapacityExceeded";
    case CompositionErrorType::kInconsistentPropertyType:
      return "InconsistentPropertyType";
    case CompositionErrorType::kInconsistentAttributeType:
      return "InconsistentAttributeType";
    case CompositionErrorType::kInconsistentAttributeVariability:
      return "InconsistentAttributeVariability";
    case CompositionErrorType::kInternalAssetPath:
      return "InternalAssetPath";
    case CompositionErrorType::kInvalidPrimPath:
      return "InvalidPrimPath";
    case CompositionErrorType::kInvalidAssetPath:
      return "InvalidAssetPath";
    case CompositionErrorType::kInvalidInstanceTargetPath:
      return "InvalidInstanceTargetPath";
    case CompositionErrorType::kInvalidExternalTargetPath:
      return "InvalidExternalTargetPath";
    case CompositionErrorType::kInvalidTargetPath:
      return "InvalidTargetPath";
    case CompositionErrorType::kInvalidReferenceOffset:
      return "InvalidReferenceOffset";
    case CompositionErrorType::kInvalidSublayerOffset:
      return "InvalidSublayerOffset";
    case CompositionErrorType::kInvalidSublayerOwnership:
      return "InvalidSublayerOwnership";
    case CompositionErrorType::kInvalidSublayerPath:
      return "InvalidSublayerPath";
    case CompositionErrorType::kInvalidVariantSelection:
      return "InvalidVariantSelection";
    case CompositionErrorType::kOpinionAtRelocationSource:
      return "OpinionAtRelocationSource";
    case CompositionErrorType::kPrimPermissionDenied:
      return "PrimPermissionDenied";
    case CompositionErrorType::kPropertyPermissionDenied:
      return "PropertyPermissionDenied";
    case CompositionErrorType::kSublayerCycle:
      return "SublayerCycle";
    case CompositionErrorType::kTargetPermissionDenied:
      return "TargetPermissionDenied";
    case CompositionErrorType::kUnresolvedPrimPath:
      return "UnresolvedPrimPath";
    case CompositionErrorType::kVariableExpressionError:
      return "VariableExpressionError";
    case CompositionErrorType::kInvalidAuthoredRelocation:
      return "InvalidAuthoredRelocation";
    case CompositionErrorType::kInvalidConflictingRelocation:
      return "InvalidConflictingRelocation";
    case CompositionErrorType::kInvalidSameTargetRelocations:
      return "InvalidSameTargetRelocations";
    case CompositionErrorType::kMutedAssetPath:
      return "MutedAssetPath";
  }
  return "";
}

}  // namespace stagedoor
