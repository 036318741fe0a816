#include "client/cli/perf_calls.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "client/cc/value_batch.h"
#include "client/cli/glob.h"
#include "client/cli/stage_options.h"

namespace stagedoor {
namespace {

constexpr size_t kMostTargets = 10000;

const std::string& AnyOf(const std::vector<std::string>& paths, LoadRandom& random) {
  return paths[std::uniform_int_distribution<size_t>(0, paths.size() - 1)(random)];
}

// A whole frame of the stage's range.
double AnyFrame(const PerfTargets& targets, LoadRandom& random) {
  return std::floor(
      std::uniform_real_distribution<double>(targets.first_time, targets.last_time + 1)(random));
}

// The values of a batch of attributes at a frame.
absl::Status CallValues(const PerfClient& perf, LoadRandom& random) {
  v1::BatchGetValuesRequest request;
  *request.mutable_stage() = perf.stage;
  for (size_t i = 0; i < perf.batch; ++i) {
    request.add_paths(AnyOf(perf.targets.attributes, random));
  }
  request.mutable_times()->add_frames(AnyFrame(perf.targets, random));
  return perf.client.BatchGetValues(request).status();
}

// One prim with the names and types of its properties.
absl::Status CallPrim(const PerfClient& perf, LoadRandom& random) {
  v1::GetPrimRequest request;
  *request.mutable_stage() = perf.stage;
  request.set_path(AnyOf(perf.targets.prims, random));
  for (const char* field : {"type_name", "children", "properties"}) {
    request.mutable_read_mask()->add_paths(field);
  }
  return perf.client.GetPrim(request).status();
}

// The sample times of a batch of attributes.
absl::Status CallSamples(const PerfClient& perf, LoadRandom& random) {
  v1::ListTimeSamplesRequest request;
  *request.mutable_stage() = perf.stage;
  for (size_t i = 0; i < perf.batch; ++i) {
    request.add_paths(AnyOf(perf.targets.attributes, random));
  }
  return perf.client.ListTimeSamples(request).status();
}

absl::Status CallExplain(const PerfClient& perf, LoadRandom& random) {
  v1::ExplainRequest request;
  *request.mutable_stage() = perf.stage;
  request.set_path(AnyOf(perf.targets.attributes, random));
  request.mutable_times()->add_frames(AnyFrame(perf.targets, random));
  return perf.client.Explain(request).status();
}

// The whole stage, names and types only.
absl::Status CallTraverse(const PerfClient& perf, LoadRandom&) {
  v1::TraverseRequest request;
  *request.mutable_stage() = perf.stage;
  return perf.client.Traverse(request,
                              [](const v1::TraverseResponse&) { return absl::OkStatus(); });
}

absl::Status CallOpen(const PerfClient& perf, LoadRandom&) {
  return StageLease::Open(perf.client, perf.open).status();
}

struct CallKind {
  std::string_view name;
  absl::Status (*call)(const PerfClient&, LoadRandom&);
};

constexpr CallKind kKinds[] = {{"values", CallValues},     {"prim", CallPrim},
                               {"samples", CallSamples},   {"explain", CallExplain},
                               {"traverse", CallTraverse}, {"open", CallOpen}};

const CallKind* FindKind(std::string_view name) {
  const auto* found = std::find_if(std::begin(kKinds), std::end(kKinds),
                                   [&](const CallKind& kind) { return kind.name == name; });
  return found == std::end(kKinds) ? nullptr : found;
}

absl::StatusOr<PerfShare> ParseShare(std::string_view text) {
  const size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  if (FindKind(name) == nullptr) {
    return UsageError(
        Concat("--mix consists of values, prim, samples, explain, traverse and open, not of ",
               Quoted(name)));
  }
  if (equals == std::string_view::npos) return PerfShare{std::string(name)};
  const auto weight = ParseNumber<double>(text.substr(equals + 1));
  if (!weight.has_value() || !(*weight > 0 && *weight <= 1e9)) {
    return UsageError(Concat("the weights of --mix must be positive numbers, not ", Quoted(text)));
  }
  return PerfShare{std::string(name), *weight};
}

bool Matches(const v1::Property& property, const std::vector<std::string>& globs, bool arrays) {
  if (property.kind() != v1::Property::KIND_ATTRIBUTE) return false;
  if (!arrays && property.type_name().ends_with("[]")) return false;
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
           return GlobMatches(glob, property.name());
         });
}

}  // namespace

absl::StatusOr<PerfTargets> FindPerfTargets(Client& client, const v1::OpenStageRequest& open,
                                            const std::vector<std::string>& roots,
                                            const std::vector<std::string>& globs, bool arrays) {
  SD_ASSIGN_OR_RETURN(const StageLease stage, StageLease::Open(client, open));
  PerfTargets targets;
  const double first = stage.stage().start_time_code(), last = stage.stage().end_time_code();
  if (first < last && std::isfinite(last - first)) {
    targets.first_time = first;
    targets.last_time = last;
  }
  v1::TraverseRequest request;
  *request.mutable_stage() = stage.ref();
  for (const std::string& root : roots) request.add_roots(root);
  request.mutable_read_mask()->add_paths("properties");
  absl::Status enough = CancelledError("enough");
  absl::Status status = client.Traverse(request, [&](const v1::TraverseResponse& response) {
    for (const v1::Prim& prim : response.prims()) {
      if (targets.prims.size() == kMostTargets) return enough;
      targets.prims.push_back(prim.path());
      for (const v1::Property& property : prim.properties()) {
        if (targets.attributes.size() == kMostTargets) break;
        if (!Matches(property, globs, arrays)) continue;
        targets.attributes.push_back(Concat(prim.path(), ".", property.name()));
      }
    }
    return absl::OkStatus();
  });
  if (!status.ok() && status != enough) return status;
  if (targets.attributes.empty()) return NotFoundError("no attributes to ask for were found");
  return targets;
}

absl::StatusOr<std::vector<PerfShare>> ParseMix(std::string_view text) {
  std::vector<PerfShare> mix;
  for (;;) {
    const size_t comma = text.find(',');
    SD_ASSIGN_OR_RETURN(PerfShare share, ParseShare(text.substr(0, comma)));
    mix.push_back(std::move(share));
    if (comma == std::string_view::npos) return mix;
    text.remove_prefix(comma + 1);
  }
}

std::vector<LoadOperation> OperationsOf(const PerfClient& client,
                                        const std::vector<PerfShare>& mix) {
  std::vector<LoadOperation> operations;
  for (const PerfShare& share : mix) {
    const CallKind* kind = FindKind(share.name);
    operations.push_back(
        {share.name, share.weight,
         [call = kind->call, &client](LoadRandom& random) { return call(client, random); }});
  }
  return operations;
}

}  // namespace stagedoor
