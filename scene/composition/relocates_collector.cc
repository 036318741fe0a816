#include "scene/composition/relocates_collector.h"

#include <set>

#include "base/strings.h"
#include "scene/layer/field_keys.h"
#include "scene/values/value_type.h"

namespace stagedoor {
namespace {

// Including the pseudo-root.
bool IsRootPrim(Path path) { return path.depth() <= 1; }

std::string_view PathFault(Path path) {
  if (!path.IsAbsolute()) return "paths must be absolute";
  if (path.ContainsVariantSelection()) return "paths must not contain variant selections";
  if (!path.IsPrim()) return "only prims can be relocated";
  return {};
}

}  // namespace

// The restrictions of 10.3.2.6 that concern one relocate.
std::string_view RelocationFault(Path source, Path target) {
  if (const std::string_view fault = PathFault(source); !fault.empty()) return fault;
  if (IsRootPrim(source)) return "root prims cannot be relocated";
  if (target.empty()) return {};  // a deletion, which OpenUSD allows
  if (const std::string_view fault = PathFault(target); !fault.empty()) return fault;
  if (source == target) return "the source and the target are the same";
  if (target.HasPrefix(source)) return "the target is below the source";
  if (source.HasPrefix(target)) return "the target is an ancestor of the source";
  return {};
}

void RelocatesCollector::AddLayer(const Layer& layer) {
  const Value value = layer.Get(kRootSpec, Fields().layerRelocates);
  const Relocates* relocates = value.Get<Relocates>();
  if (!relocates) return;
  for (const auto& [authored_source, authored_target] : *relocates) {
    // Layer metadata belongs to the pseudo-root, so relative paths are anchored there.
    const Path root = Path::AbsoluteRoot();
    const Path source = authored_source.empty() ? Path() : authored_source.MakeAbsolute(root);
    const Path target = authored_target.empty() ? Path() : authored_target.MakeAbsolute(root);
    if (const std::string_view fault = RelocationFault(source, target); !fault.empty()) {
      AddCompositionError({CompositionErrorType::kInvalidAuthoredRelocation, Path(),
                           Concat(layer.identifier(), ": cannot relocate <", source.ToString(),
                                  "> to <", target.ToString(), ">: ", fault)},
                          &errors_);
      continue;
    }
    // Keeps the target of a stronger layer.
    by_source_.emplace(source, target);
  }
}

// 10.3.2.6: each target may have only one source. Which one is meant cannot be known, so all are
// dropped.
void RelocatesCollector::DropSameTargets() {
  std::map<Path, std::vector<Path>> sources;
  for (const auto& [source, target] : by_source_) {
    if (!target.empty()) sources[target].push_back(source);
  }
  for (const auto& [target, same] : sources) {
    if (same.size() < 2) continue;
    std::string list;
    for (const Path source : same) {
      // The message would be truncated anyway.
      if (list.size() > kMaxErrorMessage) break;
      list += Concat(" <", source.ToString(), ">");
    }
    AddCompositionError(
        {CompositionErrorType::kInvalidSameTargetRelocations, Path(),
         Concat("cannot relocate several prims to <", target.ToString(), ">:", list)},
        &errors_);
  }
  // OpenUSD finds conflicts with these relocates too, so they are dropped only afterwards.
  DropConflicts();
  for (const auto& [target, same] : sources) {
    if (same.size() < 2) continue;
    for (const Path source : same) by_source_.erase(source);
  }
}

// 10.3.2.6: a source must use the relocated paths of its ancestors, and so must a target. A path
// at which another relocate has its source no longer exists.
void RelocatesCollector::DropConflicts() {
  std::set<Path> bad;
  const auto conflict = [&](Path source, Path other) {
    if (bad.insert(source).second) {
      AddCompositionError({CompositionErrorType::kInvalidConflictingRelocation, Path(),
                           Concat("cannot relocate <", source.ToString(),
                                  ">: it conflicts with the relocate of <", other.ToString(), ">")},
                          &errors_);
    }
  };
  const auto check_above = [&](Path source, Path path) {
    if (path.empty()) return;
    for (Path p = path.Parent(); !IsRootPrim(p); p = p.Parent()) {
      if (by_source_.count(p)) conflict(source, p);
    }
  };
  for (const auto& [source, target] : by_source_) {
    if (!target.empty() && by_source_.count(target)) {
      conflict(source, target);
      conflict(target, source);
    }
    check_above(source, target);
    check_above(source, source);
  }
  // Only now, so that the result does not depend on the order of the checks.
  for (const Path source : bad) by_source_.erase(source);
}

// A nested relocate has a source below the target of another one. Its origin is found by undoing
// the relocates of its ancestors, innermost first.
Path RelocatesCollector::SourceOrigin(Path source, int depth) const {
  // Relocates that are valid one by one can still form a cycle.
  constexpr int kMaxChain = 1000;
  if (depth > kMaxChain) return source;
  for (Path p = source; !p.empty() && !p.IsAbsoluteRoot(); p = p.Parent()) {
    const auto it = by_target_.find(p);
    if (it == by_target_.end() || it->second == source) continue;
    return source.ReplacePrefix(p, SourceOrigin(it->second, depth + 1));
  }
  return source;
}

RelocatesCollector::Result RelocatesCollector::Finish() && {
  DropSameTargets();
  Result result;
  for (const auto& [source, target] : by_source_) {
    if (!target.empty()) by_target_.emplace(target, source);
  }
  for (const auto& [source, target] : by_source_) {
    // A deleted prim has no final path. The incremental map has it.
    if (target.empty()) continue;
    result.source_to_target.emplace(SourceOrigin(source, 0), target);
  }
  result.incremental_source_to_target = std::move(by_source_);
  result.incremental_target_to_source = std::move(by_target_);
  result.errors = std::move(errors_);
  return result;
}

}  // namespace stagedoor
