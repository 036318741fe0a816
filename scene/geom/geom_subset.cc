#include "scene/geom/geom_subset.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "base/pacer.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/subset_elements.h"
#include "scene/stage/prim_flags.h"
#include "scene/stage/property.h"
#include "scene/values/array.h"

namespace stagedoor {
namespace {

Token TokenAtDefault(RequestContext& context, const Prim& prim, Token name) {
  return AttributeValueAs<Token>(context, prim, name, TimeCode::Default()).value_or(Token());
}

template <typename... Parts>
absl::Status InvalidFamily(const Prim& prim, const Parts&... parts) {
  return absl::FailedPreconditionError(Concat(prim.path().ToString(), ": ", parts...));
}

absl::StatusOr<SubsetElementType> CheckElementType(const Prim& geom, Token element_type) {
  const auto type = ElementTypeOf(geom, element_type);
  if (type) return *type;
  return InvalidFamily(geom, "prims of the type ", Quoted(geom.type_name().text()),
                       " do not have elements of the type ", Quoted(element_type.text()));
}

// The elements that subsets name, in order, with repetitions.
class NamedElements {
 public:
  NamedElements(RequestContext& context, SubsetElementType type)
      : context_(context), type_(type), reserved_(context) {}

  // Adds the elements of a subset. False if the last one is incomplete, which is left out.
  absl::StatusOr<bool> Add(const Prim& subset, TimeCode time) {
    const auto read = AttributeValueAs<Array<int>>(context_, subset, Geom().indices, time);
    if (!read) return true;
    const size_t width = IsNamedByPair(type_) ? 2 : 1;
    SD_RETURN_IF_ERROR(
        reserved_.Grow(read->size() / width * sizeof(SubsetElement), "the elements of subsets"));
    Pacer pacer(context_);
    for (size_t i = 0; i + width <= read->size(); i += width) {
      SD_RETURN_IF_ERROR(pacer.Step());
      SubsetElement element{(*read)[i], width == 2 ? (*read)[i + 1] : 0};
      lowest_ = std::min({lowest_, element.first, element.second});
      highest_ = std::max({highest_, element.first, element.second});
      if (type_ == SubsetElementType::kEdge && element.first > element.second) {
        std::swap(element.first, element.second);
      }
      elements_.push_back(element);
    }
    return read->size() % width == 0;
  }
  // Sorts the elements. The first that is named twice, if there is one, of which one remains.
  std::optional<SubsetElement> Unite() {
    std::sort(elements_.begin(), elements_.end());
    const auto twice = std::adjacent_find(elements_.begin(), elements_.end());
    if (twice == elements_.end()) return std::nullopt;
    const SubsetElement found = *twice;
    elements_.erase(std::unique(twice, elements_.end()), elements_.end());
    return found;
  }

  const std::vector<SubsetElement>& elements() const { return elements_; }
  int lowest() const { return lowest_; }    // of all numbers, at most 0
  int highest() const { return highest_; }  // of all numbers, at least 0

 private:
  RequestContext& context_;
  const SubsetElementType type_;
  std::vector<SubsetElement> elements_;
  int lowest_ = 0;
  int highest_ = 0;
  Reservation reserved_;
};

// Examines a family at one time after the other.
class FamilyCheck {
 public:
  FamilyCheck(RequestContext& context, const Prim& geom, SubsetElementType type,
              std::span<const GeomSubset> subsets, Token family_type)
      : context_(context),
        geom_(geom),
        type_(type),
        subsets_(subsets),
        family_type_(family_type),
        varies_(SubsetElements::MightVary(context, geom, type)) {}

