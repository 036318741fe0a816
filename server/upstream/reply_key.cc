#include "server/upstream/reply_key.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include "base/fingerprinter.h"
#include "base/strings.h"
#include "base/version.h"

namespace stagedoor::server {

std::string ReplyKey(const ReplySource& source, const google::protobuf::Message& request,
                     v1::StageRef* stage) {
  stage->Clear();
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);  // maps have no order of their own
    request.SerializeToCodedStream(&coded);
  }
  Fingerprinter fingerprinter;
  fingerprinter.Add(kVersion);  // of replies on disk
  fingerprinter.Add(source.method);
  fingerprinter.Add(source.snapshot);
  fingerprinter.Add(Concat(source.interpolation));
  fingerprinter.Add(bytes);
  return fingerprinter.FinishBytes();
}

}  // namespace stagedoor::server
