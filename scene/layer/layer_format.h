#ifndef STAGEDOOR_SCENE_LAYER_LAYER_FORMAT_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_FORMAT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "base/byte_source.h"
#include "base/request_context.h"
#include "resolver/asset.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// LayerFormat, LayerFormats: the file formats for layers and the choice among them.
//
// Core Specification, section 7.5 (Formats). The formats themselves are UsdaFormat, UsdcFormat and
// UsdzFormat, each in its package.

// A file format for layers. Corresponds to OpenUSD's SdfFileFormat.
struct LayerFormat {
  std::string name;                     // "usda"
  std::vector<std::string> extensions;  // without the dot
  // Whether content that begins with these bytes is in this format (CanRead); may be null, in which
  // case only the extension tells.
  std::function<bool(std::string_view first_bytes)> reads;
  // Reads a layer; may keep the asset mapped.
  std::function<absl::StatusOr<std::shared_ptr<const Layer>>(
      RequestContext&, const std::shared_ptr<const Asset>&, Layer::Info)>
      open;
  // The bytes of the layer in this format, made as they are read (WriteToFile).
  std::function<ByteSourcePtr(std::shared_ptr<const Layer>)> write;
};

// The formats that are known, and the only place that chooses one. Immutable and thread-safe.
class LayerFormats {
 public:
  explicit LayerFormats(std::vector<LayerFormat> formats) : formats_(std::move(formats)) {}

  // All formats, in the order in which FindForReading tries them.
  const std::vector<LayerFormat>& all() const { return formats_; }
  // The format that is called `name`; null if there is none.
  const LayerFormat* FindByName(std::string_view name) const;
  // The format that has `extension`; null if none has. "usd" stands for any format, and has none.
  const LayerFormat* FindByExtension(std::string_view extension) const;
  // The format in which a file of this name is written: that of its extension, crate for "usd", as
  // in OpenUSD. Null if no format has the extension.
  const LayerFormat* FindForWriting(std::string_view file_name) const;
  // The format of an asset that begins with `first_bytes`. Its extension decides; its content, if
  // the extension is "usd", or if the asset has a URI, whose extension need not tell. Null if no
  // format reads it.
  const LayerFormat* FindForReading(std::string_view resolved_path,
                                    std::string_view first_bytes) const;

 private:
  const std::vector<LayerFormat> formats_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_FORMAT_H_
