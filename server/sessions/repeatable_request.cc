#include "server/sessions/repeatable_request.h"

#include "base/fingerprinter.h"
#include "base/reservation.h"
#include "base/status_macros.h"
#include "base/strings.h"
#include "server/access/caller.h"
#include "server/error_info.h"

namespace stagedoor::server {
namespace {

constexpr size_t kMinIdBytes = 16;
constexpr size_t kMaxIdBytes = 128;

}  // namespace

absl::StatusOr<RepeatableRequest> IdentifyRequest(RequestContext& context, const std::string& id,
                                                  const google::protobuf::Message& request) {
  if (id.empty()) return RepeatableRequest();
  if (id.size() < kMinIdBytes || id.size() > kMaxIdBytes) {
    return InvalidFieldError("request_id", "",
                             Concat("must have ", kMinIdBytes, " to ", kMaxIdBytes, " bytes"));
  }
  Reservation reserved(context);
  SD_RETURN_IF_ERROR(reserved.Grow(request.ByteSizeLong(), "the content of a repeatable request"));
  Fingerprinter fingerprinter;
  fingerprinter.Add(request.GetTypeName());
  fingerprinter.Add(request.SerializeAsString());
  // An ID that another caller has guessed must not give them this one's result.
  return RepeatableRequest{Concat(CurrentCallerName(), '\0', id), fingerprinter.Finish()};
}

}  // namespace stagedoor::server
