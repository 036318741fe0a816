// The resolver of URIs such as "stagedoor-asset:/show/shot.usda": assets as they are stored, which
// the daemon reads. uri_resolver.cc has the one of composed stages.
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "asset_context.h"
#include "asset_source.h"
#include "asset_uri.h"
#include "daemon_asset.h"
#include "usd.h"

namespace stagedoor::openusd {
namespace {

bool IsAbsolute(const std::string& path) {
  return TfStringStartsWith(path, "/") || SchemeLength(path) != 0;
}
bool IsFileRelative(const std::string& path) {
  return TfStringStartsWith(path, "./") || TfStringStartsWith(path, "../");
}
std::string Normalized(const std::string& path) {
  const size_t scheme = SchemeLength(path);
  return path.substr(0, scheme) + TfNormPath(path.substr(scheme));
}

// A version as the time that OpenUSD compares: 52 bits of the fingerprint.
ArTimestamp TimestampOf(const std::string& version) {
  constexpr size_t kDigits = 13;
  return ArTimestamp(
      static_cast<double>(std::strtoull(version.substr(0, kDigits).c_str(), nullptr, 16)));
}

}  // namespace

// Resolves and opens assets as the daemon does: from files, servers, packages, with its caches.
// The daemon is that of the bound AssetContext, or else the default one. An asset that cannot be
// had for another reason than that it does not exist is reported as a warning. Thread-safe.
class AssetResolver final : public ArResolver {
 public:
  AssetResolver() : default_(std::make_shared<const AssetSource>(AssetArguments())) {}

 protected:
  std::string _CreateIdentifier(const std::string& path,
                                const ArResolvedPath& anchor) const override;
  std::string _CreateIdentifierForNewAsset(const std::string& path,
                                           const ArResolvedPath& anchor) const override {
    return _CreateIdentifier(path, anchor);
  }
  ArResolvedPath _Resolve(const std::string& path) const override;
  ArResolvedPath _ResolveForNewAsset(const std::string&) const override { return ArResolvedPath(); }
  ArTimestamp _GetModificationTimestamp(const std::string& path,
                                        const ArResolvedPath& resolved) const override;
  std::shared_ptr<ArAsset> _OpenAsset(const ArResolvedPath& resolved) const override;

  bool _IsContextDependentPath(const std::string& path) const override;
  ArResolverContext _CreateContextFromString(const std::string& text) const override;
  void _RefreshContext(const ArResolverContext& context) override;

  bool _CanWriteAssetToPath(const ArResolvedPath&, std::string* why) const override {
    if (why != nullptr) *why = "assets of Stagedoor are read only";
    return false;
  }
  std::shared_ptr<ArWritableAsset> _OpenAssetForWrite(const ArResolvedPath&,
                                                      WriteMode) const override {
    return nullptr;
  }

 private:
  const std::shared_ptr<const AssetSource>& Source() const {
    const auto* const context = _GetCurrentContextObject<AssetContext>();
    return context == nullptr ? default_ : context->source();
  }

  const std::shared_ptr<const AssetSource> default_;
};

AR_DEFINE_RESOLVER(AssetResolver, ArResolver);

namespace {

// Reports why an asset cannot be had, unless it does not exist.
void Warn(const std::string& path, const Failure& failure) {
  if (failure.code == SD_NOT_FOUND) return;
  TF_WARN("stagedoor: cannot find '%s': %s", path.c_str(), failure.message.c_str());
}

}  // namespace

std::string AssetResolver::_CreateIdentifier(const std::string& path,
                                             const ArResolvedPath& anchor) const {
  const std::string name = PathOfAssetUri(path);
  const std::string layer = PathOfAssetUri(anchor.GetPathString());
  if (name.empty()) return name;
  if (IsAbsolute(name)) return AssetUriOf(Normalized(name));
  if (IsFileRelative(name)) return AssetUriOf(Normalized(TfGetPathName(layer) + name));
  // A search path: beside the layer if there is such an asset, which the daemon knows.
  const Result<AssetReply> found = Source()->Find(name, layer);
  if (found.ok()) return AssetUriOf(found->identifier());
  Warn(name, found.failure());
  return AssetUriOf(name);
}

ArResolvedPath AssetResolver::_Resolve(const std::string& path) const {
  const std::string name = PathOfAssetUri(path);
  const Result<AssetReply> found = Source()->Find(name, /*anchor=*/"");
  if (found.ok()) return ArResolvedPath(AssetUriOf(found->resolved_path()));
  Warn(name, found.failure());
  return ArResolvedPath();
}

ArTimestamp AssetResolver::_GetModificationTimestamp(const std::string&,
                                                     const ArResolvedPath& resolved) const {
  const std::string name = PathOfAssetUri(resolved.GetPathString());
  const Result<AssetReply> found = Source()->Read(name, /*version=*/"", 0, 0);
  if (found.ok()) return TimestampOf(found->version());
  Warn(name, found.failure());
  return ArTimestamp();
}

std::shared_ptr<ArAsset> AssetResolver::_OpenAsset(const ArResolvedPath& resolved) const {
  const std::string name = PathOfAssetUri(resolved.GetPathString());
  const Result<std::shared_ptr<ArAsset>> asset = DaemonAsset::Open(Source(), name);
  if (asset.ok()) return *asset;
  Warn(name, asset.failure());
  return nullptr;
}

bool AssetResolver::_IsContextDependentPath(const std::string& path) const {
  const AssetArguments& arguments = Source()->arguments();
  return !arguments.pins.empty() || !arguments.pin_files.empty() ||
         !IsAbsolute(PathOfAssetUri(path));
}

ArResolverContext AssetResolver::_CreateContextFromString(const std::string& text) const {
  Result<AssetArguments> arguments = ParseAssetArguments(text);
  if (arguments.ok()) {
    return ArResolverContext(
        AssetContext(text, std::make_shared<const AssetSource>(std::move(*arguments))));
  }
  TF_RUNTIME_ERROR("stagedoor: not a context: %s", arguments.failure().message.c_str());
  return ArResolverContext();
}

void AssetResolver::_RefreshContext(const ArResolverContext& context) {
  // Nothing is kept, but paths may resolve to other assets by now, such as newer pins.
  if (const auto* const object = context.Get<AssetContext>()) {
    ArNotice::ResolverChanged(*object).Send();
  }
}

}  // namespace stagedoor::openusd
