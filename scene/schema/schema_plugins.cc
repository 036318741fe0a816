#include "scene/schema/schema_plugins.h"

#include "base/status_macros.h"
#include "scene/schema/schema_registry_builder.h"

namespace stagedoor {

absl::Status CheckSchemaPlugins(const std::vector<std::string>& paths) {
  SchemaRegistryBuilder builder;
  for (const std::string& path : paths) SD_RETURN_IF_ERROR(builder.AddPlugins(path));
  return absl::OkStatus();
}

}  // namespace stagedoor
