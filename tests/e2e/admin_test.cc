// Looking at and steering the real daemon with `stagedoor top` and `stagedoor admin`.
#include <fcntl.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/support/channel_arguments.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "base/testing/shell_command.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "stagedoor/v1/query.grpc.pb.h"
#include "tests/e2e/daemon_process.h"

namespace stagedoor {
namespace {

constexpr char kCommand[] = "client/cli/stagedoor";  // in the test's runfiles

class AdminTest : public ::testing::Test {
 protected:
  void Start(const std::string& config = "log-level: warn\n") {
    folder_.Write("c.yaml", Concat("log-file: ", folder_ / "log", "\n", config));
    daemon_ = std::make_unique<DaemonProcess>(
        std::vector<std::string>{Concat("--config=", folder_ / "c.yaml")});
    root_ = daemon_->WriteFile("root.usda", "#usda 1.0\ndef \"A\"\n{\n    int x = 1\n}\n");
  }
  std::pair<int, std::string> Run(const std::string& words) const {
    return RunShell(Concat(kCommand, " --address ", daemon_->address(), " ", words));
  }
  // The output of a command that must succeed.
  std::string Printed(const std::string& words) const {
    const auto [status, output] = Run(words);
    EXPECT_EQ(status, 0) << words << "\n" << output;
    return output;
  }
  // How often the log has a text, once it has `last`, which is logged after it.
  size_t CountInLog(const std::string& part, const std::string& last) const {
    for (;;) {
      std::stringstream stream;
      stream << std::ifstream(folder_ / "log").rdbuf();
      const std::string text = stream.str();
      if (text.find(last) == std::string::npos) {
        std::this_thread::yield();
        continue;
      }
      size_t count = 0;
      for (size_t at = 0; (at = text.find(part, at)) != std::string::npos; ++at) ++count;
      return count;
    }
  }
  std::shared_ptr<grpc::Channel> Channel() const {
    return grpc::CreateChannel(daemon_->address(), grpc::InsecureChannelCredentials());
  }

