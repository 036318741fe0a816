#ifndef STAGEDOOR_SERVER_RPC_CALL_WEIGHT_H_
#define STAGEDOOR_SERVER_RPC_CALL_WEIGHT_H_

namespace stagedoor::server {

// How long the calls of a method take, which determines where they run.
enum class CallWeight {
  kInline,  // microseconds: on the gRPC thread that read the request, if the inline slot is free
  kNormal,  // usually milliseconds: in the short lane
  kHeavy,   // proportional to a whole scene or file: in the long lane
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_RPC_CALL_WEIGHT_H_
