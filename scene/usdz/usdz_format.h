#ifndef STAGEDOOR_SCENE_USDZ_USDZ_FORMAT_H_
#define STAGEDOOR_SCENE_USDZ_USDZ_FORMAT_H_

#include <vector>

#include "scene/layer/layer_format.h"

namespace stagedoor {

// Packages (.usdz; Core Specification, 16.4 Package) as a LayerFormat. Corresponds to OpenUSD's
// SdfUsdzFileFormat.
//
// Opened as a layer, a package is its first file (16.4.1.2 Contents). Files inside are addressed
// through the package resolver ("a.usdz[b.usd]"), which also anchors the asset paths in their
// layers.

// Opens the first file with one of the formats `inner` (crate and text), chosen by its extension
// or, if that is ambiguous, by its content. The first file may itself be a package, nested up to
// eight levels deep. INVALID_ARGUMENT if the package is empty, its first file is compressed,
// or no format reads it.
LayerFormat UsdzFormat(std::vector<LayerFormat> inner);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDZ_USDZ_FORMAT_H_
