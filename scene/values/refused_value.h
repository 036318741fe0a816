#ifndef STAGEDOOR_SCENE_VALUES_REFUSED_VALUE_H_
#define STAGEDOOR_SCENE_VALUES_REFUSED_VALUE_H_

#include <string>
#include <string_view>

#include "base/request_context.h"
#include "scene/values/value.h"

namespace stagedoor {

// Refused values: invalid values that could not be decoded because memory was short, so that a
// later attempt may succeed. Code that gets one on behalf of a request must fail the request, so
// that no result derived from it is cached.

// An Invalid value for which IsRefused is true. Its reason is `reason` with a prefix.
Value RefusedValue(std::string_view reason);
bool IsRefused(const Value& value);

// Fails the request with RESOURCE_EXHAUSTED if the value was refused.
void FailIfRefused(RequestContext& context, const Value& value);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_VALUES_REFUSED_VALUE_H_
