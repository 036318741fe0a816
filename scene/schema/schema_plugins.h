#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_PLUGINS_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_PLUGINS_H_

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace stagedoor {

// Whether schema plug-ins can be added: the errors of SchemaRegistryBuilder::AddPlugins for the
// first of `paths` that cannot. Reads all of their files.
absl::Status CheckSchemaPlugins(const std::vector<std::string>& paths);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_PLUGINS_H_
