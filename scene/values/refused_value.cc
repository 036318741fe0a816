#include "scene/values/refused_value.h"

#include "base/status.h"

namespace stagedoor {
namespace {

// Reasons of other invalid values begin with the name of a file.
constexpr std::string_view kRefused = "no memory at present: ";

}  // namespace

Value RefusedValue(std::string_view reason) {
  return Value::Invalid(std::string(kRefused).append(reason));
}

bool IsRefused(const Value& value) { return value.invalid_reason().starts_with(kRefused); }

void FailIfRefused(RequestContext& context, const Value& value) {
  if (IsRefused(value)) context.Fail(ResourceExhaustedError(value.invalid_reason()));
}

}  // namespace stagedoor
