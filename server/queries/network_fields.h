#ifndef STAGEDOOR_SERVER_QUERIES_NETWORK_FIELDS_H_
#define STAGEDOOR_SERVER_QUERIES_NETWORK_FIELDS_H_

#include <vector>

#include "absl/status/status.h"
#include "scene/shade/material_network.h"
#include "scene/stage/prim.h"
#include "scene/value_resolution/time_code.h"
#include "stagedoor/v1/shade.pb.h"

namespace stagedoor::server {

class KnownDigests;
class ReplyBudget;

// Fills the network of a Material, with the values at `times`; all but the number of the item and
// the digest. Stops when the budget is used up.
void FillMaterialNetwork(const Prim& material, const MaterialNetworkOptions& options,
                         const std::vector<TimeCode>& times, ReplyBudget& budget,
                         v1::MaterialNetwork* out);

// Adds the digest of a network that is complete but for the number of the item, which must be that
// of the budget. If the client has it, only the digest remains. Errors: those of the budget.
absl::Status AddNetworkDigest(const KnownDigests& known, ReplyBudget& budget,
                              v1::MaterialNetwork* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_NETWORK_FIELDS_H_
