#include "server/queries/find_roots.h"

#include "base/pacer.h"
#include "base/status_macros.h"
#include "server/check_count.h"
#include "server/stages/stage_lookup.h"

namespace stagedoor::server {

absl::StatusOr<std::vector<Prim>> FindRoots(
    RequestContext& context, const Stage& stage,
    const google::protobuf::RepeatedPtrField<std::string>& paths, size_t max_roots) {
  const auto count = static_cast<size_t>(paths.size());
  SD_RETURN_IF_ERROR(CheckCount(count, max_roots, "roots"));
  SD_RETURN_IF_ERROR(context.Reserve(count * sizeof(Prim), "the roots of a request"));
  std::vector<Prim> roots;
  roots.reserve(count);
  Pacer pacer(context);
  for (const std::string& path : paths) {
    SD_RETURN_IF_ERROR(pacer.Step());
    SD_ASSIGN_OR_RETURN(const Prim root, LookUpPrim(stage, path));
    roots.push_back(root);
  }
  return roots;
}

}  // namespace stagedoor::server
