#include "scene/stage/localize.h"

#include <filesystem>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "scene/layer/asset_uses.h"

namespace stagedoor {
namespace {

constexpr std::string_view kUdim = "<UDIM>";

// Gives every resolved file a name among the copies.
class NameTable {
 public:
  explicit NameTable(const std::string& root) : folder_(AssetDirectory(root)) {
    if (!folder_.empty() && folder_.back() != '/') folder_ += '/';
    NameOf(root);
  }

  const std::string& NameOf(const std::string& file) {
    std::string& name = names_[file];
    if (!name.empty()) return name;
    const bool below =
        file.size() > folder_.size() && file.compare(0, folder_.size(), folder_) == 0;
    const std::string base = file.substr(file.rfind('/') + 1);
    name = below ? file.substr(folder_.size()) : base;
    for (size_t folder = 0; below ? taken_.contains(name) : folder == 0 || taken_.contains(name);
         ++folder) {
      name = Concat(folder, '/', base);
    }
    taken_.insert(name);
    return name;
  }

 private:
  std::string folder_;
  std::unordered_map<std::string, std::string> names_;
  std::unordered_set<std::string> taken_;
};

// The path from the file `from` to the file `to`, both relative to the same folder.
std::string RelativePath(const std::string& from, const std::string& to) {
  const std::filesystem::path folder = std::filesystem::path("/" + from).parent_path();
  const std::string path =
      std::filesystem::path("/" + to).lexically_relative(folder).generic_string();
  return path.substr(0, 3) == "../" ? path : "./" + path;
}

class Localizer {
 public:
  Localizer(RequestContext& context, LayerRegistry& layers, const Dependencies& dependencies,
            const LocalizeOptions& options)
      : context_(context),
        layers_(layers),
        dependencies_(dependencies),
        options_(options),
        root_(OuterFile(dependencies.root->info().resolved_path)),
        names_(root_) {
    for (const Dependency& use : dependencies.uses) {
      if (!use.resolved.empty()) targets_[{use.from, use.authored}] = use.resolved;
    }
  }

  absl::StatusOr<std::vector<LocalizedFile>> Run() {
    SD_RETURN_IF_ERROR(Add(dependencies_.root->info().resolved_path, dependencies_.root.get()));
    for (const Dependency& use : dependencies_.uses) {
      if (!use.resolved.empty()) SD_RETURN_IF_ERROR(Add(use.resolved, use.layer.get()));
    }
    return std::move(files_);
  }

 private:
  static std::string OuterFile(const std::string& path) {
    return IsPackagePath(path) ? SplitPackagePathOuter(path).first : path;
  }

  absl::Status Add(const std::string& resolved, const Layer* layer) {
    SD_RETURN_IF_ERROR(context_.Check());
    const std::string file = OuterFile(resolved);
    if (!added_.insert(file).second) return absl::OkStatus();
    LocalizedFile out{.name = names_.NameOf(file)};
    const bool packaged = file != resolved || (layer && layer->info().format == "usdz");
    if (layer && !packaged) {
      SD_ASSIGN_OR_RETURN(out.content, Encode(*layer, out.name));
    } else {
      SD_ASSIGN_OR_RETURN(const auto asset, layers_.resolver().OpenAsset(context_, file));
      SD_ASSIGN_OR_RETURN(const PinnedBytes bytes,
                          ReadAll(context_, *asset, options_.max_bytes - bytes_));
      out.content = std::string(bytes.text());
    }
    bytes_ += out.content.size();
    if (bytes_ > options_.max_bytes) {
      return ResourceExhaustedError(file, ": more than ", options_.max_bytes, " bytes to localize");
    }
    files_.push_back(std::move(out));
    return absl::OkStatus();
  }

  absl::StatusOr<std::string> Encode(const Layer& layer, const std::string& name) {
    LayerBuilder copy = RewriteAssetUses(layer, [&](AssetUse use, const std::string& authored) {
      return use == AssetUse::kClipTemplate ? authored : Rewritten(layer, name, authored);
    });
    Layer::Info info = layer.info();
    return options_.encode(*std::move(copy).Build(std::move(info)), name);
  }

  std::string Rewritten(const Layer& layer, const std::string& name, const std::string& authored) {
    const size_t udim = authored.find(kUdim);
    if (udim == std::string::npos) return RewrittenFile(layer, name, authored, authored);
    // Any tile tells where all of them are.
    for (const auto& [key, resolved] : targets_) {
      const std::string& tile = key.second;
      if (key.first != layer.identifier() || tile.size() + 2 != authored.size() ||
          tile.compare(0, udim, authored, 0, udim) != 0 ||
          tile.substr(udim + 4) != authored.substr(udim + kUdim.size())) {
        continue;
      }
      std::string path = RewrittenFile(layer, name, tile, authored);
      const std::string number = tile.substr(udim, 4);
      const size_t at = path.rfind(number);
      if (at != std::string::npos) path.replace(at, number.size(), kUdim);
      return path;
    }
    return authored;
  }

  std::string RewrittenFile(const Layer& layer, const std::string& name, const std::string& path,
                            const std::string& otherwise) {
    const auto it = targets_.find({layer.identifier(), path});
    if (it == targets_.end()) return otherwise;
    const std::string file = OuterFile(it->second);
    const std::string relative = RelativePath(name, names_.NameOf(file));
    if (file == it->second) return relative;
    return JoinPackagePath(relative, SplitPackagePathOuter(it->second).second);
  }

  RequestContext& context_;
  LayerRegistry& layers_;
  const Dependencies& dependencies_;
  const LocalizeOptions& options_;
  const std::string root_;
  NameTable names_;
  std::map<std::pair<std::string, std::string>, std::string>
      targets_;  // by layer and authored path
  std::unordered_set<std::string> added_;
  std::vector<LocalizedFile> files_;
  uint64_t bytes_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<LocalizedFile>> Localize(RequestContext& context, LayerRegistry& layers,
                                                    const Dependencies& dependencies,
                                                    const LocalizeOptions& options) {
  return Localizer(context, layers, dependencies, options).Run();
}

}  // namespace stagedoor
