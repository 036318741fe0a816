#include "scene/layer/asset_dependencies.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "scene/layer/field_keys.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/list_op.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/payload.h"
#include "scene/values/reference.h"
#include "scene/values/time_samples.h"

namespace stagedoor {
namespace {

using Rewrite = std::function<std::string(DependencyType, const std::string&)>;

// Rewrites the value of a field. Returns nothing if no path has changed.
class FieldRewriter {
 public:
  explicit FieldRewriter(const Rewrite& rewrite, DependencyScope scope = DependencyScope::kNamed)
      : rewrite_(rewrite), scope_(scope) {}

  std::optional<Value> operator()(Token field, const Value& value) const {
    if (field == Fields().subLayers) return Sublayers(value);
    if (field == Fields().clips) return Clips(value);
    if (const auto* op = value.Get<ListOp<Reference>>())
      return Arcs(*op, DependencyType::kReference);
    if (const auto* op = value.Get<ListOp<Payload>>()) return Arcs(*op, DependencyType::kPayload);
    return Held(value, DependencyType::kValue);
  }

 private:
  std::string Apply(DependencyType use, const std::string& path, bool* changed) const {
    if (path.empty()) return path;
    std::string out = rewrite_(use, path);
    *changed |= out != path;
    return out;
  }

  std::optional<Value> Sublayers(const Value& value) const {
    const auto* paths = value.Get<std::vector<std::string>>();
    if (!paths) return std::nullopt;
    bool changed = false;
    std::vector<std::string> out;
    for (const std::string& path : *paths)
      out.push_back(Apply(DependencyType::kSublayer, path, &changed));
    return changed ? std::optional(Value(std::move(out))) : std::nullopt;
  }

  template <typename T>
  std::optional<Value> Arcs(const ListOp<T>& op, DependencyType use) const {
    bool changed = false;
    ListOp<T> out = op;
    for (auto* items : {&out.explicit_items, &out.prepended, &out.appended, &out.deleted,
                        &out.added, &out.ordered}) {
      const bool adds = items != &out.deleted && items != &out.ordered;
      if (!adds && scope_ == DependencyScope::kUsed) continue;
      for (T& arc : *items) arc.asset = Apply(use, arc.asset, &changed);
    }
    return changed ? std::optional(Value(std::move(out))) : std::nullopt;
  }

  // The value is a dictionary of clip sets. Asset paths in a set are clips; the template is a
  // string.
  std::optional<Value> Clips(const Value& value) const {
    const auto* sets = value.Get<Dictionary>();
    if (!sets) return std::nullopt;
    bool changed = false;
    Dictionary out = *sets;
    for (const auto& [name, set_value] : *sets) {
      const auto* set = set_value.Get<Dictionary>();
      if (!set) continue;
      Dictionary set_out = *set;
      for (const auto& [key, held] : *set) {
        const auto* pattern = key == "templateAssetPath" ? held.Get<std::string>() : nullptr;
        if (pattern) {
          set_out.Set(key, Value(Apply(DependencyType::kClipTemplate, *pattern, &changed)));
        } else if (auto rewritten = Held(held, DependencyType::kClip)) {
          set_out.Set(key, *std::move(rewritten));
          changed = true;
        }
      }
      out.Set(name, Value(std::move(set_out)));
    }
    return changed ? std::optional(Value(std::move(out))) : std::nullopt;
  }

  std::optional<Value> Held(const Value& value, DependencyType use) const {
    bool changed = false;
    if (const auto* path = value.Get<AssetPath>()) {
      Value out(AssetPath{.authored = Apply(use, path->authored, &changed)});
      return changed ? std::optional(std::move(out)) : std::nullopt;
    }
    if (const auto* paths = value.Get<Array<AssetPath>>()) {
      std::vector<AssetPath> out;
      for (const AssetPath& p : *paths)
        out.push_back({.authored = Apply(use, p.authored, &changed)});
      return changed ? std::optional(Value(Array<AssetPath>::FromVector(std::move(out))))
                     : std::nullopt;
    }
    if (const auto* dictionary = value.Get<Dictionary>()) return HeldIn(*dictionary, use);
    if (const TimeSamples* samples = value.samples()) return HeldIn(*samples, use);
    return std::nullopt;
  }

  std::optional<Value> HeldIn(const Dictionary& dictionary, DependencyType use) const {
    std::optional<Dictionary> out;
    for (const auto& [key, held] : dictionary) {
      auto rewritten = Held(held, use);
      if (!rewritten) continue;
      if (!out) out = dictionary;
      out->Set(key, *std::move(rewritten));
    }
    return out ? std::optional(Value(*std::move(out))) : std::nullopt;
  }

  std::optional<Value> HeldIn(const TimeSamples& samples, DependencyType use) const {
    if (samples.size() == 0 || !MayHoldAssets(samples)) return std::nullopt;
    bool changed = false;
    std::vector<std::pair<double, Value>> out;
    for (size_t i = 0; i < samples.size(); ++i) {
      Value held = samples.At(i);
      if (auto rewritten = Held(held, use)) {
        held = *std::move(rewritten);
        changed = true;
      }
      out.emplace_back(samples.times()[i], std::move(held));
    }
    return changed ? std::optional(Value::FromSamples(MakeTimeSamples(std::move(out))))
                   : std::nullopt;
  }

  // All samples that are not blocks have the attribute's type, so the first one of them decides.
  static bool MayHoldAssets(const TimeSamples& samples) {
    for (size_t i = 0; i < samples.size(); ++i) {
      if (!samples.BlockedAt(i)) return samples.At(i).type() == ValueType::kAssetPath;
    }
    return false;
  }

  const Rewrite& rewrite_;
  const DependencyScope scope_;
};

// The field of a prim with the information about an asset, without its identifier.
Value WithoutIdentifier(const Value& info) {
  const auto* entries = info.Get<Dictionary>();
  if (!entries) return info;
  Dictionary rest = *entries;
  rest.Remove("identifier");
  return Value(std::move(rest));
}

}  // namespace

void VisitDependencies(const Layer& layer, DependencyScope scope,
                       const std::function<void(DependencyType, const std::string&)>& visit) {
  const Rewrite look = [&](DependencyType use, const std::string& path) {
    visit(use, path);
    return path;
  };
  const FieldRewriter rewriter(look, scope);
  for (SpecId spec = 0; spec < layer.tree().size(); ++spec) {
    for (const Token field : layer.FieldNames(spec)) {
      const Value value = layer.Get(spec, field);
      const bool info = field == Fields().assetInfo && layer.tree().type(spec) == SpecType::kPrim;
      rewriter(field, info ? WithoutIdentifier(value) : value);
    }
  }
}

Value ModifyAssetPathsInValue(Token field, const Value& value, const Rewrite& rewrite) {
  return FieldRewriter(rewrite)(field, value).value_or(value);
}

LayerBuilder ModifyAssetPaths(const Layer& layer, const Rewrite& rewrite) {
  LayerBuilder builder(layer);
  const FieldRewriter rewriter(rewrite);
  for (SpecId spec = 0; spec < builder.size(); ++spec) {
    const std::vector<LayerBuilder::Field> fields = builder.fields(spec);
    for (const auto& [field, value] : fields) {
      if (auto rewritten = rewriter(field, value)) builder.Set(spec, field, *std::move(rewritten));
    }
  }
  return builder;
}

}  // namespace stagedoor
