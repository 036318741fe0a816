#ifndef STAGEDOOR_SCENE_USDC_CRATE_LAYER_RECORDER_H_
#define STAGEDOOR_SCENE_USDC_CRATE_LAYER_RECORDER_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "base/request_context.h"
#include "scene/layer/layer.h"
#include "scene/paths/token.h"
#include "scene/usdc/crate_placement.h"
#include "scene/usdc/crate_table_builder.h"
#include "scene/usdc/crate_value_writer.h"

namespace stagedoor {

// The specs of a layer in the order in which crates are written: depth first, and for each spec its
// properties, variants and prims in the layer's order. Borrows the tree; not thread-safe.
class CrateSpecOrder {
 public:
  struct Visit {
    SpecId spec = kRootSpec;
    uint32_t parent_path = CrateTableBuilder::kRootPath;  // for a variant, the path of its prim
  };

  explicit CrateSpecOrder(const SpecTree& tree) : tree_(tree), stack_(1) {}

  bool done() const { return stack_.empty(); }
  Visit Next() {
    const Visit visit = stack_.back();
    stack_.pop_back();
    return visit;
  }
  // Must be called after each Next, with the index of the spec's path.
  void AddChildren(const Visit& visit, uint32_t path);

 private:
  const SpecTree& tree_;
  std::vector<Visit> stack_;
};

// The values that a crate stores for a spec: its fields, then the names of its children. Borrows
// the layer.
class CrateSpecFields {
 public:
  CrateSpecFields(const Layer& layer, SpecId spec);

  size_t size() const { return names_.size(); }
  Token name(size_t i) const { return names_[i]; }
  // The value of the i-th field; empty if the crate does not store it.
  Value value(size_t i) const;

 private:
  void AddChildren(const SpecRange& children, Token field);

  const Layer& layer_;
  const SpecId spec_;
  std::vector<Token> names_;
  std::vector<SpecRange> children_;  // the children that the last names list
};

// Traverses a layer in the order of a crate file, packs its values and fills the tables.
// CrateSpecOrder and CrateSpecFields give that order, so that UsdcBytes can repeat it.
//
// Runs once. Borrows everything; not thread-safe.
class CrateLayerRecorder {
 public:
  CrateLayerRecorder(const Layer& layer, CrateTableBuilder* tables, CrateValueWriter* values)
      : layer_(layer), tables_(*tables), values_(*values), order_(layer.tree()) {}

  // Records the whole layer with `recorder`, which must be the placement of the value writer. With
  // a log, `emits` gets for each field of each spec whether the value, or one that it refers to,
  // was new; what the other fields placed is removed from the log. Both may be null. Errors are
  // those of the context, RESOURCE_EXHAUSTED for too large a file, INVALID_ARGUMENT for a variant
  // set or variant that crates cannot hold, and those of the value writer, which then name spec and
  // field.
  absl::Status Run(RequestContext& context, CrateRecorder& recorder, CrateLog* log,
                   std::vector<bool>* emits);

 private:
  absl::Status AddSpec(SpecId spec, uint32_t path, CrateRecorder& recorder, CrateLog* log,
                       std::vector<bool>* emits);
  uint32_t PathOf(const CrateSpecOrder::Visit& visit);
  absl::Status CheckName(SpecId spec) const;
  absl::Status Failure(SpecId spec, Token field) const;
  // Reserves the memory by which the tables have grown with the request.
  absl::Status Reserve(RequestContext& context, const CrateRecorder& recorder);

  const Layer& layer_;
  CrateTableBuilder& tables_;
  CrateValueWriter& values_;
  CrateSpecOrder order_;
  size_t reserved_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_LAYER_RECORDER_H_
