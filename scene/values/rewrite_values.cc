#include "scene/values/rewrite_values.h"

#include <utility>

#include "scene/values/dictionary.h"

namespace stagedoor {
namespace {

// Nothing if no value changes.
std::optional<Value> Rewritten(const Value& value, const ValueRewrite& rewrite) {
  const auto* dictionary = value.Get<Dictionary>();
  if (dictionary == nullptr) return rewrite(value);
  std::optional<Dictionary> out;
  for (const auto& [key, held] : *dictionary) {
    std::optional<Value> other = Rewritten(held, rewrite);
    if (!other) continue;
    if (!out) out = *dictionary;
    out->Set(key, *std::move(other));
  }
  if (!out) return std::nullopt;
  return Value(*std::move(out));
}

}  // namespace

Value RewriteValues(const Value& value, const ValueRewrite& rewrite) {
  return Rewritten(value, rewrite).value_or(value);
}

}  // namespace stagedoor
