// Values that there was no memory for: invalid now, but asking again later may give them. Whoever
// gets one on behalf of a request fails the request, so that nothing is kept of it.
#ifndef STAGEDOOR_SCENE_VALUES_REFUSED_VALUE_H_
#define STAGEDOOR_SCENE_VALUES_REFUSED_VALUE_H_

#include <string>
#include <string_view>

#include "base/request_context.h"
#include "scene/values/value.h"

namespace stagedoor {

// An Invalid value that IsRefused; its reason is `reason` behind a few words.
Value RefusedValue(std::string_view reason);
bool IsRefused(const Value& value);

// Ends the request with RESOURCE_EXHAUSTED if the value was refused.
void FailIfRefused(RequestContext& context, const Value& value);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_REFUSED_VALUE_H_
