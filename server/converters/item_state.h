#ifndef STAGEDOOR_SERVER_CONVERTERS_ITEM_STATE_H_
#define STAGEDOOR_SERVER_CONVERTERS_ITEM_STATE_H_

#include "scene/stage/property.h"
#include "scene/values/value.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor::server {

// The state of an item whose value a source returned as `value` at a time, provided that it could
// be read: VALUE, NONE or BLOCKED.
v1::ItemState StateOf(const Value& value, const AttributeSource& source);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_CONVERTERS_ITEM_STATE_H_
