#include "file_format.h"

#include <memory>
#include <ostream>

#include "composed_data.h"
#include "connections.h"
#include "stage_arguments.h"

namespace stagedoor::openusd {
namespace {

// The largest .stagedoor file that is read: it only has arguments.
constexpr size_t kMaxBytes = 1 << 20;

// The text of a .stagedoor file; empty for a URI, which has none.
Result<std::string> ReadText(const std::string& path) {
  if (IsStagedoorUri(path)) return std::string();
  const std::shared_ptr<ArAsset> asset = ArGetResolver().OpenAsset(ArResolvedPath(path));
  if (asset == nullptr) return Failure{SD_NOT_FOUND, "the file cannot be opened"};
  if (asset->GetSize() > kMaxBytes) {
    return Failure{SD_INVALID_ARGUMENT,
                   "the file is larger than 1 MiB; expected lines KEY = VALUE"};
  }
  std::string text(asset->GetSize(), '\0');
  if (asset->Read(text.data(), text.size(), 0) == text.size()) return text;
  return Failure{SD_DATA_LOSS, "the file cannot be read"};
}

Result<SdfAbstractDataRefPtr> Open(const std::string& path, const ArgumentMap& given) {
  const Result<std::string> text = ReadText(path);
  if (!text.ok()) return text.failure();
  const Result<StageArguments> arguments = ParseStageArguments(path, *text, given);
  if (!arguments.ok()) return arguments.failure();
  const auto connection = Connections::OfProcess().Get(*arguments);
  if (!connection.ok()) return connection.failure();
  return ComposedData::Open(*connection, *arguments);
}

SdfFileFormatConstPtr Usda() { return SdfFileFormat::FindById(TfToken("usda")); }

}  // namespace

FileFormat::FileFormat()
    : SdfFileFormat(TfToken("stagedoor"), TfToken("1.0"), TfToken("usd"), "stagedoor") {}

bool FileFormat::CanRead(const std::string&) const { return true; }

bool FileFormat::Read(SdfLayer* layer, const std::string& path, bool) const {
  Result<SdfAbstractDataRefPtr> data = Open(path, layer->GetFileFormatArguments());
  if (!data.ok()) {
    TF_RUNTIME_ERROR("stagedoor: cannot open '%s': %s", path.c_str(),
                     data.failure().message.c_str());
    return false;
  }
  _SetLayerData(layer, *data, SdfLayerHints());
  layer->SetPermissionToEdit(false);
  layer->SetPermissionToSave(false);
  return true;
}

bool FileFormat::WriteToString(const SdfLayer& layer, std::string* text,
                               const std::string& comment) const {
  return Usda()->WriteToString(layer, text, comment);
}

bool FileFormat::WriteToStream(const SdfSpecHandle& spec, std::ostream& stream,
                               size_t indent) const {
  return Usda()->WriteToStream(spec, stream, indent);
}

std::set<std::string> FileFormat::GetExternalAssetDependencies(const SdfLayer& layer) const {
  const auto* const data = dynamic_cast<const ComposedData*>(get_pointer(_GetLayerData(layer)));
  if (data == nullptr) return {};
  return {"stagedoor:snapshot/" + data->FindNewestSnapshot()};  // a URI, which has a timestamp
}

TF_REGISTRY_FUNCTION(TfType) { SDF_DEFINE_FILE_FORMAT(FileFormat, SdfFileFormat); }

}  // namespace stagedoor::openusd
