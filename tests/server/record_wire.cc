// Prints requests and replies of every method in wire form, for wire_compatibility_test. For a new
// method, append its lines to wire_v1.txt. Once there is a release, never replace recorded lines:
// clients that send and expect those bytes exist.
#include <spdlog/spdlog.h>

#include <cstdio>
#include <memory>
#include <string>

#include "absl/strings/escaping.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "resolver/memory/memory_resolver.h"
#include "resolver/package/package_resolver.h"
#include "server/server.h"
#include "server/testing/fake_admin_control.h"
#include "server/testing/generic_call.h"
#include "server/testing/mixed_requests.h"
#include "server/testing/mixed_scene.h"

namespace stagedoor::server {
namespace {

using google::protobuf::Message;

class Recorder {
 public:
  // Serves MixedScene() from memory.
  absl::Status Start() {
    for (const SceneFile& file : MixedScene()) {
      SD_RETURN_IF_ERROR(files_->Put(Concat("/", file.name), file.content));
    }
    SD_ASSIGN_OR_RETURN(server_,
                        Server::Start({}, std::make_shared<PackageResolver>(files_), &control_));
    channel_ = server_->InProcessChannel();
    SD_RETURN_IF_ERROR(Make("crate.usdc", "LayersService/ConvertLayer",
                            "identifier: '%/crate.usda' format: LAYER_FORMAT_USDC"));
    return Make("package.usdz", "LayersService/FlattenStage",
                "source { open { root_layer: '%/heavy.usda' } } format: LAYER_FORMAT_USDZ");
  }

  absl::Status Record(const MixedRequest& recorded) {
    const auto request = RequestOf(recorded, Handle(), "");
    const GenericReply reply = CallMethod(channel_, MethodOf(recorded), *request);
    if (!reply.status.ok()) return InternalError(recorded.name, ": ", reply.status.error_message());
    std::printf("%s %s\n", recorded.name, recorded.method);
    Print('>', *request);
    for (const auto& message : reply.messages) Print('<', *message);
    return absl::OkStatus();
  }

 private:
  static void Print(char direction, const Message& message) {
    std::printf("%c%s\n", direction, absl::Base64Escape(message.SerializeAsString()).c_str());
  }

  // Adds a file with the data that a method streams.
  absl::Status Make(const char* name, const char* method, const char* request) {
    const MixedRequest made{name, method, request};
    const GenericReply reply = CallMethod(channel_, MethodOf(made), *RequestOf(made, "", ""));
    if (!reply.status.ok()) return InternalError(name, ": ", reply.status.error_message());
    std::string content;
    for (const auto& message : reply.messages) {
      const auto* data = message->GetDescriptor()->FindFieldByName("data");
      content += message->GetReflection()->GetString(*message, data);
    }
    return files_->Put(Concat("/", name), content);
  }

  // A new handle, so that an edit does not affect the next request.
  std::string Handle() {
    const MixedRequest open{"", "StagesService/OpenStage", "root_layer: '%/root.usda'"};
    const GenericReply reply = CallMethod(channel_, MethodOf(open), *RequestOf(open, "", ""));
    if (reply.messages.empty()) return "";
    const Message& opened = *reply.messages[0];
    return opened.GetReflection()->GetString(opened,
                                             opened.GetDescriptor()->FindFieldByName("handle"));
  }

  const std::shared_ptr<MemoryResolver> files_ = std::make_shared<MemoryResolver>();
  FakeAdminControl control_;
  std::unique_ptr<Server> server_;
  std::shared_ptr<grpc::Channel> channel_;
};

absl::Status RecordAll() {
  Recorder recorder;
  SD_RETURN_IF_ERROR(recorder.Start());
  for (const MixedRequest& request : MixedRequests()) {
    SD_RETURN_IF_ERROR(recorder.Record(request));
  }
  return absl::OkStatus();
}

}  // namespace
}  // namespace stagedoor::server

int main() {
  spdlog::set_level(spdlog::level::off);  // standard output is for the recording
  const absl::Status status = stagedoor::server::RecordAll();
  if (!status.ok()) std::fprintf(stderr, "record_wire: %s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
