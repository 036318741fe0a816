// Replies of a server while the files of its stages are overwritten, truncated and replaced.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/status.h"
#include "base/testing/temp_dir.h"
#include "client/cc/client.h"
#include "client/cc/value_batch.h"
#include "scene/layer/field_keys.h"
#include "scene/layer/layer_builder.h"
#include "scene/usdc/usdc_writer.h"
#include "scene/values/memory_time_samples.h"
#include "scene/values/vec.h"
#include "server/server.h"

namespace stagedoor::server {
namespace {

namespace fs = std::filesystem;

constexpr int kPrims = 12;
constexpr size_t kPoints = 40000;  // 480 KB
constexpr double kFrame = 1.5;     // between samples, and between clips

// All numbers of a version, interpolated or not, equal this one, so torn values are detected.
float NumberOf(int version) { return static_cast<float>(version) + 0.5f; }

Value Points(int version) {
  const float number = NumberOf(version);
  return Value(
      Array<Vec3f>::FromVector(std::vector<Vec3f>(kPoints, Vec3f{{number, number, number}})));
}

// A crate whose prims each have an attribute with a default, one with samples, and a scalar one.
std::string MakeCrate(int version, bool clip = false) {
  LayerBuilder builder;
  for (int i = 0; i < (clip ? 1 : kPrims); ++i) {
    const auto add = [&](std::string_view name, std::string_view type, Token field, Value value) {
      const SpecId spec =
          builder.EnsureProperty(*Path::Parse(Concat("/P", i, ".", name)), SpecType::kAttribute);
      builder.Set(spec, Fields().typeName, Value(Token(type)));
      builder.Set(spec, field, std::move(value));
    };
    std::vector<std::pair<double, Value>> samples, numbers;
    for (const double time : {1.0, 2.0}) {
      samples.emplace_back(time, Points(version));
      numbers.emplace_back(time + i / 64.0, Value(double{NumberOf(version)}));
    }
    add("moving", "point3f[]", Fields().timeSamples, Value::FromSamples(MakeTimeSamples(samples)));
    if (clip) continue;
    add("points", "point3f[]", Fields().default_, Points(version));
    add("number", "double", Fields().timeSamples, Value::FromSamples(MakeTimeSamples(numbers)));
    builder.Set(builder.EnsurePrim(*Path::Parse(Concat("/P", i))), Fields().specifier,
                Value(Specifier::kDef));
  }
  return *WriteUsdc(*std::move(builder).Build({.identifier = "made"}));
}

class OverwriteTest : public testing::Test {
 protected:
  OverwriteTest() {
    for (int version = 1; version <= 2; ++version) crate_[version] = MakeCrate(version);
    ServerOptions options;
    options.addresses = {"127.0.0.1:0"};
    auto server = Server::Start(options);
    EXPECT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    // Over a socket, where bytes are sent after the handler has returned.
    ClientOptions connection;
    connection.address = server_->addresses().front();
    connection.max_attempts = 1;
    client_ = Client::Connect(connection);
    connection.assemble_arrays = false;
    chunk_client_ = Client::Connect(connection);
  }

  std::string File(std::string_view name) const { return folder_ / name; }

  void Publish(std::string_view name, std::string_view content) { folder_.Write(name, content); }

  void Overwrite(std::string_view name, std::string_view content, size_t step) {
    const int fd = open(File(name).c_str(), O_WRONLY);
    for (size_t at = 0; at < content.size(); at += step) {
      const std::string_view piece = content.substr(at, step);
      EXPECT_EQ(pwrite(fd, piece.data(), piece.size(), static_cast<off_t>(at)),
                static_cast<ssize_t>(piece.size()));
      std::this_thread::yield();
    }
    close(fd);
  }

  v1::StageRef Open(std::string_view name) {
    v1::OpenStageRequest request;
    request.set_root_layer(File(name));
    const auto reply = client_->OpenStage(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    v1::StageRef ref;
    if (reply.ok()) ref.set_handle(reply->handle());
    return ref;
  }

  static std::vector<std::string> AllPaths() {
    std::vector<std::string> paths;
    for (int i = 0; i < kPrims; ++i) {
      for (const char* name : {"points", "moving", "number"}) {
        paths.push_back(Concat("/P", i, ".", name));
      }
    }
    return paths;
  }

  struct Seen {
    int good = 0, lost = 0, wrong = 0;
    void Add(std::string_view bytes, int version, bool doubles) {
      const float number = NumberOf(version);
      const double wide = number;
      const size_t size = doubles ? sizeof(wide) : sizeof(number);
      bool same = !bytes.empty() && bytes.size() % size == 0;
      for (size_t at = 0; same && at < bytes.size(); at += size) {
        same = std::memcmp(bytes.data() + at, doubles ? static_cast<const void*>(&wide) : &number,
                           size) == 0;
      }
      ++(same ? good : wrong);
    }
    void Lose(const absl::Status& status) {
      EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss) << status;
      ++lost;
    }
  };

