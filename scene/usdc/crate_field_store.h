// CrateFieldStore: the fields of a layer that stay in the crate file. Thread-safe.
#ifndef STAGEDOOR_SCENE_USDC_CRATE_FIELD_STORE_H_
#define STAGEDOOR_SCENE_USDC_CRATE_FIELD_STORE_H_

#include <cstdint>
#include <vector>

#include "scene/layer/layer.h"
#include "scene/usdc/crate_tables.h"

namespace stagedoor {

class CrateFieldStore final : public FieldStore {
 public:
  // `prims`: the specs that are prims, which are overs when their specifier is missing.
  // `field_sets`: where each spec's fields begin, by spec id; kCrateNoField for none.
  CrateFieldStore(RefPtr<const CrateTables> tables, std::vector<uint32_t> field_sets,
                  const std::vector<SpecId>& prims);

  Value Get(SpecId spec, Token field) const override;
  bool Has(SpecId spec, Token field) const override;
  std::vector<Token> Names(SpecId spec) const override;
  size_t byte_size() const override;

 private:
  // The field's index, kCrateNoField when the spec lacks it.
  uint32_t Find(SpecId spec, Token field) const;
  // True for prims without a specifier.
  bool LacksSpecifier(SpecId spec) const;

  const RefPtr<const CrateTables> tables_;
  const std::vector<uint32_t> field_sets_;
  // The names of fields, few as they are, so that a look-up compares small numbers' tokens. The
  // empty token stands for names that only state the namespace.
  std::vector<Token> names_;
  std::vector<uint16_t> field_names_;  // by field
  std::vector<SpecId> overs_;          // prims without a specifier, ascending
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_FIELD_STORE_H_
