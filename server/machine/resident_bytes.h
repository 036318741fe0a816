#ifndef STAGEDOOR_SERVER_MACHINE_RESIDENT_BYTES_H_
#define STAGEDOOR_SERVER_MACHINE_RESIDENT_BYTES_H_

#include <cstdint>

namespace stagedoor::server {

// The resident set size of the process; 0 if it cannot be found out.
uint64_t ResidentBytes();

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_MACHINE_RESIDENT_BYTES_H_
