#ifndef STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_QUERY_H_
#define STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_QUERY_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "server/metrics/http_request.h"
#include "stagedoor/v1/frame.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor::server {

// The parameters of a GET /v1/frame.
struct FrameQuery {
  std::string root;
  // Without a stage.
  v1::ExportFrameRequest frame;
  // As sent; empty if they were not.
  std::string authorization;
  std::string if_none_match;
  bool only_head = false;
};

// Reads the parameters and headers of a request:
//
//   root=/show/shot.usda       the stage; required
//   time=12 | default          default time, if it is not given
//   shutter=-0.25:0.25         when the shutter is open; segments=, max-samples=
//   format=usdc | usda         usdc, if it is not given
//   camera= settings= pass=    paths of prims
//   include= exclude= type=    repeatable; see FrameSelection
//   purposes=default,render    context= material-purpose= primvar=, repeatable
//   without-invisible=true     without-skinning= flatten-primvars=
//
// INVALID_ARGUMENT names a parameter that is unknown or malformed.
absl::StatusOr<FrameQuery> ParseFrameQuery(const HttpRequest& request);

// The text with its %XX sequences replaced. INVALID_ARGUMENT for malformed ones, and for NUL.
absl::StatusOr<std::string> DecodedPercents(std::string_view text);

// Whether `tag`, an entity tag such as W/"12ab", is in the value of If-None-Match. Tags are
// compared weakly.
bool MatchesTag(std::string_view if_none_match, std::string_view tag);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HTTP_FRAMES_FRAME_QUERY_H_