  const TempDir folder_;
  std::unique_ptr<DaemonProcess> daemon_;
  std::string root_;
};

TEST_F(AdminTest, TheLogLevelChangesWhatIsLogged) {
  Start();
  EXPECT_EQ(Printed("admin log-level"), "warn\n");
  Printed("admin evict clips");  // not logged
  EXPECT_EQ(Printed("admin log-level debug"), "debug (was warn)\n");
  Printed("admin evict layers");
  EXPECT_EQ(Printed("admin log-level error"), "error (was debug)\n");
  Printed("admin evict stages");  // not logged
  EXPECT_EQ(Printed("admin config --reload"), "changed: log-level\n");
  EXPECT_EQ(Printed("admin log-level info"), "info (was warn)\n");
  const std::string last = "local asked to set the log level to info";
  EXPECT_EQ(CountInLog("local asked to set the log level to debug", last), 1u);
  EXPECT_EQ(CountInLog("local asked to set the log level to error", last), 1u);
  EXPECT_EQ(CountInLog("asked to evict layers", last), 1u);
  EXPECT_EQ(CountInLog("asked to evict", last), 1u);
}

TEST_F(AdminTest, EvictingFreesWhatNobodyUses) {
  Start();
  Printed(Concat("open ", root_));
  EXPECT_EQ(Printed("stats").rfind("stages 1, leases 0", 0), 0u);
  const std::string freed = Printed("admin evict");
  EXPECT_EQ(freed.rfind("stages: 1 entries, ", 0), 0u) << freed;
  EXPECT_NE(freed.find("\nlayers: 1 entries, "), std::string::npos) << freed;
  EXPECT_EQ(Printed("stats").rfind("stages 0, leases 0", 0), 0u);
}

TEST_F(AdminTest, DrainStopsTheDaemon) {
  Start("log-level: info\n");
  EXPECT_EQ(Printed("admin drain").rfind("draining, ", 0), 0u);
  EXPECT_EQ(daemon_->Wait(), 0);
  EXPECT_EQ(CountInLog("local asked to drain the daemon", "stopped"), 1u);
}

TEST_F(AdminTest, ASecondDrainDoesNotHurry) {
  Start("drain-delay: 3600\n");
  EXPECT_EQ(Printed("admin drain").rfind("draining, ", 0), 0u);
  EXPECT_EQ(Printed("admin drain").rfind("was draining already, ", 0), 0u);
  EXPECT_TRUE(daemon_->IsRunning());
  EXPECT_EQ(daemon_->Terminate(), 0) << "but a signal does";
}

TEST_F(AdminTest, DrainDoesNotHurryASignal) {
  Start("drain-delay: 3600\nlog-level: info\n");
  daemon_->Signal(SIGTERM);
  CountInLog("", "not ready, but still serving");
  EXPECT_EQ(Printed("admin drain").rfind("was draining already, ", 0), 0u);
  EXPECT_TRUE(daemon_->IsRunning());
}

TEST_F(AdminTest, TheConfigurationIsThatOfPrintConfig) {
  const std::string access =
      "access:\n  roles:\n    - {name: all, identities: local, assets: '*', "
      "methods: [query, edit, tools, admin]}\n";
  Start(Concat("max-calls: 77\n", access));
  const auto [status, printed] =
      RunShell(Concat("server/stagedoord --address=127.0.0.1:0 --address-file=", daemon_->folder(),
                      "/address --allow-root=", daemon_->folder(), " --config=", folder_ / "c.yaml",
                      " --print-config"));
  EXPECT_EQ(status, 0) << printed;
  EXPECT_EQ(Printed("admin config"), printed);
  folder_.Write("c.yaml", Concat("log-file: ", folder_ / "log", "\nmax-calls: 78\nnonsense: 1\n"));
  const auto [failed, errors] = Run("admin config --reload");
  EXPECT_EQ(failed, 1);
  EXPECT_NE(errors.find("c.yaml:3:1: unknown key 'nonsense'"), std::string::npos) << errors;
  EXPECT_EQ(Printed("admin config"), printed);
  folder_.Write("c.yaml", Concat("log-file: ", folder_ / "log",
                                 "\nmax-calls: 78\nlog-level: warn\n", access));
  EXPECT_EQ(Printed("admin config --reload"),
            "changed: log-level\nchanges only at a restart: max-calls\n");
}

TEST_F(AdminTest, TopShowsACallInFlight) {
  Start();
  std::string prims = "#usda 1.0\n";
  for (int i = 0; i < 100000; ++i) prims += Concat("def \"Prim_with_a_long_name_", i, "\" {}\n");
  const std::string large = daemon_->WriteFile("large.usda", prims);
  const auto client = Client::FromChannel(Channel(), {});
  v1::OpenStageRequest open;
  open.set_root_layer(large);
  v1::TraverseRequest request;
  request.mutable_stage()->set_handle(client->OpenStage(open)->handle());
  request.mutable_read_mask()->add_paths("type_name");
  request.mutable_stream_options()->set_chunk_bytes(65536);
  grpc::ClientContext context;
  // Takes few bytes from the daemon before they are read.
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  arguments.SetInt(GRPC_ARG_HTTP2_STREAM_LOOKAHEAD_BYTES, 65536);
  const auto stub = v1::QueryService::NewStub(
      grpc::CreateCustomChannel(daemon_->address(), grpc::InsecureChannelCredentials(), arguments));
  const auto reader = stub->Traverse(&context, request);
  v1::TraverseResponse first;
  ASSERT_TRUE(reader->Read(&first)) << reader->Finish().error_message();
  const std::string view = Printed("top --once");
  EXPECT_NE(view.find("QueryService/Traverse"), std::string::npos) << view;
  EXPECT_NE(view.find(" calls in flight, "), std::string::npos) << view;
  EXPECT_NE(view.find("  AGE  STATE "), std::string::npos) << view;
  EXPECT_NE(view.find("/large.usda"), std::string::npos) << view;
  const std::string calls = Printed("admin calls");
  const size_t at = calls.find("QueryService/Traverse");
  EXPECT_LT(at, calls.find("AdminService/ListCalls")) << "the longest comes first\n" << calls;
  context.TryCancel();
}

TEST_F(AdminTest, CallersWithoutTheGroupAreRefused) {
  Start(
      "access: {roles: [{name: r, identities: local, assets: '*', "
      "methods: [query, edit, tools]}]}\n");
  const auto client = Client::FromChannel(Channel(), {});
  v1::EvictCachesRequest evict;
  evict.add_caches(v1::CACHE_KIND_CLIPS);
  v1::SetLogLevelRequest level;
  level.set_level(v1::LOG_LEVEL_OFF);
  for (const absl::Status& status :
       {client->ListCalls({}).status(), client->EvictCaches(evict).status(),
        client->Drain({}).status(), client->SetLogLevel(level).status(),
        client->ReloadConfig({}).status(), client->GetConfig({}).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kPermissionDenied) << status;
    EXPECT_EQ(ErrorReason(status), "METHOD_FORBIDDEN") << status;
  }
  EXPECT_TRUE(daemon_->IsRunning());
  const std::string view = Printed("top --once");
  EXPECT_EQ(view.rfind("stagedoord ", 0), 0u) << view;
  for (const char* part : {"not shown: rates: ", "not shown: calls: ", "not shown: caches: "}) {
    EXPECT_NE(view.find(part), std::string::npos) << part << " in\n" << view;
  }
}

// The command at a terminal.
class TopOnATerminal : public AdminTest {
 protected:
  // Starts `stagedoor top` on a terminal of 10 lines of 60 columns.
  void StartTop() {
    terminal_ = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(terminal_, 0);
    ASSERT_EQ(::grantpt(terminal_), 0);
    ASSERT_EQ(::unlockpt(terminal_), 0);
    other_ = ::open(::ptsname(terminal_), O_RDWR | O_NOCTTY | O_CLOEXEC);
    ASSERT_GE(other_, 0);
    const winsize size{.ws_row = 10, .ws_col = 60, .ws_xpixel = 0, .ws_ypixel = 0};
    ASSERT_EQ(::ioctl(terminal_, TIOCSWINSZ, &size), 0);
    ASSERT_EQ(::tcgetattr(other_, &before_), 0);
    child_ = ::fork();
    if (child_ == 0) {
      for (int fd = 0; fd <= STDERR_FILENO; ++fd) ::dup2(other_, fd);
      ::execl(kCommand, kCommand, "--address", daemon_->address().c_str(), "top", "--interval=0.1",
              nullptr);
      ::_exit(99);
    }
  }
  // Reads what is shown until `part` was. False at the end.
  bool ReadUntil(const std::string& part) {
    char buffer[4096];
    while (shown_.find(part) == std::string::npos) {
      const ssize_t size = ::read(terminal_, buffer, sizeof(buffer));
      if (size <= 0) return false;
      shown_.append(buffer, static_cast<size_t>(size));
    }
    return true;
  }
  void ExpectEnded() {
    EXPECT_TRUE(ReadUntil("\x1b[?25h\x1b[?1049l")) << "the other screen is left";
    int status = 0;
    ASSERT_EQ(::waitpid(child_, &status, 0), child_);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
    termios after{};
    ASSERT_EQ(::tcgetattr(other_, &after), 0);
    EXPECT_EQ(after.c_lflag, before_.c_lflag);
    ::close(terminal_);
    ::close(other_);
  }

  int terminal_ = -1;
  int other_ = -1;  // the command's side
  pid_t child_ = -1;
  termios before_{};
  std::string shown_;
};

TEST_F(TopOnATerminal, QuitsByKey) {
  Start();
  StartTop();
  ASSERT_TRUE(ReadUntil("stagedoord "));
  ASSERT_TRUE(ReadUntil("calls/s, "));
  shown_.clear();
  ASSERT_TRUE(ReadUntil("\x1b[H")) << "it is drawn again";
  ASSERT_EQ(::write(terminal_, "xq", 2), 2);
  ExpectEnded();
}

TEST_F(TopOnATerminal, ASignalRestoresTheTerminal) {
  Start();
  StartTop();
  ASSERT_TRUE(ReadUntil("calls/s, "));
  termios during{};
  ASSERT_EQ(::tcgetattr(other_, &during), 0);
  EXPECT_EQ(during.c_lflag & (ICANON | ECHO), 0u);
  ASSERT_EQ(::kill(child_, SIGTERM), 0);
  ExpectEnded();
}

}  // namespace
}  // namespace stagedoor
