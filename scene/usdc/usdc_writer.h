#ifndef STAGEDOOR_SCENE_USDC_USDC_WRITER_H_
#define STAGEDOOR_SCENE_USDC_USDC_WRITER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/byte_source.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// Writes layers as crate files (Core Specification, 16.3 Binary). Thread-safe.
//
// As in OpenUSD, the version is 0.8 unless a value needs a later one, equal values are written
// once, and data is compressed in the same way. Uncompressed arrays are aligned to eight bytes
// (16.3.3 Alignment), so that readers can view them in place.

// Returns the bytes of the file. Crates cannot hold single paths, which are written as tokens. As
// in OpenUSD, fields of other types that crates cannot hold (a single reference, for example) are
// left out. INVALID_ARGUMENT for a variant set or variant without a name, DATA_LOSS for a value
// that is damaged in the file that it comes from, RESOURCE_EXHAUSTED for one whose memory was
// refused; the message names spec and field.
absl::StatusOr<std::string> WriteUsdc(const Layer& layer);

// The bytes of WriteUsdc, generated while they are read; errors are reported by the reads.
// Meanwhile, the source holds the layer and the tables of the file, whose memory is reserved with
// the context of the first read. The values are traversed twice, because a file begins with the
// offset of its tables.
ByteSourcePtr UsdcBytes(std::shared_ptr<const Layer> layer);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_USDC_WRITER_H_
