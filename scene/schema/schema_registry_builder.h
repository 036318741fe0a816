#ifndef STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_BUILDER_H_
#define STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_BUILDER_H_

#include <filesystem>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "scene/schema/plug_info.h"
#include "scene/schema/schema_registry.h"

namespace stagedoor {

// Collects schemas and builds a SchemaRegistry. Not thread-safe.
//
//   SchemaRegistryBuilder builder;  // has the built-in domains
//   for (const std::string& path : plugin_paths) SD_RETURN_IF_ERROR(builder.AddPlugins(path));
//   std::shared_ptr<const SchemaRegistry> registry = std::move(builder).Build();
class SchemaRegistryBuilder {
 public:
  // Starts with the schemas of OpenUSD's own domains.
  SchemaRegistryBuilder();
  ~SchemaRegistryBuilder();

  // Adds the schemas and metadata fields of a plugInfo.json, or of a folder with one, and of the
  // files that it includes. Reads the generatedSchema.usda of each plug-in. NOT_FOUND and
  // INVALID_ARGUMENT are returned for plugInfo.json files only; an invalid schema, field or plug-in
  // is left out and added to problems().
  absl::Status AddPlugins(const std::filesystem::path& path);

  // Errors in plug-ins, one per message, to be reported to the operator.
  const std::vector<std::string>& problems() const { return problems_; }

  std::shared_ptr<const SchemaRegistry> Build() &&;

 private:
  using Entry = SchemaRegistry::Entry;
  using Source = SchemaRegistry::Source;

  void AddTypes(const PlugInfo& plugin, Source* source);
  void AddPlugin(const PlugInfo& plugin);
  void ResolveBases();
  std::vector<Token> AutoAppliedTo(const Entry& entry) const;

  std::shared_ptr<SchemaRegistry> registry_;
  std::unordered_map<Token, std::vector<Token>> bases_;         // by type name
  std::unordered_map<Token, std::vector<Token>> auto_applied_;  // API schemas by target schema
  std::vector<std::string> problems_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_SCHEMA_REGISTRY_BUILDER_H_
