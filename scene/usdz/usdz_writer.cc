#include "scene/usdz/usdz_writer.h"

#include <zlib.h>

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "resolver/asset_path.h"
#include "resolver/package/zip_writer.h"
#include "scene/usdc/usdc_writer.h"

namespace stagedoor {
namespace {

std::string RootName(const Layer& layer) {
  if (layer.info().anonymous) return "root.usdc";
  const auto [package, inside] = SplitPackageRelativePathInner(layer.identifier());
  const std::string_view path = inside.empty() ? package : inside;
  const size_t slash = path.rfind('/');
  std::string_view stem = slash == std::string_view::npos ? path : path.substr(slash + 1);
  stem = stem.substr(0, stem.rfind('.'));
  return stem.empty() ? "root.usdc" : Concat(stem, ".usdc");
}

class PackageSource final : public ByteSource {
 public:
  explicit PackageSource(std::vector<GeneratedFile> files)
      : files_(std::move(files)), writer_([this](std::string_view bytes) {
          out_->append(bytes);
          return absl::OkStatus();
        }) {}

  absl::StatusOr<bool> Next(RequestContext& context, size_t bytes, std::string* out) override {
    out_ = out;
    const size_t start = out->size();
    while (out->size() == start && !finished_) SD_RETURN_IF_ERROR(Advance(context, bytes));
    return out->size() != start;
  }

 private:
  static constexpr size_t kPiece = size_t{1} << 20;

  static uint32_t AddToCrc(uint32_t crc, std::string_view bytes) {
    return static_cast<uint32_t>(
        crc32_z(crc, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size()));
  }

  absl::Status Advance(RequestContext& context, size_t bytes) {
    if (content_ != nullptr) return Continue(context, bytes);
    if (file_ == files_.size()) {
      finished_ = true;
      return writer_.Finish();
    }
    SD_RETURN_IF_ERROR(Measure(context));
    SD_RETURN_IF_ERROR(writer_.Begin(files_[file_].name, left_, crc_));
    SD_ASSIGN_OR_RETURN(content_, files_[file_].open(context));
    written_crc_ = 0;
    return absl::OkStatus();
  }

  // Computes the size and checksum of the current file.
  absl::Status Measure(RequestContext& context) {
    SD_ASSIGN_OR_RETURN(const ByteSourcePtr content, files_[file_].open(context));
    left_ = 0;
    crc_ = 0;
    for (std::string piece;; piece.clear()) {
      SD_RETURN_IF_ERROR(context.Check());
      SD_ASSIGN_OR_RETURN(const bool more, content->Next(context, kPiece, &piece));
      if (!more) return absl::OkStatus();
      left_ += piece.size();
      crc_ = AddToCrc(crc_, piece);
    }
  }

  absl::Status Continue(RequestContext& context, size_t bytes) {
    std::string piece;
    SD_ASSIGN_OR_RETURN(const bool more, content_->Next(context, bytes, &piece));
    if (more && piece.size() <= left_) {
      left_ -= piece.size();
      written_crc_ = AddToCrc(written_crc_, piece);
      return writer_.Append(piece);
    }
    if (more || left_ != 0 || written_crc_ != crc_) {
      return DataLossError(files_[file_].name, ": the file changed while it was being packed");
    }
    content_ = nullptr;
    ++file_;
    return absl::OkStatus();
  }

  const std::vector<GeneratedFile> files_;
  std::string* out_ = nullptr;
  ZipWriter writer_;
  size_t file_ = 0;
  bool finished_ = false;
  // State of the current file.
  ByteSourcePtr content_;
  uint64_t left_ = 0;
  uint32_t crc_ = 0;
  uint32_t written_crc_ = 0;
};

}  // namespace

absl::StatusOr<std::string> WriteUsdz(const Layer& layer, std::string_view root_name,
                                      std::span<const PackageFile> files) {
  SD_ASSIGN_OR_RETURN(const std::string root, WriteUsdc(layer));
  std::string package;
  ZipWriter writer([&package](std::string_view bytes) {
    package += bytes;
    return absl::OkStatus();
  });
  SD_RETURN_IF_ERROR(writer.Add(root_name, std::string_view(root)));
  for (const PackageFile& file : files) SD_RETURN_IF_ERROR(writer.Add(file.name, file.content));
  SD_RETURN_IF_ERROR(writer.Finish());
  return package;
}

ByteSourcePtr PackageBytes(std::vector<GeneratedFile> files) {
  return std::make_unique<PackageSource>(std::move(files));
}

ByteSourcePtr UsdzBytes(std::shared_ptr<const Layer> layer) {
  std::string name = RootName(*layer);
  const auto open = [layer = std::move(layer)](RequestContext&) -> absl::StatusOr<ByteSourcePtr> {
    return UsdcBytes(layer);
  };
  return PackageBytes({{.name = std::move(name), .open = open}});
}

absl::StatusOr<std::string> WriteUsdz(const Layer& layer) {
  return WriteUsdz(layer, RootName(layer), {});
}

}  // namespace stagedoor
