#ifndef STAGEDOOR_SCENE_LAYER_LAYER_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/request_scope.h"
#include "scene/layer/layer_warning.h"
#include "scene/layer/spec_tree.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/values/value.h"

namespace stagedoor {

// The storage of the fields of a layer's specs, by their ids in the SpecTree. Corresponds to
// OpenUSD's SdfAbstractData. Does not have the fields that describe the namespace (primChildren,
// properties, variantChildren, variantSetChildren), which the tree represents. Thread-safe.
class FieldStore {
 public:
  virtual ~FieldStore() = default;
  // Empty if the spec does not have the field; an Invalid value if it cannot be decoded.
  virtual Value Get(SpecId spec, Token field) const = 0;
  virtual bool Has(SpecId spec, Token field) const = 0;
  // The names of the authored fields, in the layer's order.
  virtual std::vector<Token> Names(SpecId spec) const = 0;
  // The memory that the store holds in bytes, not counting mapped files.
  virtual size_t byte_size() const = 0;
};

// An immutable document of specs and fields. Corresponds to OpenUSD's SdfLayer; see the Core
// Specification, section 7.2 (Layer Structure).
//
// Opened once per (asset, version) and shared as shared_ptr<const Layer>. Immutable, hence
// thread-safe; readers never lock. The namespace is a SpecTree. Field values come from a
// FieldStore, which text layers fill in memory and crate layers decode from the mapped file on
// demand. Edits create a new version with LayerBuilder.
class Layer {
 public:
  struct Info {
    // The anchored identifier with which the layer was opened, and the path that it resolved to;
    // empty for layers that were created in memory. Relative asset paths in the layer are anchored
    // to `resolved_path`.
    std::string identifier;
    std::string resolved_path;
    // The opaque version of the asset and its content part, to be compared for equality only; see
    // AssetVersion.
    std::string version;
    std::string content_version;
    std::string format;  // "usda", "usdc", "usdz"
    // True for layers that were created in memory; they have no asset and are not listed as used.
    bool anonymous = false;
    // The problems of the layer that did not prevent reading it; null if there are none.
    std::shared_ptr<const LayerWarnings> warnings;
  };

  Layer(Info info, SpecTree tree, std::unique_ptr<const FieldStore> fields);

  const Info& info() const { return info_; }
  const std::string& identifier() const { return info_.identifier; }
  const SpecTree& tree() const { return tree_; }

  Value Get(SpecId spec, Token field) const { return fields_->Get(spec, field); }
  bool Has(SpecId spec, Token field) const { return fields_->Has(spec, field); }
  std::vector<Token> FieldNames(SpecId spec) const { return fields_->Names(spec); }
  // The value of the field if it is a T; nothing if it is absent or has another type.
  template <typename T>
  std::optional<T> GetAs(SpecId spec, Token field) const {
    const Value value = Get(spec, field);
    const T* held = value.Get<T>();
    return held ? std::optional<T>(*held) : std::nullopt;
  }

  // The path of the default prim, given by `defaultPrim` as a name or a path (section 7.6.1.2.3).
  // The empty path if there is none.
  Path DefaultPrim() const;
  // The authored timeCodesPerSecond or else framesPerSecond; 24 if neither is authored.
  double TimeCodesPerSecond() const;

  size_t byte_size() const { return tree_.byte_size() + fields_->byte_size(); }

  // The scope in which the layer was created, which holds the paths in its values. Null if these
  // live as long as the process.
  const std::shared_ptr<const ScopeOwner>& paths() const { return paths_; }

 private:
  const Info info_;
  const SpecTree tree_;
  const std::unique_ptr<const FieldStore> fields_;
  const std::shared_ptr<const ScopeOwner> paths_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_H_
