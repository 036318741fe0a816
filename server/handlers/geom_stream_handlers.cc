#include "server/handlers/geom_stream_handlers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/geom/attribute_values.h"
#include "scene/geom/geom_subset.h"
#include "scene/geom/geom_tokens.h"
#include "scene/geom/instance_motion.h"
#include "scene/geom/motion_times.h"
#include "scene/geom/point_based.h"
#include "scene/geom/point_instancer.h"
#include "scene/geom/primvar.h"
#include "server/converters/packed_values.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "server/queries/instance_indices.h"
#include "server/queries/item_stream.h"
#include "server/queries/prim_batch.h"
#include "server/server_limits.h"
#include "server/sessions/query_state.h"
#include "server/streams/chunk_bytes.h"

namespace stagedoor::server {
namespace {

class PrimvarStream final : public ItemStream<v1::GetPrimvarsResponse> {
 public:
  PrimvarStream(RequestContext& context, const ServerLimits& limits, PrimBatch batch,
                const v1::GetPrimvarsRequest& request)
      : ItemStream(context, limits, ChunkBytes(request, limits), std::move(batch)),
        names_(request.names().begin(), request.names().end()),
        flatten_(request.flatten()) {}

 private:
  void Fill(const Prim& prim, const ItemTime& at, ReplyBudget& budget,
            v1::PrimPrimvars* out) override {
    RequestContext& context = budget.context();
    const TimeCode time = at.time;
    if (names_.empty()) {
      for (const Primvar& primvar : FindPrimvarsWithInheritance(context, prim)) {
        if (!budget.ok() || !context.Spend(1).ok()) return;
        FillPrimvar(primvar, time, budget, budget.Add(out->mutable_primvars()));
      }
    }
    for (const std::string& name : names_) {
      if (!budget.Charge(0)) return;
      const auto primvar = FindPrimvarWithInheritance(context, prim, name);
      if (primvar) FillPrimvar(*primvar, time, budget, budget.Add(out->mutable_primvars()));
    }
  }

  absl::Status AddMotion(RequestContext& context, const Prim& prim, TimeCode,
                         MotionTimes* times) override {
    if (names_.empty()) {
      for (const Primvar& primvar : FindPrimvarsWithInheritance(context, prim)) {
        SD_RETURN_IF_ERROR(context.Spend(1));
        SD_RETURN_IF_ERROR(primvar.AddSources(context, times));
      }
    }
    for (const std::string& name : names_) {
      SD_RETURN_IF_ERROR(context.Spend(1));
      const auto primvar = FindPrimvarWithInheritance(context, prim, name);
      if (primvar) SD_RETURN_IF_ERROR(primvar->AddSources(context, times));
    }
    return context.Check();
  }

  void FillPrimvar(const Primvar& primvar, TimeCode time, ReplyBudget& budget,
                   v1::Primvar* out) const {
    RequestContext& context = budget.context();
    budget.Charge(2 * sizeof(v1::Value));
    out->set_name(budget.Text(primvar.name()));
    out->set_type_name(budget.Text(primvar.attribute().TypeName().text()));
    out->set_interpolation(budget.Text(primvar.Interpolation(context).text()));
    out->set_element_size(primvar.ElementSize(context));
    out->set_source_path(budget.Text(primvar.attribute().prim().path().ToString()));
    if (flatten_) {
      return FillValue(primvar.ComputeFlattened(context, time), budget, out->mutable_value());
    }
    FillValue(primvar.Get(context, time), budget, out->mutable_value());
    if (!primvar.IsIndexed(context)) return;
    // An indexed primvar without a value for its indices at this time has no elements.
    auto indices = primvar.GetIndices(context, time).value_or(Array<int>());
    FillValue(Value(std::move(indices)), budget, out->mutable_indices());
  }

  const std::vector<std::string> names_;
  const bool flatten_;
};

class PointsStream final : public ItemStream<v1::ComputePointsResponse> {
 public:
  PointsStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
               PrimBatch batch, std::optional<TimeCode> base_time)
      : ItemStream(context, limits, chunk_bytes, std::move(batch)), base_time_(base_time) {}

 private:
  void Fill(const Prim& prim, const ItemTime& at, ReplyBudget& budget,
            v1::MovingPoints* out) override {
    RequestContext& context = budget.context();
    if (prim.IsA(Geom().PointBased)) {
      const auto points =
          stagedoor::ComputePoints(context, prim, at.time, base_time_.value_or(at.frame));
      if (!points.ok()) {
        return budget.FillError(points.status(), out->item(), out->mutable_error());
      }
      FillPackedArray(ValueType::kVec3f, points->points, budget, out->mutable_points());
    }
    const MotionSettings motion = ComputeMotionSettings(context, prim, at.frame);
    out->set_blur_scale(motion.blur_scale);
    out->set_nonlinear_sample_count(motion.nonlinear_sample_count);
    out->set_velocity_scale(motion.velocity_scale);
  }

