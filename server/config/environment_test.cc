#include "server/config/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "server/config/daemon_flag_table.h"

namespace stagedoor::server {
namespace {

std::vector<std::string> TextsOf(const FlagSettings& settings, const std::string& flag) {
  std::vector<std::string> texts;
  const auto found = settings.find(flag);
  if (found == settings.end()) return texts;
  for (const FlagValue& value : found->second.values) texts.push_back(value.text);
  return texts;
}

TEST(EnvironmentTest, VariablesAreNamedAfterFlags) {
  const std::vector<Flag> table = DaemonFlagTable();
  EXPECT_EQ(FlagVariable(*FindFlag(table, "max-calls")), "STAGEDOOR_MAX_CALLS");
  EXPECT_EQ(FlagVariable(*FindFlag(table, "s3-region")), "STAGEDOOR_S3_REGION");
  EXPECT_EQ(FlagVariable(*FindFlag(table, "address")), "") << "that of the clients";
  EXPECT_EQ(FlagVariable(*FindFlag(table, "schema-path")), "") << "separated by ':'";
}

TEST(EnvironmentTest, CommasSeparateTheValuesOfRepeatableFlags) {
  const FlagSettings settings = ReadEnvironment({{"STAGEDOOR_MAX_CALLS", "1,2"},
                                                 {"STAGEDOOR_ALLOW_URL", "s3://a/,https://h:1/b,"},
                                                 {"STAGEDOOR_ADDRESS", "127.0.0.1:1"},
                                                 {"STAGEDOOR_SCHEMA_PATH", "/a"},
                                                 {"STAGEDOOR_SHARED", "x"},
                                                 {"STAGEDOOR_CONFIG", "x"}},
                                                DaemonFlagTable());
  EXPECT_EQ(settings.size(), 2u) << "variables of others are ignored";
  EXPECT_EQ(TextsOf(settings, "max-calls"), std::vector<std::string>{"1,2"});
  EXPECT_EQ(TextsOf(settings, "allow-url"), (std::vector<std::string>{"s3://a/", "https://h:1/b"}));
  EXPECT_EQ(settings.at("max-calls").source, FlagSource::kEnvironment);
  EXPECT_EQ(settings.at("max-calls").values.front().place, "STAGEDOOR_MAX_CALLS");
}

TEST(EnvironmentTest, ReadsTheProcessAndSkipsEmptyVariables) {
  ::setenv("STAGEDOOR_MAX_CALLS", "7=8", 1);
  ::setenv("STAGEDOOR_LOG_FILE", "", 1);
  ::setenv("OTHER", "x", 1);
  const Environment environment = ProcessEnvironment();
  EXPECT_EQ(environment.at("STAGEDOOR_MAX_CALLS"), "7=8");
  EXPECT_FALSE(environment.contains("STAGEDOOR_LOG_FILE"));
  EXPECT_FALSE(environment.contains("OTHER"));
}

}  // namespace
}  // namespace stagedoor::server
