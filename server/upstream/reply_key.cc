#include "server/upstream/reply_key.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <memory>

#include "base/fingerprinter.h"
#include "base/strings.h"
#include "base/version.h"

namespace stagedoor::server {
namespace {

std::string DeterministicBytes(const google::protobuf::Message& message) {
  std::string bytes(message.ByteSizeLong(), '\0');
  google::protobuf::io::ArrayOutputStream stream(bytes.data(), static_cast<int>(bytes.size()));
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);  // maps have no order of their own
  message.SerializeWithCachedSizes(&coded);
  return bytes;
}

}  // namespace

std::string BytesWithoutStage(const google::protobuf::Message& request, v1::StageRef* stage) {
  stage->Clear();
  return DeterministicBytes(request);
}

std::string ReplyKey(const ReplySource& source, std::string_view request) {
  Fingerprinter fingerprinter;
  fingerprinter.Add(kVersion);  // of replies on disk
  fingerprinter.Add(source.method);
  fingerprinter.Add(source.snapshot);
  fingerprinter.Add(Concat(source.interpolation));
  fingerprinter.Add(request);
  return fingerprinter.FinishBytes();
}

std::string ReplyKind(std::string_view method, std::string_view stage,
                      const google::protobuf::Message& request) {
  const std::unique_ptr<google::protobuf::Message> rest(request.New());
  rest->CopyFrom(request);
  for (const char* const name : {"stage", "time", "times", "base_token", "digest_options"}) {
    const auto* const field = rest->GetDescriptor()->FindFieldByName(name);
    if (field != nullptr) rest->GetReflection()->ClearField(rest.get(), field);
  }
  Fingerprinter fingerprinter;
  fingerprinter.Add(method);
  fingerprinter.Add(stage);
  fingerprinter.Add(DeterministicBytes(*rest));
  return fingerprinter.FinishBytes();
}

}  // namespace stagedoor::server
