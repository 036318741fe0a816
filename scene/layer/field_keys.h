#ifndef STAGEDOOR_SCENE_LAYER_FIELD_KEYS_H_
#define STAGEDOOR_SCENE_LAYER_FIELD_KEYS_H_

#include "scene/paths/token.h"

namespace stagedoor {

// clang-format off
#define STAGEDOOR_FIELDS(X)                                                                       \
  X(active)                                                                                       \
  X(allowedTokens) X(apiSchemas) X(arraySizeConstraint) X(assetInfo) X(clipSets) X(clips) X(      \
      colorConfiguration) X(colorManagementSystem) X(colorSpace) X(comment) X(connectionPaths)    \
      X(custom) X(customData) X(customLayerData) X(defaultPrim) X(displayGroup) X(                \
          displayGroupOrder) X(displayName) X(displayUnit) X(documentation) X(elementSize)        \
          X(endFrame) X(endTimeCode) X(expressionVariables) X(fallbackPrimTypes) X(               \
              framePrecision) X(framesPerSecond) X(hasOwnedSubLayers) X(hidden) X(inheritPaths)   \
              X(instanceable) X(interpolation) X(kind) X(layerRelocates) X(limits) X(             \
                  noLoadHint) X(owner) X(payload) X(permission) X(prefix) X(prefixSubstitutions)  \
                  X(primChildren) X(primOrder) X(properties) X(propertyOrder) X(references) X(    \
                      relocates) X(sessionOwner) X(specializes) X(specifier) X(spline)            \
                      X(startFrame) X(startTimeCode) X(subLayerOffsets) X(subLayers) X(suffix) X( \
                          suffixSubstitutions) X(symmetricPeer) X(symmetryArguments)              \
                          X(symmetryFunction) X(targetPaths) X(timeCodesPerSecond) X(timeSamples) \
                              X(typeName) X(uiHints) X(variability) X(variantChildren)            \
                                  X(variantSelection) X(variantSetChildren) X(variantSetNames)    \
                                      X(metersPerUnit) X(upAxis) X(kilogramsPerUnit) X(weight)    \
                                          X(unauthoredValuesIndex) X(constraintTargetIdentifier)  \
                                              X(inactiveIds) X(bindMaterialAs) X(connectability)  \
                                                  X(renderType) X(outputName) X(sdrMetadata)      \
                                                      X(renderSettingsPrimPath)
// clang-format on

// The names of the fields of the document model, interned once (Core Specification, section 7.6
// Core Metadata Fields, and fields of schema domains). Corresponds to OpenUSD's SdfFieldKeys.
// Thread-safe.
struct FieldKeys {
#define X(name) const Token name{#name};
  STAGEDOOR_FIELDS(X)
#undef X
  // Names that are not C++ identifiers.
  const Token default_{"default"};
};

const FieldKeys& Fields();

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_FIELD_KEYS_H_
