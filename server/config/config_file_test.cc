#include "server/config/config_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "base/testing/temp_dir.h"
#include "server/config/daemon_flag_table.h"
#include "server/config/yaml_reader.h"

namespace stagedoor::server {
namespace {

absl::StatusOr<ConfigFile> Parse(const std::string& text) {
  return ParseConfigFile("f", text, DaemonFlagTable());
}

std::string ErrorOf(const std::string& text) {
  const auto file = Parse(text);
  return file.ok() ? "" : std::string(Message(file.status()));
}

std::vector<std::string> TextsOf(const ConfigFile& file, const std::string& flag) {
  std::vector<std::string> texts;
  for (const FlagValue& value : file.settings.at(flag).values) texts.push_back(value.text);
  return texts;
}

TEST(ConfigFileTest, FlagsAreKeys) {
  const auto file = Parse(
      "max-calls: 1000\nmax-request-bytes: 64M\nreflection: false\nlog-level: off\n"
      "address: [127.0.0.1:7788, unix:/run/x.sock]\nallow-root: /\n");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->settings.size(), 6u);
  EXPECT_EQ(TextsOf(*file, "max-calls"), std::vector<std::string>{"1000"});
  EXPECT_EQ(TextsOf(*file, "max-request-bytes"), std::vector<std::string>{"64M"});
  EXPECT_EQ(TextsOf(*file, "reflection"), std::vector<std::string>{"false"});
  EXPECT_EQ(TextsOf(*file, "log-level"), std::vector<std::string>{"off"});
  EXPECT_EQ(TextsOf(*file, "address"),
            (std::vector<std::string>{"127.0.0.1:7788", "unix:/run/x.sock"}));
  EXPECT_EQ(TextsOf(*file, "allow-root"), std::vector<std::string>{"/"})
      << "one need not be a list";
  EXPECT_EQ(file->settings.at("allow-root").source, FlagSource::kFile);
  EXPECT_FALSE(file->access_section.has_value());
}

TEST(ConfigFileTest, HasTheSectionAccess) {
  const auto file =
      Parse("access:\n  roles:\n  - {name: r, identities: local, assets: '*', methods: query}\n");
  ASSERT_TRUE(file.ok()) << file.status();
  ASSERT_EQ(file->access.roles.size(), 1u);
  EXPECT_EQ(file->access.roles[0].grants.role, "r");
  ASSERT_TRUE(file->access_section.has_value());
  EXPECT_EQ(file->access_section->keys[0].text, "roles");
  EXPECT_TRUE(Parse("access: {}").ok());
}

TEST(ConfigFileTest, ErrorsHaveTheirPlaceAndStateWhatIsAllowed) {
  const struct {
    std::string text, error;
  } kCases[] = {
      {"\nmax-cals: 3\n", "f:2:1: unknown key 'max-cals'; did you mean 'max-calls'?"},
      {"acess: {}\n", "f:1:1: unknown key 'acess'; did you mean 'access'?"},
      {"nonsense: 3\n", "f:1:1: unknown key 'nonsense'"},
      {"max-calls: 0\n",
       "f:1:12: 'max-calls' cannot be '0': it must be a whole number from 1 to 1000000"},
      {"max-calls: [1]\n", "f:1:12: 'max-calls' must be a text, not a list"},
      {"max-calls: {}\n", "f:1:12: 'max-calls' must be a text, not a mapping"},
      {"max-calls:\n", "f:1:1: 'max-calls' has no value; it must be a text"},
      {"max-calls: ''\n", "f:1:12: 'max-calls' must not be empty"},
      {"reflection: yes\n", "f:1:13: 'reflection' cannot be 'yes': it must be true or false"},
      {"allow-root:\n  - /\n  - /nowhere\n",
       "f:3:5: 'allow-root' cannot be '/nowhere': it must be an existing directory"},
      {"allow-root: [[/]]\n", "f:1:14: each of 'allow-root' must be a text, not a list"},
      {"threads: 1\nthreads: 2\n", "f:2:1: key 'threads' is given twice; the first is on line 1"},
      {"config: x\n", "f:1:1: 'config' can be given on the command line only"},
      {"check-config: true\n", "f:1:1: 'check-config' can be given on the command line only"},
      {"print-config: true\n", "f:1:1: 'print-config' can be given on the command line only"},
      {"help: true\n", "f:1:1: 'help' can be given on the command line only"},
      {"version: true\n", "f:1:1: 'version' can be given on the command line only"},
      {"- 3\n", "f:1:1: the file must be a mapping, not a list"},
      {"access:\n", "f:1:1: 'access' has no value; it must be a mapping"},
      {"threads: x\nmax-cals: 3\naccess: {role: []}\n",
       "f:1:10: 'threads' cannot be 'x': it must be a whole number from 0 to 1024\n"
       "f:2:1: unknown key 'max-cals'; did you mean 'max-calls'?\n"
       "f:3:10: unknown key 'role'; did you mean 'roles'?"},
  };
  for (const auto& c : kCases) EXPECT_EQ(ErrorOf(c.text), c.error) << c.text;
}

TEST(ConfigFileTest, ReadsFilesOfLimitedSize) {
  const TempDir folder;
  const std::vector<Flag> table = DaemonFlagTable();
  folder.Write("a.yaml", "threads: 3\n");
  EXPECT_EQ(TextsOf(*ReadConfigFile(folder / "a.yaml", table), "threads"),
            std::vector<std::string>{"3"});
  folder.Write("big.yaml", std::string(kMaxConfigBytes + 1, '\n'));
  EXPECT_EQ(Message(ReadConfigFile(folder / "big.yaml", table).status()),
            folder / "big.yaml" + ":1:1: the file is larger than 1048576 bytes");
  EXPECT_EQ(
      Message(ReadConfigFile(folder / "none", table).status()),
      "cannot read the configuration file '" + folder / "none" + "': No such file or directory");
  EXPECT_EQ(Message(ReadConfigFile(folder.path(), table).status()),
            "cannot read the configuration file '" + folder.path() + "': Is a directory");
}

// The example of the documentation, with its directories in a temporary one.
TEST(ConfigFileTest, TheExampleIsValid) {
  const TempDir folder("/tmp");  // for the socket
  std::stringstream text;
  text << std::ifstream("examples/stagedoord.yaml").rdbuf();
  std::string example = text.str();
  for (const std::string directory : {"/run/stagedoor", "/show", "/library", "/var/cache",
                                      "/var/log/stagedoor", "/etc/stagedoor"}) {
    folder.Write(directory.substr(1) + "/jwks.json", "{}");
    for (const char before : {' ', '[', ':'}) {
      const std::string word = before + directory;
      for (size_t at = 0; (at = example.find(word, at)) != example.npos; ++at) {
        example.replace(at, word.size(), before + folder.path() + directory);
      }
    }
  }
  const auto file = Parse(example);
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(TextsOf(*file, "max-calls"), std::vector<std::string>{"5000"});
  EXPECT_EQ(file->access.tokens.size(), 1u);
  ASSERT_EQ(file->access.roles.size(), 4u);
  EXPECT_EQ(file->access.roles[1].grants.max_leases, 1000u);
  EXPECT_EQ(file->access.roles[3].identities, std::vector<std::string>{"anonymous"});
}

}  // namespace
}  // namespace stagedoor::server
