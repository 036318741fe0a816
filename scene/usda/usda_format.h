#ifndef STAGEDOOR_SCENE_USDA_USDA_FORMAT_H_
#define STAGEDOOR_SCENE_USDA_USDA_FORMAT_H_

#include "scene/layer/layer_format.h"
#include "scene/layer/plugin_fields.h"

namespace stagedoor {

// The text format (.usda) as a LayerFormat.

// Corresponds to OpenUSD's SdfUsdaFileFormat. `fields` are the metadata fields that plug-ins
// define; null if there are none. They must outlive the format.
LayerFormat UsdaFormat(const PluginFields* fields = nullptr);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDA_USDA_FORMAT_H_
