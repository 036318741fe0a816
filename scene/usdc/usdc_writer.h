// Writes layers as crate files.
//
// As OpenUSD does: version 0.8 unless a value needs a later one, nothing twice, compressed the same
// way. Plain arrays lie on multiples of eight bytes, so that readers can view them in place.
#ifndef STAGEDOOR_SCENE_USDC_USDC_WRITER_H_
#define STAGEDOOR_SCENE_USDC_USDC_WRITER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/byte_source.h"
#include "scene/layer/layer.h"

namespace stagedoor {

// The bytes of the file. Crates hold no single paths: they are written as tokens. Fields of other
// types that crates can't hold (a single reference) are left out, as OpenUSD does. DATA_LOSS for a
// value that is damaged in the file it comes from; the message names spec and field.
absl::StatusOr<std::string> WriteUsdc(const Layer& layer);

// The same bytes, made while they are read; errors come with them. What is held meanwhile are the
// layer and the file's tables, which are reserved with the context of the first reading. The values
// are gone through twice: a file begins with where its tables are.
ByteSourcePtr UsdcBytes(std::shared_ptr<const Layer> layer);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_USDC_WRITER_H_