  Seen ReadBatch(const v1::StageRef& stage, const std::vector<std::string>& paths, int version) {
    v1::BatchGetValuesRequest request;
    *request.mutable_stage() = stage;
    request.mutable_paths()->Assign(paths.begin(), paths.end());
    request.mutable_times()->add_frames(kFrame);
    Seen seen;
    const auto reply = client_->BatchGetValues(request);
    if (!reply.ok()) {
      seen.Lose(reply.status());
      return seen;
    }
    const ValueBatch batch(*reply);
    for (size_t i = 0; i < paths.size(); ++i) {
      const absl::Status status = batch.status(i, 0);
      if (!status.ok()) {
        seen.Lose(status);
      } else if (const auto number = batch.GetDouble(i, 0)) {
        ++(*number == NumberOf(version) ? seen.good : seen.wrong);
      } else {
        const auto numbers = batch.GetNumbers<float>(i, 0);
        seen.Add({reinterpret_cast<const char*>(numbers.data()), numbers.size_bytes()}, version,
                 false);
      }
    }
    return seen;
  }

  // `between` is called after each message.
  Seen ReadStream(
      const v1::StageRef& stage, const std::vector<std::string>& paths, int version,
      const std::function<void()>& between = [] {}) {
    v1::StreamValuesRequest request;
    *request.mutable_stage() = stage;
    request.mutable_paths()->Assign(paths.begin(), paths.end());
    request.mutable_times()->add_frames(kFrame);
    request.mutable_stream_options()->set_chunk_bytes(64 << 10);
    Seen seen;
    std::string array;
    bool open = false;
    const auto end = [&](bool whole) {
      if (open && whole) seen.Add(array, version, false);
      if (open && !whole) ++seen.lost;
      open = false;
      array.clear();
    };
    const absl::Status status =
        chunk_client_->StreamValues(request, [&](const v1::StreamValuesResponse& part) {
          if (part.has_error() || part.has_value()) end(true);
          if (part.has_error()) {
            seen.Lose(absl::Status(static_cast<absl::StatusCode>(part.error().code()),
                                   part.error().message()));
          } else if (part.value().has_array_value()) {
            open = true;
            array += part.value().array_value().data();
          } else if (part.has_value()) {
            ++(part.value().double_value() == NumberOf(version) ? seen.good : seen.wrong);
          }
          for (const auto& chunk : part.stream_parts().chunks()) array += chunk.data();
          between();
          return absl::OkStatus();
        });
    if (!status.ok()) seen.Lose(status);
    end(status.ok());
    return seen;
  }