  absl::Status AddMotion(RequestContext& context, const Prim& prim, TimeCode frame,
                         MotionTimes* times) override {
    if (!prim.IsA(Geom().PointBased)) return absl::OkStatus();
    return AddPointsMotion(context, prim, base_time_.value_or(frame), times);
  }

  const std::optional<TimeCode> base_time_;
};

class SubsetStream final : public ItemStream<v1::ComputeSubsetsResponse> {
 public:
  SubsetStream(RequestContext& context, const ServerLimits& limits, PrimBatch batch,
               const v1::ComputeSubsetsRequest& request)
      : ItemStream(context, limits, ChunkBytes(request, limits), std::move(batch)),
        element_type_(FindFilter(request.element_type())),
        family_name_(FindFilter(request.family_name())),
        with_unassigned_indices_(request.with_unassigned_indices()),
        with_problems_(request.with_problems()) {}

 private:
  void Fill(const Prim& prim, const ItemTime& at, ReplyBudget& budget,
            v1::PrimSubsets* out) override {
    if (!element_type_ || !family_name_) return;
    RequestContext& context = budget.context();
    const TimeCode time = at.time;
    std::vector<GeomSubset> families;
    for (GeomSubset& subset : FindGeomSubsets(context, prim, *element_type_, *family_name_)) {
      if (!budget.ok() || !context.Spend(1).ok()) return;
      FillSubset(subset, time, budget, budget.Add(out->mutable_subsets()));
      const bool known = std::any_of(families.begin(), families.end(), [&](const GeomSubset& f) {
        return f.family_name == subset.family_name && f.element_type == subset.element_type;
      });
      if (known || subset.family_name.empty()) continue;
      if (families.size() == kMaxFamilies) return TooManyFamilies(budget, out);
      families.push_back(std::move(subset));
    }
    if (!(prim == problems_of_)) problems_.clear();
    problems_of_ = prim;
    for (size_t i = 0; i < families.size(); ++i) {
      if (!budget.ok() || !context.Spend(1).ok()) return;
      v1::SubsetFamily* family = budget.Add(out->mutable_families());
      FillFamily(prim, families[i], time, budget, family);
      if (with_problems_) family->set_problem(budget.Text(Problem(context, families[i], i)));
    }
  }

  // Empty for no filter. Nothing for a token that is not interned yet, which is not authored
  // anywhere.
  static std::optional<Token> FindFilter(const std::string& text) {
    return text.empty() ? Token() : Token::Find(text);
  }

  // The problem of a family of the prim, which does not depend on the time.
  const std::string& Problem(RequestContext& context, const GeomSubset& family, size_t index) {
    if (index == problems_.size()) {
      const absl::Status status =
          ValidateSubsetFamily(context, problems_of_, family.element_type, family.family_name);
      problems_.emplace_back(status.message());
    }
    return problems_[index];
  }

  static void FillSubset(const GeomSubset& subset, TimeCode time, ReplyBudget& budget,
                         v1::GeomSubset* out) {
    out->set_path(budget.Text(subset.prim.PathText()));
    out->set_element_type(budget.Text(subset.element_type.text()));
    out->set_family_name(budget.Text(subset.family_name.text()));
    const auto indices =
        AttributeValueAs<Array<int>>(budget.context(), subset.prim, Geom().indices, time);
    FillPackedArray(ValueType::kInt, indices.value_or(Array<int>()), budget,
                    out->mutable_indices());
  }

  void FillFamily(const Prim& prim, const GeomSubset& family, TimeCode time, ReplyBudget& budget,
                  v1::SubsetFamily* out) const {
    RequestContext& context = budget.context();
    out->set_family_name(budget.Text(family.family_name.text()));
    out->set_element_type(budget.Text(family.element_type.text()));
    out->set_family_type(budget.Text(SubsetFamilyType(context, prim, family.family_name).text()));
    if (with_unassigned_indices_) {
      auto found =
          ComputeUnassignedIndices(context, prim, family.element_type, family.family_name, time);
      if (found.ok()) {
        FillPackedArray(ValueType::kInt, Array<int>::FromVector(std::move(found->indices)), budget,
                        out->mutable_unassigned_indices());
      }
    }
  }

  static void TooManyFamilies(ReplyBudget& budget, v1::PrimSubsets* out) {
    const uint32_t item = out->item();
    out->Clear();
    budget.FillError(
        WithReason(absl::ResourceExhaustedError(
                       Concat("the prim's subsets are of more than ", kMaxFamilies, " families")),
                   v1::ERROR_REASON_REQUEST_TOO_LARGE),
        item, out->mutable_error());
  }

  // Each family searches the subsets of the prim.
  static constexpr size_t kMaxFamilies = 1000;

  const std::optional<Token> element_type_;
  const std::optional<Token> family_name_;
  const bool with_unassigned_indices_;
  const bool with_problems_;
  Prim problems_of_;
  std::vector<std::string> problems_;  // of the families of that prim
};

class InstanceStream final : public ItemStream<v1::ComputeInstanceTransformsResponse> {
 public:
  InstanceStream(RequestContext& context, const ServerLimits& limits, size_t chunk_bytes,
                 PrimBatch batch, std::optional<TimeCode> base_time, InstanceOptions options,
                 bool with_ids)
      : ItemStream(context, limits, chunk_bytes, std::move(batch)),
        base_time_(base_time),
        options_(options),
        with_ids_(with_ids) {}

