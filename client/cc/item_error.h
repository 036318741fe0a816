#ifndef STAGEDOOR_CLIENT_CC_ITEM_ERROR_H_
#define STAGEDOOR_CLIENT_CC_ITEM_ERROR_H_

#include <string_view>

#include "absl/status/status.h"
#include "stagedoor/v1/errors.pb.h"
#include "stagedoor/v1/types.pb.h"

namespace stagedoor {

// Converts the error that a reply reports for one of its items. Never OK: UNKNOWN if the reply says
// that the error is none. ErrorReason returns its reason, as for a call.
absl::Status ItemError(const v1::ItemStatus& error);
// As ItemError, with the item's path in front of the message.
absl::Status ItemErrorAt(std::string_view path, const v1::ItemStatus& error);

// The error for an item with a state that this client does not know how to treat: UNIMPLEMENTED.
absl::Status UnknownStateError(v1::ItemState state);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CC_ITEM_ERROR_H_
