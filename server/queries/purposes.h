#ifndef STAGEDOOR_SERVER_QUERIES_PURPOSES_H_
#define STAGEDOOR_SERVER_QUERIES_PURPOSES_H_

#include "scene/paths/token.h"
#include "stagedoor/v1/geom.pb.h"

namespace stagedoor::server {

// The purpose default, render, proxy or guide; `purpose` must be one of these four.
const Token& PurposeToken(v1::Purpose purpose);

// PURPOSE_OTHER for any other token.
v1::Purpose PurposeToProto(Token purpose);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_PURPOSES_H_
