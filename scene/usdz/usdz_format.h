// Packages (.usdz; Core Specification, "Package") for the layer registry.
//
// A package is a layer too: its first file. Files inside are addressed through the package resolver
// ("a.usdz[b.usd]"), which also anchors what a package's layers refer to.
#ifndef STAGEDOOR_SCENE_USDZ_USDZ_FORMAT_H_
#define STAGEDOOR_SCENE_USDZ_USDZ_FORMAT_H_

#include <vector>

#include "scene/layer/layer_format.h"

namespace stagedoor {

// Opens the first file with one of `inner` (crate and text), by its extension or, where that says
// nothing, by its content. The first file may be a package again, nested up to eight deep.
// INVALID_ARGUMENT where there is no first file, it is compressed, or no format reads it.
LayerFormat UsdzFormat(std::vector<LayerFormat> inner);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDZ_USDZ_FORMAT_H_
