#ifndef STAGEDOOR_CLIENT_CLI_COMMANDS_H_
#define STAGEDOOR_CLIENT_CLI_COMMANDS_H_

#include "absl/status/status.h"
#include "client/cc/client.h"
#include "client/cli/command_line.h"
#include "client/cli/output.h"

namespace stagedoor {

// The commands of docs/cli.md. Each prints its result and returns OK, a usage error, or the error
// of the daemon.

// inspect_commands.cc
absl::Status RunOpen(Client& client, const CommandLine& line, Output& output);
absl::Status RunTree(Client& client, const CommandLine& line, Output& output);
absl::Status RunStages(Client& client, const CommandLine& line, Output& output);

// ls_command.cc, find_command.cc, stats_command.cc, explain_command.cc
absl::Status RunLs(Client& client, const CommandLine& line, Output& output);
absl::Status RunFind(Client& client, const CommandLine& line, Output& output);
absl::Status RunStats(Client& client, const CommandLine& line, Output& output);
absl::Status RunExplain(Client& client, const CommandLine& line, Output& output);

// value_commands.cc
absl::Status RunGet(Client& client, const CommandLine& line, Output& output);
absl::Status RunSamples(Client& client, const CommandLine& line, Output& output);
absl::Status RunPrefetch(Client& client, const CommandLine& line, Output& output);
absl::Status RunWarm(Client& client, const CommandLine& line, Output& output);

// admin_command.cc, top_command.cc
absl::Status RunAdmin(Client& client, const CommandLine& line, Output& output);
absl::Status RunTop(Client& client, const CommandLine& line, Output& output);

// cache_command.cc; works on a directory of this machine, without a daemon
absl::Status RunCache(const CommandLine& line, Output& output);

// daemon_command.cc; about the private daemon, which it does not start
absl::Status RunDaemon(const CommandLine& line, Output& output);

// dump_command.cc, layer_command.cc
absl::Status RunDump(Client& client, const CommandLine& line, Output& output);
absl::Status RunLayer(Client& client, const CommandLine& line, Output& output);

// labels_command.cc, lod_command.cc
absl::Status RunLabels(Client& client, const CommandLine& line, Output& output);
absl::Status RunLod(Client& client, const CommandLine& line, Output& output);

// lights_command.cc, light_sets_command.cc
absl::Status RunLights(Client& client, const CommandLine& line, Output& output);
absl::Status RunLightSets(Client& client, const CommandLine& line, Output& output);

// material_command.cc
absl::Status RunMaterial(Client& client, const CommandLine& line, Output& output);

// statistics_command.cc
absl::Status RunStatistics(Client& client, const CommandLine& line, Output& output);

// render_command.cc
absl::Status RunRender(Client& client, const CommandLine& line, Output& output);

// frame_command.cc
absl::Status RunFrame(Client& client, const CommandLine& line, Output& output);

// bounds_command.cc
absl::Status RunBounds(Client& client, const CommandLine& line, Output& output);

// camera_command.cc, motion_command.cc, skinning_command.cc
absl::Status RunCamera(Client& client, const CommandLine& line, Output& output);
absl::Status RunMotion(Client& client, const CommandLine& line, Output& output);
absl::Status RunSkinning(Client& client, const CommandLine& line, Output& output);

// subsets_command.cc, topology_command.cc, models_command.cc
absl::Status RunSubsets(Client& client, const CommandLine& line, Output& output);
absl::Status RunTopology(Client& client, const CommandLine& line, Output& output);
absl::Status RunModels(Client& client, const CommandLine& line, Output& output);

// physics_command.cc
absl::Status RunCollisionGroups(Client& client, const CommandLine& line, Output& output);
absl::Status RunMass(Client& client, const CommandLine& line, Output& output);

// plot_command.cc
absl::Status RunPlot(Client& client, const CommandLine& line, Output& output);

// diff_command.cc; the status is DiffersStatus() if there are differences
absl::Status RunDiff(Client& client, const CommandLine& line, Output& output);

// cat_command.cc
absl::Status RunCat(Client& client, const CommandLine& line, Output& output);

// validate_command.cc
absl::Status RunValidate(Client& client, const CommandLine& line, Output& output);

// export_commands.cc
absl::Status RunConvert(Client& client, const CommandLine& line, Output& output);
absl::Status RunFetch(Client& client, const CommandLine& line, Output& output);
absl::Status RunFlatten(Client& client, const CommandLine& line, Output& output);
absl::Status RunStitchClips(Client& client, const CommandLine& line, Output& output);
absl::Status RunClipManifest(Client& client, const CommandLine& line, Output& output);
absl::Status RunDeps(Client& client, const CommandLine& line, Output& output);
absl::Status RunLocalize(Client& client, const CommandLine& line, Output& output);

// Commands that use no daemon.

// check_resolver_command.cc
absl::Status RunCheckResolver(const CommandLine& line, Output& output);

// completion_command.cc
absl::Status RunCompletion(const CommandLine& line, Output& output);
absl::Status RunMan(const CommandLine& line, Output& output);

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_COMMANDS_H_
