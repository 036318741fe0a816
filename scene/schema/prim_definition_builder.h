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

// Composes a PrimDefinition from schemas, strongest first: Core Specification, section 13.3.2.3
// (The Prim Definition).
//
// Starts with the properties of a schema; each API schema that is added is weaker than those
// before. If two schemas define a property with the same type, the weaker one supplies the fields
// that the stronger one does not set; if the types differ, the weaker property is ignored. Not
// thread-safe.
class PrimDefinitionBuilder {
 public:
  // Starts with the definition of a prim without a type.
  PrimDefinitionBuilder();
  // Starts with a schema without its API schemas. `local` must outlive the builder.
  PrimDefinitionBuilder(const SchemaInfo& schema, const LocalDefinition& local);
  // Starts with `definition`, to compose weaker schemas with it.
  explicit PrimDefinitionBuilder(const PrimDefinition& definition);
  ~PrimDefinitionBuilder();

  // Composes the definition of an API schema as the weakest one. `instance` is the instance name
  // for a multiple-apply schema. Does nothing if this schema, or one of its built-in ones, is
  // another version of a schema that is already present.
  void AddApi(const PrimDefinition& api, std::string_view instance);

  std::unique_ptr<const PrimDefinition> Build() &&;

 private:
  using AppliedSchema = PrimDefinition::AppliedSchema;

  bool HasVersionConflict(const std::vector<AppliedSchema>& added) const;
  bool AddAppliedSchemas(const std::vector<AppliedSchema>& added);
  void AddProperty(PropertyDefinitionRef property);
  // Counts the memory of a property that is not shared with another definition.
  PropertyDefinitionRef Charged(PropertyDefinitionRef made);
  void AddWeakerProperty(const PropertyDefinitionRef& weaker, std::string_view instance);

  std::unique_ptr<PrimDefinition> definition_;
  const LocalDefinition* local_ = nullptr;
  std::unordered_map<Token, size_t> positions_;  // indexes of properties by name
  // Identifies an applied schema regardless of its version, of which there can be only one.
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
