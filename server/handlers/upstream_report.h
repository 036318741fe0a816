#ifndef STAGEDOOR_SERVER_HANDLERS_UPSTREAM_REPORT_H_
#define STAGEDOOR_SERVER_HANDLERS_UPSTREAM_REPORT_H_

#include "stagedoor/v1/cache.pb.h"
#include "stagedoor/v1/server.pb.h"

namespace stagedoor::server {

// Reports statistics of the daemons above a node daemon, and of the replies that it keeps.
// Thread-safe.
class UpstreamReport {
 public:
  virtual ~UpstreamReport() = default;
  // Changes what means something else for a node daemon.
  virtual void Fill(v1::GetServerStatisticsResponse* response) const = 0;
  // Adds the caches of replies.
  virtual void Fill(v1::GetCacheStatisticsResponse* response) const = 0;
};

// That of a daemon that holds scenes itself.
class NoUpstream final : public UpstreamReport {
 public:
  void Fill(v1::GetServerStatisticsResponse*) const override {}
  void Fill(v1::GetCacheStatisticsResponse*) const override {}
};

}  // namespace stagedoor::server

#endif  // STAGEDOOR_SERVER_HANDLERS_UPSTREAM_REPORT_H_
