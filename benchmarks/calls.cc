#include "benchmarks/calls.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "base/status.h"
#include "benchmarks/require.h"
#include "benchmarks/scene_info.h"

namespace stagedoor::bench {
namespace {

template <typename T>
T ValueOrEnd(absl::StatusOr<T> reply, const char* what) {
  if (!reply.ok()) Require(false, std::string(what) + ": " + Concat(Message(reply.status())));
  return *std::move(reply);
}

void OkOrEnd(const absl::Status& status, const char* what) {
  if (!status.ok()) Require(false, std::string(what) + ": " + Concat(Message(status)));
}

std::string TwoDigits(int number) { return (number < 10 ? "0" : "") + std::to_string(number); }

// Paths of scalar attributes of the anim scene, derived from how it is generated.
std::vector<std::string> AnimPaths(const SceneInfo& info) {
  const int prims = info.integer("prims");
  const int per = prims / (prims >= 1000 ? 8 : 2);
  std::vector<std::string> paths;
  for (int set = 0; set < prims / per; ++set) {
    for (int k = 0; k < per; k += 7) {
      std::string prim = "/Anim/set_" + TwoDigits(set) + "/grp_" + std::to_string(k / 200) +
                         "/chain_" + TwoDigits(k % 200 / 5 % 40);
      for (int n = 0; n <= k % 5; ++n) prim += "/n" + std::to_string(n);
      for (const std::string& name : info.texts("scalars")) paths.push_back(prim + "." + name);
    }
  }
  return paths;
}

class AnimCalls {
 public:
  // Opens the stage if `handle` is empty.
  AnimCalls(Client& client, const std::string& scenes, const std::string& handle, uint32_t seed)
      : client_(client),
        info_(scenes, "anim"),
        paths_(AnimPaths(info_)),
        handle_(handle.empty() ? OpenStage(client, info_.root()) : handle),
        random_(seed) {}

  // Reads `count` different scalars at `times` times, one frame apart.
  Answer Values(size_t count, int times) {
    const auto reply =
        ValueOrEnd(client_.BatchGetValues(ValuesRequest(count, times)), "BatchGetValues");
    size_t values = 0;
    for (const v1::ValueColumn& column : reply.columns()) {
      values += static_cast<size_t>(column.doubles_size() + column.floats_size());
    }
    Require(values == count * static_cast<size_t>(times), "BatchGetValues: values are missing");
    return {static_cast<double>(values), static_cast<double>(values) * 8};
  }

  absl::Status ReadMany() {
    return client_.BatchGetValues(ValuesRequest(std::min<size_t>(1000, paths_.size()), 200))
        .status();
  }

  Answer Samples() {
    v1::ListTimeSamplesRequest request;
    request.mutable_stage()->set_handle(handle_);
    AddPaths(1, request.mutable_paths());
    const auto reply = ValueOrEnd(client_.ListTimeSamples(request), "ListTimeSamples");
    Require(reply.attributes_size() == 1 && reply.attributes(0).times().count() ==
                                                static_cast<uint64_t>(info_.integer("samples")),
            "ListTimeSamples: samples are missing");
    return {1, 8.0 * static_cast<double>(reply.attributes(0).times().count())};
  }

 private:
  v1::BatchGetValuesRequest ValuesRequest(size_t count, int times) {
    v1::BatchGetValuesRequest request;
    request.mutable_stage()->set_handle(handle_);
    AddPaths(count, request.mutable_paths());
    const double first = RandomTime(times > 1 ? times : 0);
    for (int i = 0; i < times; ++i) request.mutable_times()->add_frames(first + i);
    return request;
  }

  double RandomTime(double before_end) {
    return std::uniform_real_distribution<double>(1, info_.number("end") - before_end)(random_);
  }

  template <typename Paths>
  void AddPaths(size_t count, Paths* paths) {
    Require(count <= paths_.size(), "the scene has too few attributes");
    for (size_t i = 0; i < count; ++i) {  // a partial shuffle
      const size_t other = i + random_() % (paths_.size() - i);
      std::swap(paths_[i], paths_[other]);
      paths->Add()->assign(paths_[i]);
    }
  }

  Client& client_;
  const SceneInfo info_;
  std::vector<std::string> paths_;
  const std::string handle_;
  std::mt19937 random_;
};

class ArrayCalls {
 public:
  ArrayCalls(Client& client, const std::string& scenes, uint32_t seed)
      : client_(client), info_(scenes, "clips"), random_(seed) {
    request_.mutable_stage()->set_handle(OpenStage(client, info_.root()));
    for (int i = 0; i < info_.integer("meshes"); ++i) {
      request_.add_paths(info_.text("template") + "/mesh_" + TwoDigits(i) + ".points");
    }
    const std::vector<int> points = info_.integers("meshPoints");
    expected_bytes_ = std::accumulate(points.begin(), points.end(), 0.0) * 12;
  }

