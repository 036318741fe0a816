#include "benchmarks/attributes.h"

namespace stagedoor::bench {

std::vector<Prim> AllPrims(const Stage& stage, PrimFlagsPredicate predicate) {
  std::vector<Prim> prims;
  for (const Prim& prim : stage.Traverse(predicate)) prims.push_back(prim);
  return prims;
}

void AppendAuthoredAttributes(const Prim& prim, std::vector<Attribute>* out) {
  for (Token name : prim.AuthoredPropertyNames()) {
    const Property property = prim.GetProperty(name);
    if (property.valid() && property.is_attribute()) out->push_back(Attribute(property));
  }
}

std::vector<Attribute> AuthoredAttributes(const std::vector<Prim>& prims) {
  std::vector<Attribute> attributes;
  for (const Prim& prim : prims) AppendAuthoredAttributes(prim, &attributes);
  return attributes;
}

double GetAll(RequestContext& context, const std::vector<Attribute>& attributes,
              const std::vector<double>& times) {
  size_t found = 0;
  for (double time : times) {
    for (const Attribute& attribute : attributes) {
      found += !attribute.Get(context, TimeCode::At(time)).empty();
    }
  }
  return static_cast<double>(found);
}

std::vector<AttributeQuery> Queries(RequestContext& context,
                                    const std::vector<Attribute>& attributes) {
  std::vector<AttributeQuery> queries;
  queries.reserve(attributes.size());
  for (const Attribute& attribute : attributes) queries.emplace_back(context, attribute);
  return queries;
}

double GetAll(RequestContext& context, const std::vector<AttributeQuery>& queries,
              const std::vector<double>& times) {
  size_t found = 0;
  for (double time : times) {
    for (const AttributeQuery& query : queries) {
      found += !query.Get(context, TimeCode::At(time)).empty();
    }
  }
  return static_cast<double>(found);
}

}  // namespace stagedoor::bench
