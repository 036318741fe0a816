// The file format in applications that have Pcp's headers too: arguments come from metadata as
// well.
#if __has_include(<pxr/usd/pcp/dynamicFileFormatInterface.h>)
#include <pxr/usd/pcp/dynamicFileFormatContext.h>
#include <pxr/usd/pcp/dynamicFileFormatInterface.h>
#else
#include <pxr/pcp/dynamicFileFormatContext.h>
#include <pxr/pcp/dynamicFileFormatInterface.h>
#endif

#include <string>

#include "file_format.h"

namespace stagedoor::openusd {
namespace {

// The arguments that metadata of prims can be. plugInfo.json declares the fields.
constexpr const char* kComposedKeys[] = {"boundaries", "mask", "session",
                                         "snapshot",   "time", "variants"};

TfToken FieldOf(const std::string& key) { return TfToken("stagedoor_" + key); }

}  // namespace

// Where a layer is a payload, the metadata "stagedoor_KEY" of the prim that has the payload are
// arguments too, from whichever layer they come: OpenUSD reads another layer when they change.
// Thread-safe.
class DynamicFileFormat final : public FileFormat, public PcpDynamicFileFormatInterface {
 public:
  void ComposeFieldsForFileFormatArguments(const std::string& path,
                                           const PcpDynamicFileFormatContext& context,
                                           FileFormatArguments* arguments,
                                           VtValue* dependencies) const override;
  bool CanFieldChangeAffectFileFormatArguments(const TfToken& field, const VtValue& before,
                                               const VtValue& after,
                                               const VtValue& dependencies) const override;

 protected:
  template <typename T>
  friend class STAGEDOOR_USD::Sdf_FileFormatFactory;
  DynamicFileFormat() = default;
};

void DynamicFileFormat::ComposeFieldsForFileFormatArguments(
    const std::string&, const PcpDynamicFileFormatContext& context, FileFormatArguments* arguments,
    VtValue*) const {
  for (const std::string key : kComposedKeys) {
    VtValue value;
    if (!context.ComposeValue(FieldOf(key), &value) || !value.IsHolding<std::string>()) continue;
    (*arguments)[key] = value.UncheckedGet<std::string>();
  }
}

bool DynamicFileFormat::CanFieldChangeAffectFileFormatArguments(const TfToken&,
                                                                const VtValue& before,
                                                                const VtValue& after,
                                                                const VtValue&) const {
  return before != after;  // OpenUSD asks only about fields that were composed
}

TF_REGISTRY_FUNCTION(TfType) {
  SDF_DEFINE_FILE_FORMAT(DynamicFileFormat, SdfFileFormat, PcpDynamicFileFormatInterface);
}

}  // namespace stagedoor::openusd
