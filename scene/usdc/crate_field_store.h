#ifndef STAGEDOOR_SCENE_USDC_CRATE_FIELD_STORE_H_
#define STAGEDOOR_SCENE_USDC_CRATE_FIELD_STORE_H_

#include <cstdint>
#include <vector>

#include "scene/layer/layer.h"
#include "scene/usdc/crate_tables.h"

namespace stagedoor {

// The FieldStore of a crate layer, whose values stay in the file and are decoded on request.
// Thread-safe.
class CrateFieldStore final : public FieldStore {
 public:
  // `field_sets` gives, by spec id, the start of each spec's field set, or kCrateNoField if the
  // spec has none. `prims` are the specs of prims, which count as overs if they have no specifier.
  CrateFieldStore(RefPtr<const CrateTables> tables, std::vector<uint32_t> field_sets,
                  const std::vector<SpecId>& prims);

  Value Get(SpecId spec, Token field) const override;
  bool Has(SpecId spec, Token field) const override;
  std::vector<Token> Names(SpecId spec) const override;
  size_t byte_size() const override;

 private:
  // The index of the field; kCrateNoField if the spec does not have it.
  uint32_t Find(SpecId spec, Token field) const;
  // True for prims without a specifier.
  bool LacksSpecifier(SpecId spec) const;

  const RefPtr<const CrateTables> tables_;
  const std::vector<uint32_t> field_sets_;
  // The distinct field names. They are few, so that fields refer to them by small numbers. The
  // empty token stands for fields that are hidden because they only describe the namespace.
  std::vector<Token> names_;
  std::vector<uint16_t> field_names_;  // indices of names_, by field
  std::vector<SpecId> overs_;          // prims without a specifier, ascending
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_FIELD_STORE_H_
