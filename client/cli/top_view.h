#ifndef STAGEDOOR_CLIENT_CLI_TOP_VIEW_H_
#define STAGEDOOR_CLIENT_CLI_TOP_VIEW_H_

#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "stagedoor/v1/admin.pb.h"
#include "stagedoor/v1/cache.pb.h"
#include "stagedoor/v1/server.pb.h"
#include "stagedoor/v1/stages.pb.h"

namespace stagedoor {

// The statistics of a daemon at one time. Those that it does not report, because the caller may not
// ask or because the daemon is older, are missing.
struct TopSample {
  std::chrono::steady_clock::time_point time;
  std::string version;
  std::optional<v1::GetServerStatisticsResponse> server;
  std::optional<v1::ListCallsResponse> calls;
  std::optional<v1::GetCacheStatisticsResponse> caches;
  std::optional<v1::ListStagesResponse> stages;
  // The missing statistics and why they are missing, for people: "the calls: permission denied: …".
  std::vector<std::string> missing;
};

// The size of a screen. By default as much as makes sense is shown, each line as long as it is.
struct TopSize {
  size_t rows = std::numeric_limits<size_t>::max();
  size_t columns = std::numeric_limits<size_t>::max();
};

// The view of `stagedoor top`: at most `size.rows` lines, each at most `size.columns` long and safe
// to print. Rates are those since `before` or, without it, since the daemon started.
std::vector<std::string> TopLines(const TopSample& now, const TopSample* before, TopSize size);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_TOP_VIEW_H_
