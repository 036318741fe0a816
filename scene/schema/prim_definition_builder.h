// PrimDefinitionBuilder: composes a PrimDefinition, strongest schema first.
//
// A schema's own properties come first; then each built-in and applied API schema is composed under
// what is there. Where two schemas declare a property of one type, the weaker one fills in the
// fields that the stronger lacks; of different types, the stronger one is kept. Not thread-safe.
#ifndef STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_BUILDER_H_
#define STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_BUILDER_H_

#include <memory>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "scene/schema/local_definition.h"
#include "scene/schema/prim_definition.h"
#include "scene/schema/schema_info.h"

namespace stagedoor {

class PrimDefinitionBuilder {
 public:
  // Of a prim without a type.
  PrimDefinitionBuilder();
  // Of the schema alone; `local` outlives the builder.
  PrimDefinitionBuilder(const SchemaInfo& schema, const LocalDefinition& local);
  // To compose more under `definition`.
  explicit PrimDefinitionBuilder(const PrimDefinition& definition);
  ~PrimDefinitionBuilder();

  // Composes an API schema's definition under what is there; `instance` names the instance of a
  // multiple-apply one. Nothing changes if it, or one of its built-in schemas, is another version
  // of a schema that is there already.
  void AddApi(const PrimDefinition& api, std::string_view instance);

  std::unique_ptr<const PrimDefinition> Build() &&;

 private:
  using AppliedSchema = PrimDefinition::AppliedSchema;

  bool HasVersionConflict(const std::vector<AppliedSchema>& added) const;
  bool AddAppliedSchemas(const std::vector<AppliedSchema>& added);
  void AddProperty(PropertyDefinitionRef property);
  // Of a property that no other definition shares.
  PropertyDefinitionRef Charged(PropertyDefinitionRef made);
  void AddWeakerProperty(const PropertyDefinitionRef& weaker, std::string_view instance);

  std::unique_ptr<PrimDefinition> definition_;
  const LocalDefinition* local_ = nullptr;
  std::unordered_map<Token, size_t> positions_;  // of properties by name
  // The applied schema of a family and instance: one version of each.
  struct FamilyInstance {
    Token family;
    Token instance;
    friend bool operator==(const FamilyInstance&, const FamilyInstance&) = default;
  };
  struct FamilyHash {
    size_t operator()(const FamilyInstance& f) const {
      return f.family.hash() * 31 + f.instance.hash();
    }
  };
  std::unordered_map<FamilyInstance, Token, FamilyHash> versions_;
  bool composed_ = false;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_SCHEMA_PRIM_DEFINITION_BUILDER_H_
