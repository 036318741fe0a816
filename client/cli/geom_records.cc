#include "client/cli/geom_records.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "base/status_macros.h"
#include "client/cc/packed_numbers.h"
#include "client/cli/purpose_words.h"
#include "client/cli/value_json.h"

namespace stagedoor {
namespace {

// Number of prims per request.
constexpr size_t kPrimsOfRequest = 200;

std::vector<TimeArgument> PlainTimes(const std::vector<TimeArgument>& times) {
  std::vector<TimeArgument> plain;
  std::copy_if(times.begin(), times.end(), std::back_inserter(plain),
               [](const TimeArgument& time) { return time.plain(); });
  return plain;
}

// Makes a request for prims × times. All geometry requests have these fields in common.
template <typename Request>
Request RequestOf(const v1::StageRef& stage, const std::vector<std::string>& paths,
                  const std::vector<TimeArgument>& times) {
  Request request;
  *request.mutable_stage() = stage;
  for (const std::string& path : paths) request.add_paths(path);
  for (const TimeArgument& time : times) *request.mutable_times()->add_times() = time.time;
  return request;
}

std::string_view PurposeOfPath(const v1::ComputeVisibilityResponse& response, int path) {
  const v1::Purpose purpose = response.purpose(path);
  if (purpose != v1::PURPOSE_OTHER) return PurposeWord(purpose);
  return path < response.other_purposes_size() ? response.other_purposes(path) : std::string_view();
}

void WriteBound(const v1::PackedValues& bounds, size_t item, JsonWriter& json) {
  json.Key("worldBound");
  const std::span<const double> numbers = PackedNumbers<double>(bounds);
  const size_t first = 6 * item;
  if (first + 6 > numbers.size() || numbers[first] > numbers[first + 3]) return json.Null();
  WritePackedElement(bounds, item, json);
}

void WritePrimvar(const v1::Primvar& primvar, JsonWriter& json) {
  json.Key(primvar.name());
  json.BeginObject();
  json.Key("typeName");
  json.String(primvar.type_name());
  json.Key("interpolation");
  json.String(primvar.interpolation());
  if (primvar.element_size() != 1) {
    json.Key("elementSize");
    json.Int(primvar.element_size());
  }
  WriteField("value", primvar.value(), json);
  if (primvar.has_indices()) WriteField("indices", primvar.indices(), json);
  json.EndObject();
}

// The replies for one batch of prims.
struct GeomBatch {
  v1::ComputeTransformsResponse transforms;
  v1::ComputeVisibilityResponse visibility;
  v1::ComputeBoundsResponse bounds;
  std::vector<std::vector<v1::Primvar>> primvars;  // by item
};

absl::StatusOr<GeomBatch> AskBatch(Client& client, const v1::StageRef& stage,
                                   const std::vector<std::string>& paths,
                                   const std::vector<TimeArgument>& times) {
  GeomBatch batch;
  SD_ASSIGN_OR_RETURN(
      batch.transforms,
      client.ComputeTransforms(RequestOf<v1::ComputeTransformsRequest>(stage, paths, times)));
  SD_ASSIGN_OR_RETURN(
      batch.visibility,
      client.ComputeVisibility(RequestOf<v1::ComputeVisibilityRequest>(stage, paths, times)));
  SD_ASSIGN_OR_RETURN(
      batch.bounds, client.ComputeBounds(RequestOf<v1::ComputeBoundsRequest>(stage, paths, times)));
  batch.primvars.resize(paths.size() * times.size());
  SD_RETURN_IF_ERROR(client.GetPrimvars(RequestOf<v1::GetPrimvarsRequest>(stage, paths, times),
                                        [&](const v1::GetPrimvarsResponse& response) {
                                          for (const v1::PrimPrimvars& item : response.items()) {
                                            if (item.item() >= batch.primvars.size()) continue;
                                            auto& primvars = batch.primvars[item.item()];
                                            primvars.insert(primvars.end(), item.primvars().begin(),
                                                            item.primvars().end());
                                          }
                                          return absl::OkStatus();
                                        }));
  return batch;
}

void WriteGeom(const GeomBatch& batch, size_t path_index, size_t item, JsonWriter& json) {
  const int i = static_cast<int>(item);
  if (item < PackedElementCount(batch.transforms.local_to_world())) {
    json.Key("localToWorld");
    WritePackedElement(batch.transforms.local_to_world(), item, json);
  }
  if (i < batch.transforms.resets_xform_stack_size() && batch.transforms.resets_xform_stack(i)) {
    json.Key("resetsXformStack");
    json.Bool(true);
  }
  if (i < batch.visibility.visibility_size()) {
    json.Key("visibility");
    json.String(batch.visibility.visibility(i) == v1::VISIBILITY_INVISIBLE ? "invisible"
                                                                           : "inherited");
  }
  if (static_cast<int>(path_index) < batch.visibility.purpose_size()) {
    json.Key("purpose");
    json.String(PurposeOfPath(batch.visibility, static_cast<int>(path_index)));
  }
  WriteBound(batch.bounds.bounds(), item, json);
  if (batch.primvars[item].empty()) return;
  json.Key("primvars");
  json.BeginObject();
  for (const v1::Primvar& primvar : batch.primvars[item]) WritePrimvar(primvar, json);
  json.EndObject();
}

void BeginRecord(std::string_view record, std::string_view path, std::string_view time,
                 JsonWriter& json) {
  json.BeginObject();
  json.Key("record");
  json.String(record);
  json.Key("path");
  json.String(path);
  json.Key("time");
  json.String(time);
}

void WritePacked(std::string_view key, bool present, const v1::PackedValues& packed,
                 JsonWriter& json) {
  json.Key(key);
  present ? WritePackedArray(packed, json) : json.Null();
}

void WriteSkin(const v1::SkinnedPrim& prim, std::string_view time, JsonWriter& json) {
  BeginRecord("skin", prim.path(), time, json);
  json.Key("skeleton");
  json.String(prim.skeleton());
  if (!prim.animation_source().empty()) {
    json.Key("animationSource");
    json.String(prim.animation_source());
  }
  json.Key("jointOrder");
  json.BeginArray();
  for (const std::string& joint : prim.joint_order()) json.String(joint);
  json.EndArray();
  json.Key("rigid");
  json.Bool(prim.rigid());
  WritePacked("jointXforms", prim.has_joint_transforms(), prim.joint_transforms(), json);
  WritePacked("points", prim.has_points(), prim.points(), json);
  WritePacked("normals", prim.has_normals(), prim.normals(), json);
  json.Key("xform");
  WritePackedElement(prim.xform(), 0, json);
  json.EndObject();
}

}  // namespace

absl::Status PrintGeomRecords(Client& client, const v1::StageRef& stage,
                              const std::vector<std::string>& paths,
                              const std::vector<TimeArgument>& times, JsonWriter& json,
                              Output& output) {
  const std::vector<TimeArgument> plain = PlainTimes(times);
  if (plain.empty()) return absl::OkStatus();
  for (size_t first = 0; first < paths.size(); first += kPrimsOfRequest) {
    const std::vector<std::string> part(
        paths.begin() + static_cast<ptrdiff_t>(first),
        paths.begin() + static_cast<ptrdiff_t>(std::min(first + kPrimsOfRequest, paths.size())));
    SD_ASSIGN_OR_RETURN(const GeomBatch batch, AskBatch(client, stage, part, plain));
    for (size_t i = 0; i < part.size() * plain.size(); ++i) {
      BeginRecord("geom", part[i / plain.size()], plain[i % plain.size()].word, json);
      WriteGeom(batch, i / plain.size(), i, json);
      json.EndObject();
      output.Line(json);
    }
  }
  return absl::OkStatus();
}

absl::Status PrintSkinRecords(Client& client, const v1::StageRef& stage,
                              const std::vector<TimeArgument>& times, JsonWriter& json,
                              Output& output) {
  const std::vector<TimeArgument> plain = PlainTimes(times);
  if (plain.empty()) return absl::OkStatus();
  auto request = RequestOf<v1::ComputeSkinnedPointsRequest>(stage, {}, plain);
  request.set_with_normals(true);
  request.set_with_joints(true);
  return client.ComputeSkinnedPoints(request,
                                     [&](const v1::ComputeSkinnedPointsResponse& response) {
                                       for (const v1::SkinnedPrim& prim : response.items()) {
                                         if (prim.has_error()) continue;
                                         if (prim.time_index() >= plain.size()) continue;
                                         WriteSkin(prim, plain[prim.time_index()].word, json);
                                         output.Line(json);
                                       }
                                       return absl::OkStatus();
                                     });
}

}  // namespace stagedoor
