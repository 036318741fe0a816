#ifndef STAGEDOOR_SERVER_HANDLERS_SKEL_FIELDS_H_
#define STAGEDOOR_SERVER_HANDLERS_SKEL_FIELDS_H_

#include <string>
#include <vector>

#include "base/request_context.h"
#include "scene/paths/token.h"
#include "scene/stage/prim.h"
#include "scene/values/array.h"
#include "server/converters/reply_budget.h"

namespace stagedoor::server {

// The path of a prim; empty if the prim is not valid.
std::string PathOf(const Prim& prim);

// Adds the tokens to a repeated field as far as the budget allows.
void FillTokens(const Array<Token>& tokens, ReplyBudget& budget,
                google::protobuf::RepeatedPtrField<std::string>* out);

// Warns of what could not be applied to a skinned prim.
void WarnOfSkin(RequestContext& context, const Prim& prim, const std::vector<std::string>& why);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_SKEL_FIELDS_H_
