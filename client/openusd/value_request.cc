#include "value_request.h"

namespace stagedoor::openusd {

void ValueRequest::Add(const PrimEntry& prim, const PropertyEntry& property) {
  properties_.push_back(&property);
  begins_.push_back(texts_.size());
  prim.AppendScenePath(&texts_);
  texts_ += '.';
  texts_ += property.name.GetString();
  texts_ += '\0';
}

std::vector<const char*> ValueRequest::Paths() const {
  std::vector<const char*> paths;
  paths.reserve(begins_.size());
  for (const size_t begin : begins_) paths.push_back(texts_.data() + begin);
  return paths;
}

}  // namespace stagedoor::openusd
