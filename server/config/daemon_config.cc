#include "server/config/daemon_config.h"

#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "scene/schema/schema_plugins.h"
#include "server/config/command_line.h"
#include "server/config/config_errors.h"
#include "server/config/config_file.h"
#include "server/config/daemon_flag_table.h"
#include "server/config/flag.h"
#include "server/config/upstream_flags.h"
#include "server/store/open_session_store.h"

namespace stagedoor::server {
namespace {

// Adds an error for each setting of the environment that is wrong.
void CheckSettings(const std::vector<Flag>& table, const FlagSettings& settings,
                   ConfigErrors& errors) {
  for (const Flag& flag : table) {
    const auto found = settings.find(flag.name);
    if (found == settings.end()) continue;
    DaemonFlags scratch;
    const absl::Status status = ApplySetting(flag, found->second, scratch);
    if (!status.ok()) errors.Add(std::string(Message(status)));
  }
}

// Replaces settings of `config` by stronger ones.
void Override(const FlagSettings& stronger, DaemonConfig* config) {
  for (const auto& [name, setting] : stronger) config->settings.insert_or_assign(name, setting);
}

// Reads the sources weaker than the command line.
absl::Status ReadFileAndEnvironment(const std::vector<Flag>& table, const Environment& environment,
                                    DaemonConfig* config) {
  const std::string& name = config->flags.config_file;
  ConfigErrors errors(name);
  if (!name.empty()) {
    absl::StatusOr<ConfigFile> file = ReadConfigFile(name, table);
    if (file.ok()) {
      Override(file->settings, config);
      config->flags.server.access = std::move(file->access);
      config->access_section = std::move(file->access_section);
    } else {
      errors.Add(std::string(Message(file.status())));
    }
  }
  const FlagSettings variables = ReadEnvironment(environment, table);
  CheckSettings(table, variables, errors);
  Override(variables, config);
  return errors.status();
}

absl::Status ApplyAll(const std::vector<Flag>& table, DaemonConfig* config) {
  for (const Flag& flag : table) {
    const auto found = config->settings.find(flag.name);
    if (found != config->settings.end()) {
      SD_RETURN_IF_ERROR(ApplySetting(flag, found->second, config->flags));
    }
  }
  if (config->flags.server.addresses.empty()) config->flags.server.addresses = {"127.0.0.1:50051"};
  SD_RETURN_IF_ERROR(CheckNodeFlags(config->flags, config->settings));
  return CheckFlagsTogether(config->flags);
}

}  // namespace

absl::StatusOr<DaemonConfig> ReadDaemonConfig(const std::vector<std::string>& args,
                                              const Environment& environment) {
  const std::vector<Flag> table = DaemonFlagTable();
  SD_ASSIGN_OR_RETURN(const CommandLine line, ParseCommandLine(args, table));
  DaemonConfig config;
  DaemonFlags& flags = config.flags;
  flags.help = line.help;
  flags.version = line.version;
  flags.check_config = line.check_config;
  flags.print_config = line.print_config;
  flags.config_file = line.config_file;
  const auto variable = environment.find(kConfigVariable);
  if (flags.config_file.empty() && variable != environment.end()) {
    flags.config_file = variable->second;
  }
  if (!flags.help && !flags.version) {
    SD_RETURN_IF_ERROR(ReadFileAndEnvironment(table, environment, &config));
  }
  Override(line.settings, &config);
  SD_RETURN_IF_ERROR(ApplyAll(table, &config));
  return config;
}

absl::Status CheckDaemonConfig(const DaemonConfig& config,
                               const std::vector<std::string>& schema_paths) {
  SD_RETURN_IF_ERROR(CheckSchemaPlugins(config.flags.server.schema_paths));
  SD_RETURN_IF_ERROR(CheckSchemaPlugins(schema_paths));
  return OpenSessionStore(config.flags.session_store).status();
}

}  // namespace stagedoor::server