  const TempDir folder_;
  std::string crate_[3];
  std::unique_ptr<Server> server_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Client> chunk_client_;  // gets the messages of streams as they arrive
};

TEST_F(OverwriteTest, AnOverwrittenFileIsLostUntilTheStageIsReloaded) {
  Publish("a.usdc", crate_[1]);
  const v1::StageRef stage = Open("a.usdc");
  Overwrite("a.usdc", crate_[2], crate_[2].size());
  for (int round = 0; round < 2; ++round) {
    const Seen batch = ReadBatch(stage, AllPaths(), 1);
    EXPECT_EQ(batch.wrong, 0);
    EXPECT_GE(batch.lost, kPrims);
    const Seen stream = ReadStream(stage, AllPaths(), 1);
    EXPECT_EQ(stream.wrong, 0);
    EXPECT_GE(stream.lost, kPrims);
  }
  v1::ReloadStageRequest reload;
  *reload.mutable_stage() = stage;
  ASSERT_TRUE(client_->ReloadStage(reload).ok());
  const Seen seen = ReadBatch(stage, AllPaths(), 2);
  EXPECT_EQ(seen.good, 3 * kPrims);
}

TEST_F(OverwriteTest, AFileReplacedByRenameStaysReadable) {
  Publish("a.usdc", crate_[1]);
  const v1::StageRef stage = Open("a.usdc");
  Publish("a.usdc", crate_[2]);
  EXPECT_EQ(ReadBatch(stage, AllPaths(), 1).good, 3 * kPrims);
  EXPECT_EQ(ReadStream(stage, AllPaths(), 1).good, 3 * kPrims);
  EXPECT_EQ(ReadBatch(Open("a.usdc"), AllPaths(), 2).good, 3 * kPrims);
}

// Values from other files of the stage are not affected.
TEST_F(OverwriteTest, OnlyValuesOfTheFileAreLost) {
  Publish("a.usdc", crate_[1]);
  Publish("b.usdc", crate_[1]);
  Publish("root.usda",
          "#usda 1.0\ndef \"A\" (references = @./a.usdc@</P0>) {\n}\n"
          "def \"B\" (references = @./b.usdc@</P0>) {\n}\n");
  const v1::StageRef stage = Open("root.usda");
  Overwrite("a.usdc", crate_[2], 4096);
  const Seen lost = ReadBatch(stage, {"/A.points", "/A.moving"}, 1);
  EXPECT_EQ(lost.lost, 2);
  const std::vector<std::string> other = {"/B.points", "/B.moving", "/B.number"};
  EXPECT_EQ(ReadBatch(stage, other, 1).good, 3);
  EXPECT_EQ(ReadStream(stage, other, 1).good, 3);
}

TEST_F(OverwriteTest, AStreamSurvivesAFileThatIsTruncatedAndRegrown) {
  Publish("a.usdc", crate_[1]);
  const v1::StageRef stage = Open("a.usdc");
  int messages = 0;
  const Seen seen = ReadStream(stage, AllPaths(), 1, [&] {
    if (++messages != 3) return;
    fs::resize_file(File("a.usdc"), 8192);
    fs::resize_file(File("a.usdc"), crate_[2].size());
    Overwrite("a.usdc", crate_[2], 1 << 16);
  });
  EXPECT_EQ(seen.wrong, 0);
  EXPECT_GT(seen.lost, 0);
  // The connection still works.
  EXPECT_EQ(ReadBatch(Open("a.usdc"), AllPaths(), 2).good, 3 * kPrims);
}

TEST_F(OverwriteTest, AnOverwrittenClipIsLost) {
  const std::string one = MakeCrate(1, true), two = MakeCrate(2, true);
  Publish("c1.usdc", one);
  Publish("c2.usdc", one);
  Publish("root.usda", R"(#usda 1.0
def "P0" (
  clips = { dictionary default = {
    asset[] assetPaths = [@./c1.usdc@, @./c2.usdc@]
    double2[] active = [(1, 0), (2, 1)]
    double2[] times = [(1, 1), (2, 2)]
    string primPath = "/P0"
  } }
) {
  point3f[] moving
}
)");
  const v1::StageRef stage = Open("root.usda");
  const std::vector<std::string> paths = {"/P0.moving"};
  EXPECT_EQ(ReadBatch(stage, paths, 1).good, 1);
  Overwrite("c1.usdc", two, 4096);
  for (int round = 0; round < 2; ++round) {
    const Seen seen = ReadBatch(stage, paths, 1);
    EXPECT_EQ(seen.wrong, 0);
    EXPECT_EQ(seen.lost, 1);
    EXPECT_EQ(ReadStream(stage, paths, 1).lost, 1);
  }
}

TEST_F(OverwriteTest, NoReplyIsTornDuringContinuousOverwrites) {
  for (const size_t step : {crate_[1].size(), size_t{64} << 10, size_t{1000}}) {
    SCOPED_TRACE(step);
    Publish("a.usdc", crate_[1]);
    const v1::StageRef stage = Open("a.usdc");
    std::atomic<bool> stop{false};
    std::atomic<int> rounds{0};
    std::thread writer([&] {
      for (int version = 2; !stop; version = 3 - version) {
        Overwrite("a.usdc", crate_[version], step);
        ++rounds;
      }
    });
    int wrong = 0;
    for (int round = 0; round < 6 || rounds == 0; ++round) {
      wrong += ReadBatch(stage, AllPaths(), 1).wrong;
      wrong += ReadStream(stage, AllPaths(), 1).wrong;
    }
    stop = true;
    writer.join();
    EXPECT_EQ(wrong, 0);
  }
}

}  // namespace
}  // namespace stagedoor::server
