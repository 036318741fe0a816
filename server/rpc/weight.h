#ifndef STAGEDOOR_SERVER_RPC_WEIGHT_H_
#define STAGEDOOR_SERVER_RPC_WEIGHT_H_

namespace stagedoor {

// How long the calls of a method take, which says where they run.
enum class Weight {
  kLight,  // microseconds: on the thread that has read the request, if it is free
  kUsual,  // milliseconds, mostly: in the short lane
  kHeavy,  // as long as a whole scene or file takes: in the long lane
};

}  // namespace stagedoor

#endif  // STAGEDOOR_SERVER_RPC_WEIGHT_H_
