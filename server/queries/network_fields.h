#ifndef STAGEDOOR_SERVER_QUERIES_NETWORK_FIELDS_H_
#define STAGEDOOR_SERVER_QUERIES_NETWORK_FIELDS_H_

#include <vector>

#include "scene/shade/connection_problems.h"
#include "scene/shade/material_network.h"
#include "scene/value_resolution/time_code.h"
#include "stagedoor/v1/shade.pb.h"

namespace stagedoor::server {

class ReplyBudget;

// Fills terminals and nodes, with the values at `times`. Stops when the budget is used up.
void FillNetwork(const MaterialNetwork& network, const std::vector<TimeCode>& times,
                 ReplyBudget& budget, v1::MaterialNetwork* out);

void FillBrokenConnections(const ConnectionProblems& problems, ReplyBudget& budget,
                           v1::MaterialNetwork* out);

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_QUERIES_NETWORK_FIELDS_H_
