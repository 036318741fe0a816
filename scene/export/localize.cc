#include "scene/export/localize.h"

#include <array>
#include <filesystem>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/asset_path.h"
#include "scene/layer/asset_dependencies.h"
#include "scene/paths/identifier.h"

namespace stagedoor {
namespace {

std::string FolderOf(std::string_view file) {
  return std::string(file.substr(0, file.rfind('/') + 1));
}

std::string BaseOf(std::string_view file) { return std::string(file.substr(file.rfind('/') + 1)); }

// Returns `name` in a form that replies and layers can hold. If it is not valid UTF-8, each invalid
// byte becomes "%XX", and so does "%" itself to keep the result unambiguous.
std::string AsText(std::string name) {
  if (IsValidUtf8(name)) return name;
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string text;
  for (size_t at = 0; at < name.size();) {
    uint32_t code_point;
    const size_t length = name[at] == '%' ? 0 : DecodeUtf8(name, at, &code_point);
    if (length == 0) {
      const auto byte = static_cast<unsigned char>(name[at]);
      text += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    text.append(name, at, length);
    at += length != 0 ? length : 1;
  }
  return text;
}

// Whether a dependency can be copied: a directory cannot, as in OpenUSD.
bool IsFile(const Dependency& use) { return !use.resolved.empty() && !use.directory; }

// Assigns names to the copies. Files below the root layer's folder keep their relative path; each
// other folder becomes a numbered folder, so that files that were in the same folder still are.
class NameTable {
 public:
  NameTable(const std::string& root, const std::vector<std::string>& files)
      : root_folder_(FolderOf(root)) {
    for (const std::string& file : files) {
      // Numbered folders must not collide with names in the root layer's folder.
      if (Below(file)) taken_.insert(file.substr(root_folder_.size(), TopLength(file)));
    }
  }

  std::string NameOf(const std::string& file) {
    if (Below(file)) return AsText(file.substr(root_folder_.size()));
    std::string& folder = folders_[FolderOf(file)];
    while (folder.empty()) {
      std::string number = std::to_string(next_++);
      if (!taken_.contains(number)) folder = std::move(number);
    }
    return Concat(folder, '/', AsText(BaseOf(file)));
  }

 private:
  bool Below(const std::string& file) const {
    return file.size() > root_folder_.size() && file.starts_with(root_folder_);
  }
  // Length of the first path element below the root layer's folder.
  size_t TopLength(const std::string& file) const {
    const size_t slash = file.find('/', root_folder_.size());
    return slash == std::string::npos ? slash : slash - root_folder_.size();
  }

  const std::string root_folder_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::string> folders_;
  size_t next_ = 0;
};

// The path from the file `from` to the file `to`, both relative to the same folder.
std::string RelativePath(const std::string& from, const std::string& to) {
  const std::filesystem::path folder = std::filesystem::path("/" + from).parent_path();
  const std::string path =
      std::filesystem::path("/" + to).lexically_relative(folder).generic_string();
  return path.substr(0, 3) == "../" ? path : "./" + path;
}

// Copies the files and rewrites the asset paths in layers.
class Localizer {
 public:
  Localizer(RequestContext& context, LayerRegistry& layers, const ResolverContext& resolver_context,
            const Dependencies& dependencies, const LocalizeOptions& options)
      : context_(context),
        layers_(layers),
        resolver_context_(resolver_context),
        dependencies_(dependencies),
        options_(options),
        names_(OuterFile(dependencies.root->info().resolved_path), FilesOf(dependencies)) {
    for (const Dependency& use : dependencies.uses) {
      if (IsFile(use)) targets_.emplace(std::pair(use.from, use.written), &use);
    }
  }

  absl::StatusOr<std::vector<LocalizedFile>> Run() {
    SD_RETURN_IF_ERROR(Add(dependencies_.root->info().resolved_path, dependencies_.root.get()));
    for (const Dependency& use : dependencies_.uses) {
      if (IsFile(use)) SD_RETURN_IF_ERROR(Add(use.resolved, use.layer.get()));
    }
    return std::move(files_);
  }

 private:
  static std::string OuterFile(const std::string& path) {
    return IsPackageRelativePath(path) ? SplitPackageRelativePathOuter(path).first : path;
  }

  static std::vector<std::string> FilesOf(const Dependencies& dependencies) {
    std::vector<std::string> files = {OuterFile(dependencies.root->info().resolved_path)};
    for (const Dependency& use : dependencies.uses) {
      if (IsFile(use)) files.push_back(OuterFile(use.resolved));
    }
    return files;
  }

  absl::Status Add(const std::string& resolved, const Layer* layer) {
    SD_RETURN_IF_ERROR(context_.Check());
    const std::string file = OuterFile(resolved);
    if (!added_.insert(file).second) return absl::OkStatus();
    LocalizedFile out{.name = names_.NameOf(file)};
    if (!used_names_.insert(out.name).second) {
      return FailedPreconditionError(Quoted(file), ": the name of its copy, '", out.name,
                                     "', is taken by another file");
    }
    SD_ASSIGN_OR_RETURN(const auto asset,
                        layers_.resolver().OpenAsset(context_, resolver_context_, file));
    SD_ASSIGN_OR_RETURN(const bool package, IsPackage(*asset));
    if (layer != nullptr && !package) {
      SD_ASSIGN_OR_RETURN(out.content, Encode(*layer, out.name));
    } else {
      SD_ASSIGN_OR_RETURN(out.content, Copy(*asset));
    }
    bytes_ += out.content.size();
    if (bytes_ > options_.max_bytes) {
      return ResourceExhaustedError(file, ": the localized files exceed the limit of ",
                                    options_.max_bytes, " bytes");
    }
    files_.push_back(std::move(out));
    return absl::OkStatus();
  }

  // A package is copied as a file: as a layer, it would be reduced to its default layer.
  absl::StatusOr<bool> IsPackage(const Asset& asset) {
    std::array<char, 4> head = {};
    SD_RETURN_IF_ERROR(asset.Read(context_, 0, std::as_writable_bytes(std::span(head))).status());
    return std::string_view(head.data(), head.size()) == std::string_view("PK\3\4", 4);
  }

  absl::StatusOr<std::string> Copy(const Asset& asset) {
    SD_ASSIGN_OR_RETURN(const PinnedBytes bytes,
                        ReadAll(context_, asset, options_.max_bytes - bytes_));
    std::string copy(bytes.text());
    SD_RETURN_IF_ERROR(asset.Check());  // DATA_LOSS if it changed while it was read
    return copy;
  }

  absl::StatusOr<std::string> Encode(const Layer& layer, const std::string& name) {
    LayerBuilder copy = ModifyAssetPaths(layer, [&](DependencyType, const std::string& written) {
      return Rewritten(layer, name, written);
    });
    Layer::Info info = layer.info();
    return options_.encode(*std::move(copy).Build(std::move(info)), name);
  }

  // Rewrites the asset path `written` of a layer to lead from the copy `name` of the layer to the
  // copy of the asset. Of a clip template or a path with <UDIM>, only the folder is rewritten,
  // because all of its files go to the same folder.
  std::string Rewritten(const Layer& layer, const std::string& name, const std::string& written) {
    const auto it = targets_.find({layer.identifier(), written});
    if (it == targets_.end()) return written;
    const Dependency& use = *it->second;
    const std::string file = OuterFile(use.resolved);
    const std::string path = RelativePath(name, names_.NameOf(file));
    const bool pattern = use.evaluated != use.authored;
    if (file != use.resolved) {
      const std::string& inside =
          pattern && IsPackageRelativePath(use.evaluated) ? use.evaluated : use.resolved;
      return JoinPackageRelativePath(path, SplitPackageRelativePathOuter(inside).second);
    }
    return pattern ? FolderOf(path) + AsText(BaseOf(use.evaluated)) : path;
  }

  RequestContext& context_;
  LayerRegistry& layers_;
  const ResolverContext& resolver_context_;
  const Dependencies& dependencies_;
  const LocalizeOptions& options_;
  NameTable names_;
  // Dependencies by identifier of the layer and authored path.
  std::map<std::pair<std::string, std::string>, const Dependency*> targets_;
  std::unordered_set<std::string> added_;
  std::unordered_set<std::string> used_names_;
  std::vector<LocalizedFile> files_;
  uint64_t bytes_ = 0;
};

}  // namespace

absl::StatusOr<std::vector<LocalizedFile>> Localize(RequestContext& context, LayerRegistry& layers,
                                                    const ResolverContext& resolver_context,
                                                    const Dependencies& dependencies,
                                                    const LocalizeOptions& options) {
  return Localizer(context, layers, resolver_context, dependencies, options).Run();
}

}  // namespace stagedoor
