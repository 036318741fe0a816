#ifndef STAGEDOOR_CLIENT_OPENUSD_FILE_FORMAT_H_
#define STAGEDOOR_CLIENT_OPENUSD_FILE_FORMAT_H_

#include <set>
#include <string>

#include "usd.h"

namespace stagedoor::openusd {

// The file format of layers that show a composed stage of a daemon: files with the extension
// "stagedoor", and URIs "stagedoor:/show/shot.usda". Reading one opens the stage; ComposedData has
// its content. There is one object of this class, or of DynamicFileFormat, in a process.
// Thread-safe.
class FileFormat : public SdfFileFormat {
 public:
  bool CanRead(const std::string& path) const override;
  bool Read(SdfLayer* layer, const std::string& path, bool metadata_only) const override;
  // The text of usda.
  bool WriteToString(const SdfLayer& layer, std::string* text,
                     const std::string& comment) const override;
  bool WriteToStream(const SdfSpecHandle& spec, std::ostream& stream, size_t indent) const override;
  // Names the newest snapshot of the stage, so that SdfLayer::Reload reads a layer again if there
  // is a newer one than when it was read.
  std::set<std::string> GetExternalAssetDependencies(const SdfLayer& layer) const override;

 protected:
  // SDF_FILE_FORMAT_FACTORY_ACCESS, for a class outside of OpenUSD's namespace.
  template <typename T>
  friend class STAGEDOOR_USD::Sdf_FileFormatFactory;
  FileFormat();
};

}  // namespace stagedoor::openusd

#endif  // STAGEDOOR_CLIENT_OPENUSD_FILE_FORMAT_H_
