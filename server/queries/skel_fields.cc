#include "server/queries/skel_fields.h"

namespace stagedoor::server {

std::string PathOf(const Prim& prim) { return prim.valid() ? prim.PathText() : std::string(); }

void WarnOfSkin(RequestContext& context, const Prim& prim, const std::vector<std::string>& why) {
  for (const std::string& message : why) {
    context.Warn({Warning::Kind::kInvalidSkel, "", PathOf(prim), message});
  }
}

}  // namespace stagedoor::server
