#include "server/config/config_printer.h"

#include <string_view>
#include <vector>

#include "base/strings.h"
#include "base/version.h"
#include "server/config/daemon_flag_table.h"
#include "server/config/flag.h"
#include "server/config/yaml_writer.h"

namespace stagedoor::server {
namespace {

std::string Line(const Flag& flag, const FlagTexts& texts, FlagSource source) {
  const std::string value = flag.repeatable ? YamlTextList(texts)
                            : texts.empty() ? "\"\""
                                            : YamlText(texts.front());
  return Concat(flag.name, ": ", value, "  # ", FlagSourceName(source), "\n");
}

}  // namespace

std::string PrintDaemonConfig(const DaemonConfig& config,
                              const std::vector<std::string>& schema_paths) {
  std::string out = Concat("# The configuration of stagedoord ", kVersion,
                           ". Lines that begin with '#' are defaults.\n");
  for (const Flag& flag : DaemonFlagTable()) {
    const auto found = config.settings.find(flag.name);
    if (found != config.settings.end()) {
      out.append(Line(flag, flag.get(config.flags), found->second.source));
    } else {
      out.append(Concat("# ", flag.name, ":", flag.initial.empty() ? "" : " ", flag.initial, "\n"));
    }
  }
  if (!schema_paths.empty()) {
    out.append(
        Concat("# STAGEDOOR_SCHEMA_PATH adds to schema-path: ", YamlTextList(schema_paths), "\n"));
  }
  if (config.access_section.has_value()) {
    out.append(Concat("access:  # ", FlagSourceName(FlagSource::kFile), "\n",
                      WriteYaml(*config.access_section, 2)));
  }
  return out;
}

}  // namespace stagedoor::server
