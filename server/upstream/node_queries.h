#ifndef STAGEDOOR_SERVER_UPSTREAM_NODE_QUERIES_H_
#define STAGEDOOR_SERVER_UPSTREAM_NODE_QUERIES_H_

#include <chrono>
#include <memory>

#include "server/query_socket/query_source.h"
#include "server/upstream/forwarded_method.h"
#include "server/upstream/node.h"

namespace stagedoor::server {

// Answers the queries of the channels of a node daemon as its calls of BatchGetValues: from replies
// that are kept or arriving, or else from upstream. Frames have no tokens, so their callers are for
// upstream the node daemon itself. Thread-safe.
class NodeQueries final : public QuerySource {
 public:
  // `node` must outlive the object.
  explicit NodeQueries(Node& node);

  std::shared_ptr<Pending> Ask(const v1::BatchGetValuesRequest& request,
                               std::chrono::system_clock::time_point deadline, Done done) override;

 private:
  Node& node_;
  const ForwardedMethod& method_;
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_UPSTREAM_NODE_QUERIES_H_
