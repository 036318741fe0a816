#include "server/handlers/skel_fields.h"

namespace stagedoor::server {

std::string PathOf(const Prim& prim) { return prim.valid() ? prim.PathText() : std::string(); }

void FillTokens(const Array<Token>& tokens, ReplyBudget& budget,
                google::protobuf::RepeatedPtrField<std::string>* out) {
  for (const Token token : tokens) {
    if (!budget.ok()) return;
    budget.AddText(token.text(), out);
  }
}

void WarnOfSkin(RequestContext& context, const Prim& prim, const std::vector<std::string>& why) {
  for (const std::string& message : why) {
    context.Warn({Warning::Kind::kInvalidSkel, "", PathOf(prim), message});
  }
}

}  // namespace stagedoor::server
