#include "scene/shade/value_producers.h"

#include <algorithm>
#include <utility>

#include "scene/shade/connections.h"

namespace stagedoor {
namespace {

using Reason = ConnectionProblem::Reason;

bool IsSame(const Attribute& a, const Attribute& b) {
  return a.name() == b.name() && a.prim() == b.prim();
}

}  // namespace

std::vector<Attribute> ValueProducers::Find(const Attribute& attribute, bool outputs_only) {
  outputs_only_ = outputs_only;
  followed_ = 0;
  chain_.clear();
  found_.clear();
  Collect(attribute);
  return std::exchange(found_, {});
}

// Appends the attributes that `attribute` has its value from. Returns whether there are any.
bool ValueProducers::Collect(const Attribute& attribute) {
  if (!MayEnter(attribute)) return false;
  chain_.push_back(attribute);
  std::vector<Path> invalid;
  bool found = false;
  for (const Attribute& source : ConnectedSources(context_, attribute, &invalid)) {
    if (!MayFollow()) break;
    found |= CollectFrom(source);
  }
  chain_.pop_back();
  for (const Path source : invalid) {
    problems_.Add({.attribute = attribute.path(), .source = source, .reason = Reason::kNoSource});
  }
  if (found || outputs_only_ || !attribute.HasAuthoredValue(context_)) return found;
  found_.push_back(attribute);
  return true;
}

// Appends those of the source of a connection. No connection leads to the inputs of a shader: they
// are its own.
bool ValueProducers::CollectFrom(const Attribute& source) {
  if (IsContainer(source.prim())) return Collect(source);
  if (IsInput(source.name())) return false;
  found_.push_back(source);
  return true;
}

// Whether the connections of `attribute` may be followed: neither those that led to it, nor too
// many after each other.
bool ValueProducers::MayEnter(const Attribute& attribute) {
  if (!pacer_.Go(static_cast<int64_t>(chain_.size() + 1))) return false;
  const bool is_cycle = std::any_of(chain_.begin(), chain_.end(), [&](const Attribute& above) {
    return IsSame(above, attribute);
  });
  if (is_cycle) {
    problems_.Add({.attribute = attribute.path(), .source = {}, .reason = Reason::kCycle});
    return false;
  }
  if (chain_.size() < kMaxDepth) return true;
  problems_.Add({.attribute = chain_.front().path(), .source = {}, .reason = Reason::kTooLarge});
  return false;
}

bool ValueProducers::MayFollow() {
  if (!pacer_.Go()) return false;
  if (++followed_ <= kMaxFollowed) return true;
  problems_.Add({.attribute = chain_.front().path(), .source = {}, .reason = Reason::kTooLarge});
  return false;
}

}  // namespace stagedoor
