#ifndef STAGEDOOR_SERVER_HANDLERS_UPSTREAM_REPORT_H_
#define STAGEDOOR_SERVER_HANDLERS_UPSTREAM_REPORT_H_

#include <vector>

#include "server/memory/memory_holders.h"
#include "stagedoor/v1/cache.pb.h"
#include "stagedoor/v1/server.pb.h"

namespace stagedoor::server {

// Reports statistics of the daemons above a node daemon, and of the replies that it keeps, which
// can give memory back. Thread-safe.
class UpstreamReport {
 public:
  virtual ~UpstreamReport() = default;
  // Changes what means something else for a node daemon.
  virtual void Fill(v1::GetServerStatisticsResponse* response) const = 0;
  // Adds the caches of replies.
  virtual void Fill(v1::GetCacheStatisticsResponse* response) const = 0;
  // The caches of replies in memory. The functions must not outlive the object.
  virtual std::vector<MemoryHolder> holders() = 0;
};

// That of a daemon that holds scenes itself.
class NoUpstream final : public UpstreamReport {
 public:
  void Fill(v1::GetServerStatisticsResponse*) const override {}
  void Fill(v1::GetCacheStatisticsResponse*) const override {}
  std::vector<MemoryHolder> holders() override { return {}; }
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_UPSTREAM_REPORT_H_
