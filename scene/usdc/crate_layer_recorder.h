// CrateLayerRecorder: goes through a layer in the order of a crate, packs its values and fills the
// tables.
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

// The specs of a layer in the order of a crate's: depth first, a spec's properties, variants and
// prims in their order.
class CrateSpecOrder {
 public:
  struct Visit {
    SpecId spec = kRootSpec;
    uint32_t parent_path = CrateTableBuilder::kRootPath;  // of a variant: that of its set's prim
  };

  explicit CrateSpecOrder(const SpecTree& tree) : tree_(tree), stack_(1) {}

  bool done() const { return stack_.empty(); }
  Visit Next() {
    const Visit visit = stack_.back();
    stack_.pop_back();
    return visit;
  }
  // Call it after each Next, with the index of the spec's path.
  void AddChildren(const Visit& visit, uint32_t path);

 private:
  const SpecTree& tree_;
  std::vector<Visit> stack_;
};

// The values of a spec, as a crate has them: its fields, then the names of its children.
class CrateSpecFields {
 public:
  CrateSpecFields(const Layer& layer, SpecId spec);

  size_t size() const { return names_.size(); }
  Token name(size_t i) const { return names_[i]; }
  // Empty where the crate has no such field.
  Value value(size_t i) const;

 private:
  void AddChildren(const SpecRange& children, Token field);

  const Layer& layer_;
  const SpecId spec_;
  std::vector<Token> names_;
  std::vector<SpecRange> children_;  // of the last names
};

// Used once. Borrows everything; not thread-safe.
class CrateLayerRecorder {
 public:
  CrateLayerRecorder(const Layer& layer, CrateTableBuilder* tables, CrateValueWriter* values)
      : layer_(layer), tables_(*tables), values_(*values), order_(layer.tree()) {}

  // Everything, by way of `recorder`. With a log: `emits` gets for each field of each spec whether
  // its value, or what it refers to, was new; what the others placed is taken out of the log.
  absl::Status Run(RequestContext& context, CrateRecorder& recorder, CrateLog* log,
                   std::vector<bool>* emits);

 private:
  absl::Status AddSpec(SpecId spec, uint32_t path, CrateRecorder& recorder, CrateLog* log,
                       std::vector<bool>* emits);
  uint32_t PathOf(const CrateSpecOrder::Visit& visit);
  absl::Status Failure(SpecId spec, Token field) const;
  // Tells the request what the tables have grown to.
  absl::Status Reserve(RequestContext& context, const CrateRecorder& recorder);

  const Layer& layer_;
  CrateTableBuilder& tables_;
  CrateValueWriter& values_;
  CrateSpecOrder order_;
  size_t reserved_ = 0;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_LAYER_RECORDER_H_
