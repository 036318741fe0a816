#ifndef STAGEDOOR_CLIENT_CLI_TESTING_COMMANDS_TEST_H_
#define STAGEDOOR_CLIENT_CLI_TESTING_COMMANDS_TEST_H_

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/status_macros.h"
#include "client/cli/command_check.h"
#include "client/cli/command_line.h"
#include "client/cli/command_table.h"
#include "client/cli/commands.h"
#include "server/testing/server_test.h"

namespace stagedoor {

// Runs commands in the test's process, against a server over layers in memory.
class CommandsTest : public server::ServerTest {
 protected:
  using Args = std::vector<std::string>;
  using Command = absl::Status (*)(Client&, const CommandLine&, Output&);

  // Runs `command` and stores its output in `printed`.
  absl::Status Run(Command command, const Args& args, std::string* printed) {
    SD_ASSIGN_OR_RETURN(const CommandLine line, CommandLine::Parse(args));
    SD_RETURN_IF_ERROR(CheckCommandLine(line));
    std::FILE* file = std::tmpfile();
    absl::Status status;
    {
      Output output(::fileno(file));
      status = command(client(), line, output);
    }
    std::rewind(file);
    char buffer[4096];
    printed->clear();
    for (size_t n; (n = std::fread(buffer, 1, sizeof(buffer), file)) > 0;) {
      printed->append(buffer, n);
    }
    std::fclose(file);
    return status;
  }
  // The output of a command that must succeed.
  std::string Printed(Command command, const Args& args) {
    std::string printed;
    const absl::Status status = Run(command, args, &printed);
    EXPECT_TRUE(status.ok()) << status;
    return printed;
  }
  // The status of a command that is expected to fail.
  absl::Status Failure(Command command, const Args& args) {
    std::string printed;
    return Run(command, args, &printed);
  }

  // Creates an empty directory for the test.
  static std::filesystem::path NewFolder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    const std::filesystem::path folder =
        std::filesystem::path(::testing::TempDir()) / Concat("commands_", test->name());
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    return folder;
  }
  static std::string ContentOf(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    EXPECT_TRUE(in.good()) << file;
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

}  // namespace stagedoor

#endif  // STAGEDOOR_CLIENT_CLI_TESTING_COMMANDS_TEST_H_
