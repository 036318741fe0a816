#include "scene/stage/attribute_query.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/heap_costs.h"

namespace stagedoor {

AttributeQuery::AttributeQuery(RequestContext& context, const Attribute& attribute)
    : attribute_(attribute) {
  if (!attribute.valid()) return;
  type_name_ = attribute.TypeName();
  const AttributeSource* const kept = attribute.KeptSource();
  numeric_ = kept ? *kept : attribute.Compile(context);
  steady_ = numeric_.IsSteady(context);
  if (!numeric_.AnswersDefaultTime()) {
    default_ = std::make_shared<const AttributeSource>(attribute.CompileDefault(context));
  }
}

AttributeQuery::AttributeQuery(const Attribute& attribute, Value value)
    : attribute_(attribute),
      type_name_(attribute.valid() ? attribute.TypeName() : Token()),
      numeric_(AttributeSource::Constant(std::move(value))) {}

Array<double> AttributeQuery::SampleTimes(RequestContext& context) const {
  Array<double> times = numeric_.SampleTimes(context);
  if (std::is_sorted(times.begin(), times.end())) return times;
  // A negative time scale on the way reverses the order of samples.
  return Array<double>::FromVector(
      {std::make_reverse_iterator(times.end()), std::make_reverse_iterator(times.begin())});
}

size_t AttributeQuery::byte_size() const {
  return sizeof(*this) - sizeof(numeric_) + numeric_.byte_size() +
         (default_ ? default_->byte_size() + 2 * kHeapBlockBytes : 0);
}

}  // namespace stagedoor
