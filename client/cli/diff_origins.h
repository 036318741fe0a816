#ifndef STAGEDOOR_CLIENT_CLI_DIFF_ORIGINS_H_
#define STAGEDOOR_CLIENT_CLI_DIFF_ORIGINS_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/cc/client.h"
#include "client/cli/stage_options.h"

namespace stagedoor {

// Finds which layers make what `diff` prints of one side. Asks the daemon for each fact. Not
// thread-safe.
class DiffOrigins {
 public:
  // The client must outlive it.
  DiffOrigins(Client& client, v1::StageRef stage, std::vector<TimeArgument> times)
      : client_(client), stage_(std::move(stage)), times_(std::move(times)) {}

  // Where a fact comes from, whose subject is a path and what is said about it ("/World.x at 12"),
  // or the path of a prim alone: "/show/light.usda"; "the schema"; "one of /a.usda, /b.usda" if
  // several layers have an opinion about the prim or property and it is not known which of them
  // decides. Empty if nothing is found out.
  std::string Of(std::string_view subject) const;

 private:
  std::string OfValue(const std::string& path, const TimeArgument& time) const;
  std::string OfProperty(const std::string& prim_path, const std::string& name) const;
  std::string OfPrim(const std::string& path) const;

  Client& client_;
  const v1::StageRef stage_;
  const std::vector<TimeArgument> times_;
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_DIFF_ORIGINS_H_
