// Layer: one immutable document of specs and fields.
//
// Opened once per (asset, version) and shared as shared_ptr<const Layer>; readers never lock. The
// namespace is a SpecTree; field values come from a FieldStore, which text layers fill in memory
// and crate layers decode from the mapped file on demand. Editing goes through LayerBuilder, which
// makes a new version.
#ifndef STAGEDOOR_SCENE_LAYER_LAYER_H_
#define STAGEDOOR_SCENE_LAYER_LAYER_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/work_scope.h"
#include "scene/layer/spec_tree.h"
#include "scene/paths/path.h"
#include "scene/paths/token.h"
#include "scene/values/value.h"

namespace stagedoor {

// Where the fields of a layer's specs are. Ids are the SpecTree's. Thread-safe. Fields that only
// state the namespace (primChildren, properties, variantChildren, variantSetChildren) are never in
// it: the tree has them.
class FieldStore {
 public:
  virtual ~FieldStore() = default;
  // Empty when the spec lacks the field; an Invalid value when it cannot be decoded.
  virtual Value Get(SpecId spec, Token field) const = 0;
  virtual bool Has(SpecId spec, Token field) const = 0;
  // In the layer's order.
  virtual std::vector<Token> Names(SpecId spec) const = 0;
  // Memory of its own, mapped files not counted.
  virtual size_t byte_size() const = 0;
};

class Layer {
 public:
  struct Info {
    // What opened it: the anchored identifier, and where that resolved to ("" for layers made in
    // memory). Relative asset paths in the layer are anchored to `resolved_path`.
    std::string identifier;
    std::string resolved_path;
    // Opaque version of the asset; compare for equality only.
    std::string version;
    std::string format;  // "usda", "usdc", "usdz"
    // Made in memory: has no asset, and is left out where used layers are listed.
    bool anonymous = false;
  };

  Layer(Info info, SpecTree tree, std::unique_ptr<const FieldStore> fields);

  const Info& info() const { return info_; }
  const std::string& identifier() const { return info_.identifier; }
  const SpecTree& tree() const { return tree_; }

  Value Get(SpecId spec, Token field) const { return fields_->Get(spec, field); }
  bool Has(SpecId spec, Token field) const { return fields_->Has(spec, field); }
  std::vector<Token> FieldNames(SpecId spec) const { return fields_->Names(spec); }
  // The field if it holds a T; empty when absent or of another type.
  template <typename T>
  std::optional<T> GetAs(SpecId spec, Token field) const {
    const Value value = Get(spec, field);
    const T* held = value.Get<T>();
    return held ? std::optional<T>(*held) : std::nullopt;
  }

  // The path of the default prim: `defaultPrim` may be a name or a path. Empty when there is none.
  Path DefaultPrim() const;
  // Authored timeCodesPerSecond, else framesPerSecond, else 24.
  double TimeCodesPerSecond() const;

  size_t byte_size() const { return tree_.byte_size() + fields_->byte_size(); }

  // What holds the paths in its values: the scope in which it was made; null: they are there for
  // the life of the process.
  const std::shared_ptr<const WorkScope>& paths() const { return paths_; }

 private:
  const Info info_;
  const SpecTree tree_;
  const std::unique_ptr<const FieldStore> fields_;
  const std::shared_ptr<const WorkScope> paths_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_LAYER_LAYER_H_
