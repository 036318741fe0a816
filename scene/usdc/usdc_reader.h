#ifndef STAGEDOOR_SCENE_USDC_USDC_READER_H_
#define STAGEDOOR_SCENE_USDC_USDC_READER_H_

#include <cstddef>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "base/memory_pool.h"
#include "scene/layer/layer.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// Reads crate files (.usdc; Core Specification, 16.3 Binary), versions 0.4 to 0.16. The
// specification describes versions up to 0.12; the later versions are those of OpenUSD.
//
// Opening reads the tables and lays out the namespace. Values are decoded on request from the
// bytes, which stay mapped as long as the layer or any value that views into them lives. A value is
// either the one that the file held when it was opened, or invalid. If other programs may write to
// the bytes, views of arrays must be checked after use (SourceBytes). Like every layer, the layer
// is immutable and thread-safe.

// True if the bytes begin like a crate file.
bool IsUsdc(std::span<const std::byte> bytes);

// `owner` keeps `bytes` alive and, unless it is a SourceBytes, unchanged. It may be null if the
// bytes outlive the layer, in which case arrays are copied. `info.format` becomes "usdc". Messages
// name `info.resolved_path`, or `info.identifier` if that is empty.
//
// `expansions` is charged for arrays of numbers that take much more memory than the file, for as
// long as they live. A value that exceeds it is refused (scene/values/refused_value.h). It may be
// null, in which case each such array may take up to 1 GiB.
//
// INVALID_ARGUMENT if the bytes are not a crate file or have an unsupported version, DATA_LOSS if
// they are damaged, RESOURCE_EXHAUSTED if the tables would take far more memory than the file.
absl::StatusOr<std::shared_ptr<const Layer>> ReadUsdc(std::span<const std::byte> bytes,
                                                      RefPtr<const RefCounted> owner,
                                                      Layer::Info info,
                                                      std::shared_ptr<MemoryPool> expansions = {});

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_USDC_READER_H_
