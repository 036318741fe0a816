#ifndef STAGEDOOR_SERVER_QUERIES_SKEL_FIELDS_H_
#define STAGEDOOR_SERVER_QUERIES_SKEL_FIELDS_H_

#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/stage/prim.h"

namespace stagedoor::server {

// The path of a prim; empty if the prim is not valid.
std::string PathOf(const Prim& prim);

// Warns of what could not be applied to a skinned prim.
void WarnOfSkin(RequestContext& context, const Prim& prim, const std::vector<std::string>& why);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_SKEL_FIELDS_H_
