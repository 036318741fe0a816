// The resolver of URIs such as "stagedoor:/show/shot.usda". Each names a layer that FileFormat
// reads from the daemon rather than from a file.
#include <memory>
#include <string>

#include "asset_uri.h"
#include "stage_arguments.h"
#include "usd.h"

namespace stagedoor::openusd {

// Resolves each URI to itself. Assets on other machines, which a composed stage names by their own
// URIs, are read through the daemon. Thread-safe, without state.
class UriResolver final : public ArResolver {
 protected:
  std::string _CreateIdentifier(const std::string& path, const ArResolvedPath&) const override {
    return IsStagedoorUri(path) || SchemeLength(path) == 0 ? path : AssetUriOf(path);
  }
  std::string _CreateIdentifierForNewAsset(const std::string& path,
                                           const ArResolvedPath&) const override {
    return path;
  }
  ArResolvedPath _Resolve(const std::string& path) const override { return ArResolvedPath(path); }
  ArResolvedPath _ResolveForNewAsset(const std::string&) const override { return ArResolvedPath(); }
  // All of them are of one file format, whatever the extension of the root layer is.
  std::string _GetExtension(const std::string&) const override { return "stagedoor"; }
  // Constant: SdfLayer::Reload asks FileFormat whether a layer has changed.
  ArTimestamp _GetModificationTimestamp(const std::string&, const ArResolvedPath&) const override {
    return ArTimestamp(0);
  }
  std::shared_ptr<ArAsset> _OpenAsset(const ArResolvedPath&) const override { return nullptr; }
  bool _CanWriteAssetToPath(const ArResolvedPath&, std::string* why) const override {
    if (why != nullptr) *why = "stages of Stagedoor are read only";
    return false;
  }
  std::shared_ptr<ArWritableAsset> _OpenAssetForWrite(const ArResolvedPath&,
                                                      WriteMode) const override {
    return nullptr;
  }
};

AR_DEFINE_RESOLVER(UriResolver, ArResolver);

}  // namespace stagedoor::openusd
