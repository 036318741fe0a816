// Reads crate files (.usdc): Core Specification, "Binary"; versions 0.4 to 0.16.
//
// Opening reads the tables and lays out the namespace; values are decoded when they are asked for,
// from the bytes, which stay mapped as long as the layer or any value that views into them lives.
// Values are what the file held when it was opened, or invalid; views of arrays are to be checked
// (SourceBytes) where others may write to the bytes.
// The layer is immutable and thread-safe as every layer is.
#ifndef STAGEDOOR_SCENE_USDC_USDC_READER_H_
#define STAGEDOOR_SCENE_USDC_USDC_READER_H_

#include <cstddef>
#include <memory>
#include <span>

#include "absl/status/statusor.h"
#include "base/byte_budget.h"
#include "scene/layer/layer.h"
#include "scene/values/ref_counted.h"

namespace stagedoor {

// True for bytes that begin as crate files do.
bool IsUsdc(std::span<const std::byte> bytes);

// `owner` keeps `bytes` where they are and as they are; null when they outlive the layer, whose
// arrays are copies then. `info.format` becomes "usdc"; messages name `info.resolved_path`, or
// `info.identifier` where that is empty.
//
// `expansions` pays for the arrays of numbers that take much more memory than the file, as long as
// they live: beyond it reading such a value gives a refused one (scene/values/refused_value.h).
// Without it each may take a GiB.
//
// INVALID_ARGUMENT for what is no crate file or has a version that is not read, DATA_LOSS for
// damage, RESOURCE_EXHAUSTED for tables out of all proportion to the file.
absl::StatusOr<std::shared_ptr<const Layer>> ReadUsdc(std::span<const std::byte> bytes,
                                                      RefPtr<const RefCounted> owner,
                                                      Layer::Info info,
                                                      std::shared_ptr<ByteBudget> expansions = {});

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_USDC_READER_H_