  absl::Status At(TimeCode time) {
    NamedElements named(context_, type_);
    for (const GeomSubset& subset : subsets_) {
      SD_ASSIGN_OR_RETURN(const bool complete, named.Add(subset.prim, time));
      if (!complete) {
        return InvalidFamily(subset.prim, "indices has an odd number of elements at time ",
                             time.ToString());
      }
    }
    const std::optional<SubsetElement> twice = named.Unite();
    if (twice && family_type_ != Geom().unrestricted) {
      return InvalidFamily(geom_, Text(*twice), " is in the family more than once at time ",
                           time.ToString());
    }
    SD_ASSIGN_OR_RETURN(
        const SubsetElements elements,
        SubsetElements::Read(context_, geom_, type_, varies_ ? time : TimeCode::Earliest()));
    if (elements.count() == 0 && (!varies_ || !named.elements().empty())) {
      return InvalidFamily(geom_, "the prim does not have elements at time ", time.ToString());
    }
    if (!named.elements().empty()) any_ = true;
    SD_RETURN_IF_ERROR(Compare(named, elements.count(), time));
    return FindMissing(named, elements, time);
  }
  // Whether a subset has indices at a time that was examined.
  bool any() const { return any_; }

 private:
  std::string Text(const SubsetElement& element) const {
    if (!IsNamedByPair(type_)) return Concat("the index ", element.first);
    return Concat(type_ == SubsetElementType::kEdge ? "the edge (" : "the segment (", element.first,
                  ", ", element.second, ")");
  }

  absl::Status Compare(const NamedElements& named, size_t count, TimeCode time) {
    if (family_type_ == Geom().partition && named.elements().size() != count) {
      return InvalidFamily(geom_, "a partition of ", count, " elements has ",
                           named.elements().size(), " indices at time ", time.ToString());
    }
    if (named.lowest() < 0) {
      return InvalidFamily(geom_, "the index ", named.lowest(), " is negative at time ",
                           time.ToString());
    }
    return context_.Check();
  }

  // Fails if an element does not exist. `counted` are the elements that are counted; as in OpenUSD,
  // edges and segments are looked for among those at `time` even if their number does not vary.
  absl::Status FindMissing(const NamedElements& named, const SubsetElements& counted,
                           TimeCode time) {
    std::optional<SubsetElement> missing;
    if (IsNamedByPair(type_)) {
      SD_ASSIGN_OR_RETURN(const SubsetElements elements,
                          SubsetElements::Read(context_, geom_, type_, time));
      missing = type_ == SubsetElementType::kEdge
                    ? MissingEdge(named.elements(), elements.edges())
                    : MissingSegment(named.elements(), elements.segment_counts());
    }
    const bool counts = type_ != SubsetElementType::kSegment && !named.elements().empty();
    if (!missing && counts && static_cast<size_t>(named.highest()) >= counted.count()) {
      return InvalidFamily(geom_, "the index ", named.highest(), " does not exist at time ",
                           time.ToString());
    }
    if (!missing) return context_.Check();
    return InvalidFamily(geom_, Text(*missing), " does not exist at time ", time.ToString());
  }

  static std::optional<SubsetElement> MissingEdge(std::span<const SubsetElement> named,
                                                  std::span<const SubsetElement> edges) {
    auto edge = edges.begin();
    for (const SubsetElement& element : named) {
      while (edge != edges.end() && *edge < element) ++edge;
      if (edge == edges.end() || *edge != element) return element;
    }
    return std::nullopt;
  }
  static std::optional<SubsetElement> MissingSegment(std::span<const SubsetElement> named,
                                                     std::span<const int> counts) {
    for (const SubsetElement& segment : named) {
      const auto curve = static_cast<size_t>(segment.first);
      if (curve >= counts.size() || segment.second >= counts[curve]) return segment;
    }
    return std::nullopt;
  }