  Answer Points() {
    request_.mutable_times()->clear_frames();
    const auto frames = static_cast<uint32_t>(info_.integer("frames"));
    request_.mutable_times()->add_frames(1 + random_() % frames);
    Answer answer;
    const auto sink = [&](const v1::StreamValuesResponse& part) {
      answer.values += part.value().has_array_value();
      answer.bytes += static_cast<double>(part.value().array_value().data().size());
      return absl::OkStatus();
    };
    OkOrEnd(client_.StreamValues(request_, sink), "StreamValues");
    Require(answer.bytes == expected_bytes_, "StreamValues: points are missing");
    return answer;
  }

 private:
  Client& client_;
  const SceneInfo info_;
  std::mt19937 random_;
  v1::StreamValuesRequest request_;
  double expected_bytes_ = 0;
};

class SkinCalls {
 public:
  SkinCalls(Client& client, const std::string& scenes, uint32_t seed)
      : client_(client),
        info_(scenes, "crowd"),
        roots_(info_.texts("skelRoots")),
        random_(seed),
        handle_(OpenStage(client, info_.root())) {
    v1::ListSkelBindingsRequest request;
    request.mutable_stage()->set_handle(handle_);
    const auto sink = [this](const v1::ListSkelBindingsResponse& part) {
      for (const v1::SkelBinding& binding : part.bindings()) {
        meshes_[binding.skel_root()].push_back(binding.path());
      }
      return absl::OkStatus();
    };
    OkOrEnd(client_.ListSkelBindings(request, sink), "ListSkelBindings");
    Require(meshes_.size() == roots_.size(), "ListSkelBindings: characters are missing");
  }

  Answer Points() {
    v1::ComputeSkinnedPointsRequest request;
    request.mutable_stage()->set_handle(handle_);
    for (const std::string& path : meshes_[roots_[random_() % roots_.size()]]) {
      request.add_paths(path);
    }
    request.mutable_times()->add_frames(
        std::uniform_real_distribution<double>(1, info_.number("end"))(random_));
    Answer answer;
    const auto sink = [&](const v1::ComputeSkinnedPointsResponse& part) {
      for (const v1::SkinnedPrim& item : part.items()) {
        answer.values += static_cast<double>(item.points().count());
        answer.bytes += static_cast<double>(item.points().data().size());
      }
      return absl::OkStatus();
    };
    OkOrEnd(client_.ComputeSkinnedPoints(request, sink), "ComputeSkinnedPoints");
    Require(answer.values > 0 && answer.bytes == answer.values * 12,
            "ComputeSkinnedPoints: points are missing");
    return answer;
  }

 private:
  Client& client_;
  const SceneInfo info_;
  const std::vector<std::string> roots_;
  std::mt19937 random_;
  const std::string handle_;
  std::map<std::string, std::vector<std::string>> meshes_;
};

}  // namespace

std::unique_ptr<Client> Connect(const std::string& address) {
  ClientOptions options;
  options.address = address;
  options.timeout = std::chrono::seconds(300);
  return Client::Connect(options);
}

std::string OpenStage(Client& client, const std::string& root) {
  v1::OpenStageRequest request;
  request.set_root_layer(root);
  request.set_load_policy(v1::LOAD_POLICY_ALL);
  request.set_client_name("benchmark");
  return ValueOrEnd(client.OpenStage(request), "OpenStage").handle();
}

Call MakeCall(Client& client, const std::string& scenes, const std::string& work, uint32_t seed) {
  if (work == "arrays") {
    auto calls = std::make_shared<ArrayCalls>(client, scenes, seed);
    return [calls] { return calls->Points(); };
  }
  if (work == "skin") {
    auto calls = std::make_shared<SkinCalls>(client, scenes, seed);
    return [calls] { return calls->Points(); };
  }
  auto calls = std::make_shared<AnimCalls>(client, scenes, /*handle=*/"", seed);
  if (work == "small") return [calls] { return calls->Values(1, 1); };
  if (work == "batch") return [calls] { return calls->Values(100, 10); };
  if (work == "batch1000") return [calls] { return calls->Values(1000, 1); };
  if (work == "samples") return [calls] { return calls->Samples(); };
  Require(false, "unknown work " + work);
  return nullptr;
}

Load MakeLoad(Client& client, const std::string& scenes, const std::string& work, uint32_t seed) {
  if (work == "huge") {
    auto calls = std::make_shared<AnimCalls>(client, scenes, /*handle=*/"", seed);
    return [calls] { return calls->ReadMany(); };
  }
  Require(work == "flatten", "unknown work " + work);
  v1::FlattenStageRequest request;
  request.mutable_source()->mutable_stage()->set_handle(
      OpenStage(client, SceneInfo(scenes, "city").root()));
  return [&client, request] {
    return client.FlattenStage(request,
                               [](const v1::FlattenStageResponse&) { return absl::OkStatus(); });
  };
}

Call MakeSmallCall(Client& client, const std::string& scenes, const std::string& handle,
                   uint32_t seed) {
  auto calls = std::make_shared<AnimCalls>(client, scenes, handle, seed);
  return [calls] { return calls->Values(1, 1); };
}

}  // namespace stagedoor::bench
