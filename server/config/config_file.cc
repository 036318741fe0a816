#include "server/config/config_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/status.h"
#include "base/status_macros.h"
#include "server/config/access_section.h"
#include "server/config/command_line.h"
#include "server/config/config_section.h"
#include "server/config/yaml_reader.h"

namespace stagedoor::server {
namespace {

// Adds the values of one flag to `settings`, each checked on its own.
void ReadFlag(const Flag& flag, const ConfigNode& node, FlagSettings* settings,
              ConfigErrors& errors) {
  const std::string name = Quoted(flag.name);
  std::vector<ConfigNode> values;
  if (flag.repeatable) {
    values = ReadTexts(node, name, errors);
  } else if (ReadText(node, name, errors).has_value()) {
    values.push_back(node);
  }
  FlagSetting setting{.source = FlagSource::kFile};
  for (const ConfigNode& value : values) {
    const FlagSetting one{.source = FlagSource::kFile,
                          .values = {{.text = value.text,
                                      .place = Concat(errors.Place(value.position), ": ", name)}}};
    DaemonFlags scratch;
    const absl::Status status = ApplySetting(flag, one, scratch);
    if (!status.ok()) errors.Add(std::string(Message(status)));
    setting.values.push_back(one.values.front());
  }
  settings->insert_or_assign(flag.name, std::move(setting));
}

// The keys of the file. `file`, which their readers fill, and `table` must outlive them.
std::vector<SectionKey> KeysOf(const std::vector<Flag>& table, ConfigFile* file) {
  std::vector<SectionKey> keys;
  for (const Flag& flag : table) {
    keys.push_back(
        {.name = flag.name, .read = [&flag, file](const ConfigNode& value, ConfigErrors& errors) {
           ReadFlag(flag, value, &file->settings, errors);
         }});
  }
  keys.push_back({.name = "access", .read = [file](const ConfigNode& value, ConfigErrors& errors) {
                    file->access = ReadAccessSection(value, errors);
                    file->access_section = value;
                  }});
  return keys;
}

// Adds an error for keys that are flags of the command line only. Returns the others.
ConfigNode TakeCommandLineOnly(ConfigNode root, ConfigErrors& errors) {
  for (size_t i = root.kind == ConfigNode::Kind::kMap ? root.keys.size() : 0; i-- > 0;) {
    if (!IsCommandLineOnly(root.keys[i].text)) continue;
    errors.AddAt(root.keys[i].position, Quoted(root.keys[i].text),
                 " can be given on the command line only");
    root.keys.erase(root.keys.begin() + static_cast<ptrdiff_t>(i));
    root.items.erase(root.items.begin() + static_cast<ptrdiff_t>(i));
  }
  return root;
}

absl::Status CannotRead(const std::string& path) {
  return InvalidArgumentError("cannot read the configuration file ", Quoted(path), ": ",
                              std::strerror(errno));
}

// At most one byte more than is allowed, which ParseConfigFile rejects.
absl::StatusOr<std::string> ReadBounded(int fd, const std::string& path) {
  std::string text;
  std::array<char, 1 << 14> buffer{};
  while (text.size() <= kMaxConfigBytes) {
    const size_t wanted = std::min(buffer.size(), kMaxConfigBytes + 1 - text.size());
    const ssize_t got = ::read(fd, buffer.data(), wanted);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return CannotRead(path);
    if (got == 0) break;
    text.append(buffer.data(), static_cast<size_t>(got));
  }
  return text;
}

}  // namespace

absl::StatusOr<ConfigFile> ParseConfigFile(const std::string& name, std::string_view text,
                                           const std::vector<Flag>& table) {
  ConfigErrors errors(name);
  const ConfigNode root = TakeCommandLineOnly(ReadYaml(text, errors), errors);
  ConfigFile file;
  ReadSection(root, "the file", KeysOf(table, &file), errors);
  SD_RETURN_IF_ERROR(errors.status());
  return file;
}

absl::StatusOr<ConfigFile> ReadConfigFile(const std::string& path, const std::vector<Flag>& table) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return CannotRead(path);
  const absl::StatusOr<std::string> text = ReadBounded(fd, path);
  ::close(fd);
  if (!text.ok()) return text.status();
  return ParseConfigFile(path, *text, table);
}

}  // namespace stagedoor::server
