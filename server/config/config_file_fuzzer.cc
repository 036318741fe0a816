#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "server/config/config_errors.h"
#include "server/config/config_file.h"
#include "server/config/config_node.h"
#include "server/config/daemon_flag_table.h"
#include "server/config/flag.h"
#include "server/config/yaml_reader.h"
#include "server/config/yaml_writer.h"

// Reads any bytes as a configuration file: they must be rejected with a place, or give a tree that
// is the same after it was written and read again.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace stagedoor::server;  // NOLINT(google-build-using-namespace)
  static const std::vector<Flag> table = DaemonFlagTable();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  ConfigErrors errors("fuzz.yaml");
  const ConfigNode node = ReadYaml(text, errors);
  if (errors.empty()) {
    const std::string written = WriteYaml(node, 2);
    if (!(ReadYaml(written, errors) == node) || !errors.empty()) abort();
  }
  const auto file = ParseConfigFile("fuzz.yaml", text, table);
  if (!file.ok() && file.status().message().find("fuzz.yaml:") != 0) abort();
  return 0;
}
