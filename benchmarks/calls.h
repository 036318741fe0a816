#ifndef STAGEDOOR_BENCHMARKS_CALLS_H_
#define STAGEDOOR_BENCHMARKS_CALLS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "client/cc/client.h"

namespace stagedoor::bench {

// The calls that load clients send to the daemon.

// Both exit the process on failure.
std::unique_ptr<Client> Connect(const std::string& address);
std::string OpenStage(Client& client, const std::string& root);

struct Answer {
  double values = 0;
  double bytes = 0;
};

// Makes one call and checks its reply.
using Call = std::function<Answer()>;

// `work` is small, batch, batch1000, samples, arrays or skin. Opens the stage and requests what a
// client would remember between calls. `client` must outlive the call.
Call MakeCall(Client& client, const std::string& scenes, const std::string& work, uint32_t seed);
// The work "small" with a stage that is open already.
Call MakeSmallCall(Client& client, const std::string& scenes, const std::string& handle,
                   uint32_t seed);

// A large call that keeps the daemon busy. Its reply is not checked; it may be refused.
using Load = std::function<absl::Status()>;

// `work` is huge (BatchGetValues with a thousand attributes at 200 times) or flatten (FlattenStage
// of the city). Opens the stage. `client` must outlive the load.
Load MakeLoad(Client& client, const std::string& scenes, const std::string& work, uint32_t seed);

}  // namespace stagedoor::bench

#endif  // STAGEDOOR_BENCHMARKS_CALLS_H_
