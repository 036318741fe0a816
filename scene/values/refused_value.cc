#include "scene/values/refused_value.h"

#include "base/status.h"

namespace stagedoor {
namespace {

// Distinguishes refused values, because reasons of other invalid values begin with a file name.
constexpr std::string_view kRefused = "temporarily out of memory: ";

}  // namespace

Value RefusedValue(std::string_view reason) {
  return Value::Invalid(std::string(kRefused).append(reason));
}

bool IsRefused(const Value& value) { return value.invalid_reason().starts_with(kRefused); }

void FailIfRefused(RequestContext& context, const Value& value) {
  if (IsRefused(value)) context.Fail(ResourceExhaustedError(value.invalid_reason()));
}

}  // namespace stagedoor