  RequestContext& context_;
  const Prim& geom_;
  const SubsetElementType type_;
  const std::span<const GeomSubset> subsets_;
  const Token family_type_;
  const bool varies_;
  bool any_ = false;
};

// The times of the samples of all indices, sorted.
absl::StatusOr<std::vector<double>> TimesOfIndices(RequestContext& context,
                                                   std::span<const GeomSubset> subsets,
                                                   Reservation& reserved) {
  std::vector<double> times;
  Pacer pacer(context);
  for (const GeomSubset& subset : subsets) {
    const Attribute indices = subset.prim.GetAttribute(Geom().indices);
    if (!indices.valid()) continue;
    const Array<double> samples = indices.SampleTimes(context);
    SD_RETURN_IF_ERROR(pacer.Step(static_cast<int64_t>(samples.size()) + 1));
    SD_RETURN_IF_ERROR(reserved.Grow(samples.size() * sizeof(double), "sample times of subsets"));
    times.insert(times.end(), samples.span().begin(), samples.span().end());
  }
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

}  // namespace

std::vector<GeomSubset> FindGeomSubsets(RequestContext& context, const Prim& geom,
                                        Token element_type, Token family_name,
                                        PrimFlagsPredicate predicate) {
  std::vector<GeomSubset> subsets;
  Pacer pacer(context);
  for (const Prim& child : geom.Children(predicate)) {
    if (!pacer.Go()) break;
    if (!child.IsA(Geom().GeomSubset)) continue;
    const GeomSubset subset{child, TokenAtDefault(context, child, Geom().elementType),
                            TokenAtDefault(context, child, Geom().familyName)};
    if (!element_type.empty() && subset.element_type != element_type) continue;
    if (!family_name.empty() && subset.family_name != family_name) continue;
    subsets.push_back(subset);
  }
  return subsets;
}

Token SubsetFamilyType(RequestContext& context, const Prim& geom, Token family_name) {
  // A name that is not interned is not that of an attribute.
  const auto name = Token::Find(Concat("subsetFamily:", family_name.text(), ":familyType"));
  const Token type = name ? TokenAtDefault(context, geom, *name) : Token();
  return type.empty() ? Geom().unrestricted : type;
}

absl::StatusOr<UnassignedIndices> ComputeUnassignedIndices(RequestContext& context,
                                                           const Prim& geom, Token element_type,
                                                           Token family_name, TimeCode time) {
  SD_ASSIGN_OR_RETURN(const SubsetElementType type, CheckElementType(geom, element_type));
  NamedElements named(context, type);
  for (const GeomSubset& subset : FindGeomSubsets(context, geom, element_type, family_name)) {
    SD_RETURN_IF_ERROR(named.Add(subset.prim, time).status());
  }
  // As in OpenUSD, edges and segments are compared in the order in which the subsets name them: one
  // that comes after a later one is not found.
  if (!IsNamedByPair(type)) (void)named.Unite();
  SD_ASSIGN_OR_RETURN(const SubsetElements elements,
                      SubsetElements::Read(context, geom, type, time));
  UnassignedIndices unassigned{.reserved = Reservation(context)};
  auto assigned = named.elements().begin();
  const auto end = named.elements().end();
  constexpr size_t kAtOnce = 4096;  // numbers that are reserved together
  SD_RETURN_IF_ERROR(elements.ForEach(context, [&](const SubsetElement& element) -> absl::Status {
    while (assigned != end && *assigned < element) ++assigned;
    if (assigned != end && *assigned == element) return absl::OkStatus();
    if (unassigned.indices.size() % kAtOnce == 0) {
      SD_RETURN_IF_ERROR(unassigned.reserved.Grow(2 * kAtOnce * sizeof(int), "indices"));
    }
    unassigned.indices.push_back(element.first);
    if (IsNamedByPair(type)) unassigned.indices.push_back(element.second);
    return absl::OkStatus();
  }));
  return unassigned;
}

absl::Status ValidateSubsetFamily(RequestContext& context, const Prim& geom, Token element_type,
                                  Token family_name) {
  SD_ASSIGN_OR_RETURN(const SubsetElementType type, CheckElementType(geom, element_type));
  const std::vector<GeomSubset> subsets = FindGeomSubsets(context, geom, Token(), family_name);
  for (const GeomSubset& subset : subsets) {
    if (subset.element_type == element_type) continue;
    return InvalidFamily(subset.prim, "the elementType is ", Quoted(subset.element_type.text()),
                         ", that of others of the family ", Quoted(element_type.text()));
  }
  Reservation reserved(context);
  SD_ASSIGN_OR_RETURN(const std::vector<double> times, TimesOfIndices(context, subsets, reserved));
  FamilyCheck check(context, geom, type, subsets, SubsetFamilyType(context, geom, family_name));
  SD_RETURN_IF_ERROR(check.At(TimeCode::Default()));
  for (const double time : times) SD_RETURN_IF_ERROR(check.At(TimeCode::At(time)));
  if (check.any()) return absl::OkStatus();
  return InvalidFamily(geom, "the subsets of the family do not have indices at any time");
}

}  // namespace stagedoor
