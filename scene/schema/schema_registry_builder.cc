#include "scene/schema/schema_registry_builder.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/paths/dictionary_order.h"
#include "scene/schema/builtin_schemas.h"
#include "scene/schema/schema_entry.h"
#include "scene/schema/schema_names.h"
#include "scene/schema/schema_source.h"
#include "scene/usda/usda_reader.h"

namespace stagedoor {
namespace {

namespace fs = std::filesystem;

constexpr uintmax_t kMaxSchemaFileBytes = 256 << 20;

absl::StatusOr<std::shared_ptr<const Layer>> ReadSchemaLayer(const fs::path& path) {
  std::error_code error;
  const uintmax_t size = fs::file_size(path, error);
  if (error) return NotFoundError(path.string(), ": ", error.message());
  if (size > kMaxSchemaFileBytes)
    return InvalidArgumentError(path.string(), ": exceeds the limit of 256 MiB");
  std::ifstream stream(path, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  Layer::Info info;
  info.identifier = info.resolved_path = path.string();
  info.format = "usda";
  auto layer = ReadUsda(text, std::move(info));
  if (!layer.ok()) return Annotate(layer.status(), path.string());
  return layer;
}

}  // namespace

SchemaRegistryBuilder::SchemaRegistryBuilder() : registry_(new SchemaRegistry) {
  // The text is embedded; a test ensures that it parses.
  const auto info = ParsePlugInfo(BuiltinPlugInfo(), fs::path());
  if (!info.ok()) return;
  for (const PlugInfo& plugin : info->plugins) {
    const auto files = BuiltinSchemaFiles();
    const auto file = std::find_if(files.begin(), files.end(),
                                   [&](const auto& f) { return f.domain == plugin.name; });
    if (file == files.end()) continue;
    auto source = std::make_unique<Source>();
    source->builtin_text = file->text;
    AddTypes(plugin, source.get());
    registry_->sources_.push_back(std::move(source));
  }
}

SchemaRegistryBuilder::~SchemaRegistryBuilder() = default;

absl::Status SchemaRegistryBuilder::AddPlugins(const fs::path& path) {
  SD_ASSIGN_OR_RETURN(const std::vector<PlugInfo> plugins, ReadPlugInfos(path));
  for (const PlugInfo& plugin : plugins) {
    for (const FieldDeclaration& field : plugin.metadata) {
      const std::string problem = registry_->plugin_fields_.Add(field);
      if (!problem.empty()) {
        problems_.push_back(Concat("schema plug-in ", plugin.name, ": ", problem));
      }
    }
    if (!plugin.types.empty()) AddPlugin(plugin);
  }
  return absl::OkStatus();
}

void SchemaRegistryBuilder::AddPlugin(const PlugInfo& plugin) {
  auto source = std::make_unique<Source>();
  // A plug-in may have types that are not schemas, and schemas without properties.
  const bool gives_properties =
      std::any_of(plugin.types.begin(), plugin.types.end(), [](const SchemaTypeDeclaration& type) {
        return type.kind && *type.kind != SchemaKind::kAbstractBase &&
               *type.kind != SchemaKind::kNonAppliedApi;
      });
  if (gives_properties) {
    auto layer = ReadSchemaLayer(plugin.resources / "generatedSchema.usda");
    if (layer.ok()) {
      source->layer = *std::move(layer);
    } else {
      problems_.push_back(Concat("schema plug-in ", plugin.name, ": ", Message(layer.status())));
    }
  }
  AddTypes(plugin, source.get());
  registry_->sources_.push_back(std::move(source));
}

void SchemaRegistryBuilder::AddTypes(const PlugInfo& plugin, Source* source) {
  for (const SchemaTypeDeclaration& type : plugin.types) {
    bases_.emplace(type.type_name, type.bases);
    if (!type.kind) continue;  // not a schema, or one of an unknown kind
    if (type.identifier.empty() || registry_->by_identifier_.contains(type.identifier) ||
        registry_->by_type_name_.contains(type.type_name)) {
      const std::string_view what =
          type.identifier.empty() ? " has no schema identifier" : " is defined twice";
      problems_.push_back(
          Concat("schema plug-in ", plugin.name, ": ", type.type_name.text(), what));
      continue;
    }
    auto entry = std::make_unique<Entry>();
    SchemaInfo& info = entry->info;
    info.identifier = type.identifier;
    info.type_name = type.type_name;
    const auto [family, version] = SplitSchemaVersion(type.identifier.text());
    info.family = Token(family);
    info.version = version;
    info.kind = *type.kind;
    entry->source = source;
    if (info.kind == SchemaKind::kSingleApplyApi) {
      for (const Token to : type.auto_apply_to) auto_applied_[to].push_back(type.identifier);
    }
    registry_->by_identifier_.emplace(info.identifier, entry.get());
    registry_->by_type_name_.emplace(info.type_name, entry.get());
    registry_->entries_.push_back(std::move(entry));
  }
}

// Sets the lineages and bases of all schemas. Types that are not schemas may be between them.
void SchemaRegistryBuilder::ResolveBases() {
  for (const auto& entry : registry_->entries_) {
    std::vector<Token> lineage = {entry->info.identifier};
    std::vector<Token> pending = {entry->info.type_name};
    // Terminates even if bases form a cycle.
    for (size_t i = 0; i < pending.size(); ++i) {
      const auto bases = bases_.find(pending[i]);
      if (bases == bases_.end()) continue;
      for (const Token base : bases->second) {
        if (std::find(pending.begin(), pending.end(), base) != pending.end()) continue;
        pending.push_back(base);
        const auto schema = registry_->by_type_name_.find(base);
        if (schema == registry_->by_type_name_.end()) continue;
        lineage.push_back(schema->second->info.identifier);
        if (!entry->base) entry->base = schema->second;
      }
    }
    entry->info.lineage = std::move(lineage);
  }
}

std::vector<Token> SchemaRegistryBuilder::AutoAppliedTo(const Entry& entry) const {
  std::vector<Token> apis;
  for (const Token schema : entry.info.lineage) {
    const auto it = auto_applied_.find(schema);
    if (it != auto_applied_.end()) apis.insert(apis.end(), it->second.begin(), it->second.end());
  }
  // As in OpenUSD, in reverse dictionary order.
  std::sort(apis.begin(), apis.end(), [](Token a, Token b) { return DictionaryLess()(b, a); });
  apis.erase(std::unique(apis.begin(), apis.end()), apis.end());
  return apis;
}

std::shared_ptr<const SchemaRegistry> SchemaRegistryBuilder::Build() && {
  ResolveBases();
  for (const auto& entry : registry_->entries_) {
    const SchemaInfo& info = entry->info;
    if (info.IsTyped() || info.kind == SchemaKind::kSingleApplyApi) {
      entry->auto_applied = AutoAppliedTo(*entry);
    }
  }
  return std::move(registry_);
}

}  // namespace stagedoor