 private:
  void Fill(const Prim& prim, const ItemTime& at, ReplyBudget& budget,
            v1::InstancerTransforms* out) override {
    RequestContext& context = budget.context();
    const TimeCode base_time = base_time_.value_or(at.frame);
    auto instances =
        out->has_sample()
            ? ComputeInstanceSample(context, prim, at.time, base_time, options_)
            : stagedoor::ComputeInstanceTransforms(context, prim, at.time, base_time, options_);
    if (!instances.ok()) {
      return budget.FillError(instances.status(), out->item(), out->mutable_error());
    }
    const size_t count = instances->proto_indices.size();
    out->set_instance_count(static_cast<uint32_t>(count));
    FillPackedMatrices(std::move(instances->transforms), budget, out->mutable_transforms());
    FillIndices(*instances, budget, out);
    for (const Path path : instances->prototypes) {
      if (!budget.ok()) return;
      budget.AddText(path.ToString(), out->mutable_prototypes());
    }
  }

  absl::Status AddMotion(RequestContext& context, const Prim& prim, TimeCode frame,
                         MotionTimes* times) override {
    return AddInstanceMotion(context, prim, base_time_.value_or(frame),
                             options_.include_proto_transform, times);
  }

  // Fills what there is for each instance besides its transform.
  void FillIndices(const InstanceTransforms& instances, ReplyBudget& budget,
                   v1::InstancerTransforms* out) const {
    const auto indices = FindInstanceIndices(budget.context(), instances, options_.apply_mask);
    if (!indices.ok()) return;
    FillPackedArray(ValueType::kUInt, indices->prototypes, budget,
                    out->mutable_prototype_indices());
    if (with_ids_ && indices->ids) {
      FillPackedArray(ValueType::kInt64, *indices->ids, budget, out->mutable_ids());
    }
    const size_t count = instances.proto_indices.size();
    if (options_.apply_mask && !instances.mask.empty()) {
      FillPackedArray(ValueType::kUInt, indices->instances, budget,
                      out->mutable_instance_indices());
    } else if (instances.mask.size() == count && count != 0) {
      bool* mask;
      const auto array = Array<bool>::Uninitialized(count, &mask);
      std::copy(instances.mask.begin(), instances.mask.end(), mask);
      FillPackedArray(ValueType::kBool, array, budget, out->mutable_mask());
    }
  }

  const std::optional<TimeCode> base_time_;
  const InstanceOptions options_;
  const bool with_ids_;
};

}  // namespace

absl::StatusOr<ResponseStreamPtr<WireWriter>> GetPrimvars(const QueryState& state,
                                                          RequestContext& context,
                                                          const v1::GetPrimvarsRequest& request) {
  // Parse, and look up the stage and the prims.
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  // The stream calls the engine, and fills the messages.
  auto stream = std::make_unique<PrimvarStream>(context, state.limits, std::move(batch), request);
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  SD_RETURN_IF_ERROR(stream->UseSamplePolicy(request));
  return stream;
}

absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputePoints(
    const QueryState& state, RequestContext& context, const v1::ComputePointsRequest& request) {
  // Parse, and look up the stage and the prims.
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  std::optional<TimeCode> base_time;
  if (request.has_base_time()) {
    SD_ASSIGN_OR_RETURN(base_time, ParseTimeCode(request.base_time()));
  }
  // The stream calls the engine, and fills the messages.
  auto stream = std::make_unique<PointsStream>(
      context, state.limits, ChunkBytes(request, state.limits), std::move(batch), base_time);
  SD_RETURN_IF_ERROR(stream->UseSamplePolicy(request));
  return stream;
}

absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeSubsets(
    const QueryState& state, RequestContext& context, const v1::ComputeSubsetsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  auto stream = std::make_unique<SubsetStream>(context, state.limits, std::move(batch), request);
  SD_RETURN_IF_ERROR(stream->UseDigestOptions(request));
  return stream;
}

absl::StatusOr<ResponseStreamPtr<WireWriter>> ComputeInstanceTransforms(
    const QueryState& state, RequestContext& context,
    const v1::ComputeInstanceTransformsRequest& request) {
  SD_ASSIGN_OR_RETURN(PrimBatch batch, ParsePrimBatch(state, context, request));
  std::optional<TimeCode> base_time;
  if (request.has_base_time()) {
    SD_ASSIGN_OR_RETURN(base_time, ParseTimeCode(request.base_time()));
  }
  InstanceOptions options;
  options.include_proto_transform = !request.exclude_prototype_transforms();
  options.apply_mask = !request.ignore_mask();
  auto stream =
      std::make_unique<InstanceStream>(context, state.limits, ChunkBytes(request, state.limits),
                                       std::move(batch), base_time, options, request.with_ids());
  SD_RETURN_IF_ERROR(stream->UseSamplePolicy(request));
  return stream;
}

}  // namespace stagedoor::server
