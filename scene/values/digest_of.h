#ifndef STAGEDOOR_SCENE_VALUES_DIGEST_OF_H_
#define STAGEDOOR_SCENE_VALUES_DIGEST_OF_H_

#include <cstddef>
#include <optional>

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/values/array.h"
#include "scene/values/array_digest.h"
#include "scene/values/value_type.h"

namespace stagedoor {

// The digest of an array of numbers of `element_bytes` each. Nothing for small arrays and for those
// that only the caller holds, such as interpolated ones: their digest could not be used again.
//
// The digest of an array in a file costs nothing. That of an array in memory is computed from its
// elements the first time, about a millisecond for each megabyte, and remembered. Fails if the
// request is over by then.
absl::StatusOr<std::optional<ArrayDigest>> DigestOf(RequestContext& context, ValueType type,
                                                    const ArrayBase& array, size_t element_bytes);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_DIGEST_OF_H_
