#ifndef STAGEDOOR_SERVER_CONVERTERS_VALUE_PARSER_H_
#define STAGEDOOR_SERVER_CONVERTERS_VALUE_PARSER_H_

#include "absl/status/statusor.h"
#include "base/request_context.h"
#include "scene/values/list_op.h"
#include "scene/values/value.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {

// The value of a message of a client; empty if nothing is set. The inverse of FillValue. The memory
// of arrays is reserved in the context. Names and paths are interned: paths in the owner
// of the current RequestScope. A list edit without items has tokens.
//
// INVALID_ARGUMENT (WRONG_KIND) for what no client can author: values that cannot be decoded, are
// of unregistered fields or time samples, lists of mixed types, array edits, boxes; arrays that are
// not in the message; and (INVALID_FIELD) for packed bytes of another size than stated or of no
// type, malformed paths, asset paths and expressions, and values that nest too deeply.
absl::StatusOr<Value> ParseValue(RequestContext& context, const v1::Value& value);

// A list edit of paths. INVALID_ARGUMENT (INVALID_PATH) for other items.
absl::StatusOr<ListOp<Path>> ParsePathListOp(RequestContext& context, const v1::ListOp& op);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_VALUE_PARSER_H_
