#include "server/converters/item_state.h"

namespace stagedoor::server {
namespace {

// Whether a source that has no value at some time is blocked there, rather than without an opinion:
// if there are time samples, a spline or value clips, a time has no value only if it is blocked.
bool EmptyIsBlocked(const AttributeSource& source) {
  return source.blocked() || source.kind() == ResolveInfoSource::kTimeSamples ||
         source.kind() == ResolveInfoSource::kSpline ||
         source.kind() == ResolveInfoSource::kValueClips;
}

}  // namespace

v1::ItemState StateOf(const Value& value, const AttributeSource& source) {
  if (value.is_block()) return v1::ITEM_STATE_BLOCKED;
  if (!value.empty()) return v1::ITEM_STATE_VALUE;
  return EmptyIsBlocked(source) ? v1::ITEM_STATE_BLOCKED : v1::ITEM_STATE_NONE;
}

}  // namespace stagedoor::server
