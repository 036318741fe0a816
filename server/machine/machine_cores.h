#ifndef STAGEDOOR_SERVER_MACHINE_MACHINE_CORES_H_
#define STAGEDOOR_SERVER_MACHINE_MACHINE_CORES_H_

#include <string>

namespace stagedoor::server {

// How many cores this process may keep busy: `cores`, lowered to the CPU quotas of its control
// groups (as `docker run --cpus`, Kubernetes limits and CPUQuota of systemd set them), rounded up.
// More busy threads would use up the quota early and then all stop for the rest of each period. At
// least 1. `root` is prepended to "/proc" and "/sys"; tests set it.
int UsableCores(int cores, const std::string& root = "");

// As above, with the cores of the machine on which this process may run.
int UsableCores();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_MACHINE_MACHINE_CORES_H_
