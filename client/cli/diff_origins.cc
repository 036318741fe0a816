#include "client/cli/diff_origins.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "client/cli/value_text.h"

namespace stagedoor {
namespace {

using Sites = google::protobuf::RepeatedPtrField<v1::Site>;

constexpr size_t kMostLayers = 3;

// The layers of the sites, strongest first.
std::string LayersOf(const Sites& sites) {
  std::vector<std::string> layers;
  for (const v1::Site& site : sites) {
    if (std::find(layers.begin(), layers.end(), site.layer()) == layers.end()) {
      layers.push_back(site.layer());
    }
  }
  if (layers.size() <= 1) return layers.empty() ? "" : layers.front();
  return Concat("one of ", JoinFirst(std::move(layers), kMostLayers));
}

}  // namespace

std::string DiffOrigins::Of(std::string_view subject) const {
  const size_t space = subject.find(' ');
  const std::string path(subject.substr(0, space));
  const std::string_view aspect = space == subject.npos ? "" : subject.substr(space + 1);
  if (path == "/") return "";
  const size_t dot = path.find('.');
  if (dot == std::string::npos) return OfPrim(path);
  for (const TimeArgument& time : times_) {
    if (aspect == Concat("at ", time.word)) return OfValue(path, time);
  }
  return OfProperty(path.substr(0, dot), path.substr(dot + 1));
}

std::string DiffOrigins::OfValue(const std::string& path, const TimeArgument& time) const {
  v1::ExplainRequest request;
  *request.mutable_stage() = stage_;
  request.set_path(path);
  *request.mutable_times()->add_times() = time.time;
  const absl::StatusOr<v1::ExplainResponse> response = client_.Explain(request);
  if (!response.ok() || response->explanations().empty()) return "";
  const v1::Explanation& explanation = response->explanations(0);
  if (explanation.has_site()) return explanation.site().layer();
  if (explanation.source() == v1::VALUE_SOURCE_FALLBACK) return "the schema";
  return LayersOf(explanation.stack());
}

std::string DiffOrigins::OfProperty(const std::string& prim_path, const std::string& name) const {
  v1::GetPrimRequest request;
  *request.mutable_stage() = stage_;
  request.set_path(prim_path);
  request.mutable_read_mask()->add_paths("properties.stacks");
  request.add_property_names(name);
  request.mutable_times()->add_times()->mutable_default_time();
  const absl::StatusOr<v1::GetPrimResponse> response = client_.GetPrim(request);
  if (!response.ok() || response->prim().properties().empty()) return "";
  const v1::Property& property = response->prim().properties(0);
  if (property.stacks().empty() || property.stacks(0).sites().empty()) return "the schema";
  return LayersOf(property.stacks(0).sites());
}

std::string DiffOrigins::OfPrim(const std::string& path) const {
  v1::GetPrimRequest request;
  *request.mutable_stage() = stage_;
  request.set_path(path);
  request.mutable_read_mask()->add_paths("prim_stack");
  const absl::StatusOr<v1::GetPrimResponse> response = client_.GetPrim(request);
  return response.ok() ? LayersOf(response->prim().prim_stack()) : "";
}

}  // namespace stagedoor
