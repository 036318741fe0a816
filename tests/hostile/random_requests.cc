// random_requests ADDRESS SECONDS SEED ROOT...: calls all methods of the API with random requests
// about the scenes, from four threads. Prints how often each status occurred. Exits with 1 if a
// connection broke or a status was outside of the contract (proto/stagedoor/v1/errors.proto).
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "base/strings.h"
#include "google/rpc/error_details.pb.h"
#include "google/rpc/status.pb.h"
#include "server/server_options.h"
#include "server/testing/generic_call.h"
#include "server/testing/message_fuzzer.h"
#include "stagedoor/v1/stages.pb.h"
#include "tests/hostile/raw_call.h"

namespace stagedoor {
namespace {

using google::protobuf::MethodDescriptor;
using Clock = std::chrono::steady_clock;

constexpr int kThreads = 4;
constexpr unsigned kReopenEvery = 200;  // calls, so that edits do not accumulate on one handle

bool HasReason(const google::rpc::Status& details) {
  for (const auto& detail : details.details()) {
    google::rpc::ErrorInfo info;
    if (detail.UnpackTo(&info)) return info.domain() == "stagedoor.dev" && !info.reason().empty();
  }
  return false;
}

// Whether gRPC refused the request for its size before the daemon saw it, so without a reason.
bool IsTooLarge(const RawCall& call, const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::RESOURCE_EXHAUSTED &&
         call.request.size() > server::ServerOptions().max_request_bytes;
}

// Whether the contract permits the status, which the daemon or this client's gRPC made.
bool IsPermitted(const RawCall& call, const grpc::Status& status) {
  if (IsTooLarge(call, status)) return true;
  google::rpc::Status details;
  if (!details.ParseFromString(status.error_details())) return false;
  switch (status.error_code()) {
    case grpc::StatusCode::OK:
    case grpc::StatusCode::CANCELLED:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::INVALID_ARGUMENT:  // see LacksReason
    case grpc::StatusCode::NOT_FOUND:
      return true;
    case grpc::StatusCode::UNKNOWN:
    case grpc::StatusCode::INTERNAL:
      return false;
    default:  // including UNAVAILABLE, which has no reason if a connection broke
      return HasReason(details);
  }
}

// Whether the code says all that is known, which is permitted but does not help programs.
bool LacksReason(const grpc::Status& status) {
  google::rpc::Status details;
  return (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT ||
          status.error_code() == grpc::StatusCode::NOT_FOUND) &&
         !(details.ParseFromString(status.error_details()) && HasReason(details));
}

class Tally {
 public:
  void Count(const RawCall& call, const RawResult& result) {
    const int code = static_cast<int>(result.status.error_code());
    MutexLock lock(mu_);
    ++codes_[code];
    const bool bad = !IsPermitted(call, result.status);
    bad_ += bad ? 1 : 0;
    if ((bad || LacksReason(result.status)) && printed_++ < 20) {
      std::printf("%s: code %d: %s\n", call.method.c_str(), code,
                  result.status.error_message().c_str());
    }
  }
  int Print() {
    MutexLock lock(mu_);
    for (const auto& [code, count] : codes_) std::printf("code %d: %zu\n", code, count);
    return bad_ == 0 ? 0 : 1;
  }

 private:
  Mutex mu_;
  std::map<int, size_t> codes_ ABSL_GUARDED_BY(mu_);
  size_t bad_ ABSL_GUARDED_BY(mu_) = 0;
  size_t printed_ ABSL_GUARDED_BY(mu_) = 0;
};

std::vector<std::string> Words(const std::vector<std::string>& roots) {
  std::vector<std::string> words = {"/",
                                    "/A",
                                    "/A.a",
                                    "/A.points",
                                    "/A/Mesh",
                                    "/A/Skel",
                                    "A",
                                    ".a",
                                    "1:320",
                                    "1:1e9x0.1",
                                    "0:10",
                                    "nan",
                                    "default",
                                    "x",
                                    "",
                                    "//*",
                                    "/A{v=a}",
                                    "../A",
                                    "/A/..",
                                    "sha",
                                    "Mesh",
                                    "out.usda",
                                    "/etc/passwd",
                                    "/A.collection:c",
                                    "a.usdz[b.usda]",
                                    "file:///",
                                    "/A.a[/B]",
                                    "#usda 1.0\ndef \"S\" {}\n"};
  for (int i = 0; i < 3; ++i) words.insert(words.end(), roots.begin(), roots.end());
  return words;
}

std::string OpenedHandle(const std::shared_ptr<grpc::Channel>& channel, const std::string& root) {
  v1::OpenStageRequest open;
  open.set_root_layer(root);
  const auto result = RunRawCall(channel, {.method = "/stagedoor.v1.StagesService/OpenStage",
                                           .request = open.SerializeAsString()});
  v1::OpenStageResponse opened;
  return opened.ParseFromString(result.first) ? opened.handle() : std::string();
}

// Whether a request would end the daemon, or hide from its log what this test looks for.
bool SteersDaemon(const MethodDescriptor& method) {
  return method.name() == "Drain" || method.name() == "SetLogLevel";
}

void SendRequests(const std::string& address, const std::vector<std::string>& roots, unsigned seed,
                  Clock::time_point end, Tally& tally) {
  const auto channel = ConnectRaw(address);
  auto methods = server::AllMethods();
  std::erase_if(methods, [](const MethodDescriptor* method) { return SteersDaemon(*method); });
  server::MessageFuzzer random(Words(roots), seed);
  for (unsigned n = 0; Clock::now() < end; ++n) {
    if (n % kReopenEvery == 0) {
      random.SetHandle(
          OpenedHandle(channel, roots[random.Below(static_cast<unsigned>(roots.size()))]));
    }
    const MethodDescriptor& method = *methods[random.Below(static_cast<unsigned>(methods.size()))];
    const auto request = server::NewRequest(method);
    random.Fill(request.get());
    RawCall call{.method = server::MethodPath(method),
                 .request = request->SerializePartialAsString()};
    if (random.OneIn(8)) call.request = random.Corrupt(std::move(call.request));
    call.deadline = std::chrono::milliseconds(1 + random.Below(2000));
    if (random.OneIn(20)) call.read_at_most = random.Below(3);
    tally.Count(call, RunRawCall(channel, call));
  }
}

int Main(int argc, char** argv) {
  if (argc < 5) return 2;
  const auto end = Clock::now() + std::chrono::seconds(std::atoi(argv[2]));
  const std::vector<std::string> roots(argv + 4, argv + argc);
  Tally tally;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    const auto seed = static_cast<unsigned>(std::atoi(argv[3]) * kThreads + t);
    threads.emplace_back([&, seed] { SendRequests(argv[1], roots, seed, end, tally); });
  }
  for (std::thread& thread : threads) thread.join();
  return tally.Print();
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) { return stagedoor::Main(argc, argv); }
