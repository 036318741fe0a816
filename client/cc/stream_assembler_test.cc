#include "client/cc/stream_assembler.h"

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <string>
#include <vector>

#include "client/cc/client.h"
#include "stagedoor/v1/geom.grpc.pb.h"

namespace stagedoor {
namespace {

using Response = v1::GetPrimvarsResponse;
using Responses = std::vector<Response>;

// Makes `packed` refer to an array of `count` bytes.
void Refer(uint32_t id, uint64_t count, v1::PackedValues* packed) {
  packed->set_component_type(v1::COMPONENT_TYPE_UINT8);
  packed->set_shape(v1::ELEMENT_SHAPE_SCALAR);
  packed->set_rows(1);
  packed->set_columns(1);
  packed->set_count(count);
  packed->mutable_streamed()->set_id(id);
  packed->mutable_streamed()->set_total_bytes(count);
}

// Adds an item that refers to an array of `count` bytes.
v1::PackedValues* AddArray(uint32_t id, uint64_t count, Response* message) {
  v1::PackedValues* packed =
      message->add_items()->add_primvars()->mutable_value()->mutable_array_value();
  Refer(id, count, packed);
  message->mutable_stream_parts()->set_array_count(message->stream_parts().array_count() + 1);
  return packed;
}

void AddChunk(uint32_t id, uint64_t offset, const std::string& data, Response* message) {
  v1::ArrayChunk* chunk = message->mutable_stream_parts()->add_chunks();
  chunk->set_array_id(id);
  chunk->set_offset(offset);
  chunk->set_data(data);
}

Response Chunk(uint32_t id, uint64_t offset, const std::string& data) {
  Response message;
  AddChunk(id, offset, data, &message);
  return message;
}

Response Fragment(uint64_t total, const std::string& data) {
  Response message;
  message.mutable_stream_parts()->mutable_fragment()->set_total_bytes(total);
  message.mutable_stream_parts()->mutable_fragment()->set_data(data);
  return message;
}

// The messages that an assembler makes of others, and the status of the first that it rejects.
struct Assembled {
  Responses whole;
  absl::Status status;
  bool in_progress;
};

Assembled Assemble(const Responses& messages, const ClientOptions& options = {}) {
  StreamAssembler<Response> assembler(options);
  Assembled result;
  for (Response message : messages) {
    const auto whole = assembler.Take(&message);
    if (!whole.ok()) {
      result.status = whole.status();
      break;
    }
    if (*whole) result.whole.push_back(message);
  }
  result.in_progress = assembler.in_progress();
  return result;
}

std::string DataOf(const Response& message, int item) {
  return message.items(item).primvars(0).value().array_value().data();
}

TEST(StreamAssemblerTest, MessagesWithoutArraysPass) {
  Response message;
  message.set_snapshot("s");
  message.add_items();
  const Assembled result = Assemble({message, Response()});
  ASSERT_EQ(result.whole.size(), 2u) << result.status;
  EXPECT_EQ(result.whole[0].SerializeAsString(), message.SerializeAsString());
  EXPECT_FALSE(result.in_progress);
}

TEST(StreamAssemblerTest, ArraysArePutWhereTheirMessageRefersToThem) {
  Response first;
  first.set_snapshot("s");
  AddArray(0, 5, &first);
  AddArray(1, 3, &first);
  AddChunk(0, 0, "ab", &first);
  Response middle = Chunk(0, 2, "cde");
  AddChunk(1, 0, "x", &middle);
  Response second;
  AddArray(2, 1, &second);
  AddChunk(2, 0, "!", &second);
  const Assembled result = Assemble({first, middle, Chunk(1, 1, "yz"), second});
  ASSERT_EQ(result.whole.size(), 2u) << result.status;
  EXPECT_EQ(DataOf(result.whole[0], 0), "abcde");
  EXPECT_EQ(DataOf(result.whole[0], 1), "xyz");
  EXPECT_EQ(result.whole[0].snapshot(), "s");
  EXPECT_FALSE(result.whole[0].has_stream_parts());
  EXPECT_EQ(DataOf(result.whole[1], 0), "!");
  EXPECT_FALSE(result.in_progress);
}

TEST(StreamAssemblerTest, FindsArraysAtAnyDepth) {
  Response message;
  v1::Dictionary* dictionary =
      message.add_items()->add_primvars()->mutable_value()->mutable_dictionary_value();
  Refer(1, 1, dictionary->add_entries()->mutable_value()->mutable_array_value());
  Refer(0, 2, dictionary->add_entries()->mutable_value()->mutable_time_samples()->mutable_times());
  message.mutable_stream_parts()->set_array_count(2);
  AddChunk(0, 0, "ab", &message);
  AddChunk(1, 0, "c", &message);
  const Assembled result = Assemble({message});
  ASSERT_EQ(result.whole.size(), 1u) << result.status;
  const v1::Dictionary& whole = result.whole[0].items(0).primvars(0).value().dictionary_value();
  EXPECT_EQ(whole.entries(0).value().array_value().data(), "c");
  EXPECT_EQ(whole.entries(1).value().time_samples().times().data(), "ab");
}

TEST(StreamAssemblerTest, FragmentsBecomeTheirMessage) {
  Response message;
  message.set_snapshot(std::string(100, 's'));
  AddArray(0, 2, &message);
  AddChunk(0, 0, "a", &message);
  const std::string bytes = message.SerializeAsString();
  const Assembled result =
      Assemble({Fragment(bytes.size(), bytes.substr(0, 50)), Fragment(0, bytes.substr(50, 10)),
                Fragment(0, bytes.substr(60)), Chunk(0, 1, "b")});
  ASSERT_EQ(result.whole.size(), 1u) << result.status;
  EXPECT_EQ(result.whole[0].snapshot(), message.snapshot());
  EXPECT_EQ(DataOf(result.whole[0], 0), "ab");
}

TEST(StreamAssemblerTest, IncompleteMessagesAreInProgress) {
  Response message;
  AddArray(0, 2, &message);
  EXPECT_TRUE(Assemble({message}).in_progress);
  EXPECT_TRUE(Assemble({message, Chunk(0, 0, "a")}).in_progress);
  EXPECT_TRUE(Assemble({Fragment(3, "ab")}).in_progress);
}

TEST(StreamAssemblerTest, InconsistentMessagesAreRejected) {
  Response one;  // refers to one array
  AddArray(0, 2, &one);
  Response late = one;  // its first array has not the first ID
  late.mutable_items(0)
      ->mutable_primvars(0)
      ->mutable_value()
      ->mutable_array_value()
      ->mutable_streamed()
      ->set_id(1);
  Response twice = one;
  AddArray(0, 2, &twice);
  Response more = one;
  more.mutable_stream_parts()->set_array_count(2);
  Response longer;
  AddArray(0, 2, &longer)->mutable_streamed()->set_total_bytes(3);
  Response overflow;
  AddArray(0, 0, &overflow)->set_count(uint64_t{1} << 63);
  overflow.mutable_items(0)
      ->mutable_primvars(0)
      ->mutable_value()
      ->mutable_array_value()
      ->set_component_type(v1::COMPONENT_TYPE_FLOAT64);
  Response wide;
  AddArray(0, 2, &wide)->set_columns(1u << 31);
  Response whole = one;
  AddChunk(0, 0, "ab", &whole);
  const struct {
    const char* what;
    Responses messages;
  } kCases[] = {
      {"an ID that is not the next", {late}},
      {"an ID that comes twice", {twice}},
      {"more arrays than there are", {more}},
      {"a size that is not that of the shape", {longer}},
      {"a count that overflows", {overflow}},
      {"elements of too many components", {wide}},
      {"a chunk of no array", {Chunk(0, 0, "a")}},
      {"a chunk after its array", {whole, Chunk(0, 2, "c")}},
      {"a chunk of another array", {one, Chunk(1, 0, "a")}},
      {"a gap", {one, Chunk(0, 1, "b")}},
      {"too many bytes", {one, Chunk(0, 0, "abc")}},
      {"an empty chunk", {one, Chunk(0, 0, "")}},
      {"other items before the chunks", {one, one}},
      {"a message without chunks before the chunks", {one, Response()}},
      {"an empty fragment", {Fragment(3, "")}},
      {"a fragment that is too long", {Fragment(3, "abcd")}},
      {"a fragment of nothing", {Fragment(0, "a")}},
      {"a message that cannot be decoded", {Fragment(2, "\xff\xff")}},
  };
  for (const auto& c : kCases) {
    const Assembled result = Assemble(c.messages);
    EXPECT_EQ(result.status.code(), absl::StatusCode::kDataLoss) << c.what;
  }
}

TEST(StreamAssemblerTest, LimitsWhatADaemonAnnounces) {
  ClientOptions options;
  options.max_assembled_bytes = 10;
  Response message;
  AddArray(0, 5, &message);
  AddArray(1, 5, &message);
  EXPECT_TRUE(Assemble({message}, options).status.ok());
  AddArray(2, 1, &message);
  EXPECT_EQ(Assemble({message}, options).status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(Assemble({Fragment(10, "a")}, options).status.ok());
  EXPECT_EQ(Assemble({Fragment(11, "a")}, options).status.code(),
            absl::StatusCode::kResourceExhausted);
  // Announced bytes are not allocated: this would need 3 GiB.
  Response huge;
  AddArray(0, uint64_t{3} << 30, &huge);
  AddChunk(0, 0, "a", &huge);
  EXPECT_TRUE(Assemble({huge, Chunk(0, 1, "b")}).in_progress);
}

// Sends the given messages in reply to GetPrimvars.
class FakeDaemon final : public v1::GeomService::Service {
 public:
  Responses messages;

 private:
  grpc::Status GetPrimvars(grpc::ServerContext*, const v1::GetPrimvarsRequest*,
                           grpc::ServerWriter<Response>* writer) override {
    for (const Response& message : messages) writer->Write(message);
    return grpc::Status::OK;
  }
};

class AssembledStreamTest : public ::testing::Test {
 protected:
  AssembledStreamTest() {
    grpc::ServerBuilder builder;
    builder.RegisterService(&daemon_);
    server_ = builder.BuildAndStart();
  }
  // The number of messages that a sink gets, and how the call ends, blocking or not.
  std::pair<size_t, absl::Status> Call(bool blocking, const ClientOptions& options = {}) {
    const auto client = Client::FromChannel(server_->InProcessChannel({}), options);
    size_t count = 0;
    const Client::Sink<Response> sink = [&count](const Response&) {
      ++count;
      return absl::OkStatus();
    };
    if (blocking) {
      const absl::Status status = client->GetPrimvars({}, sink);
      return {count, status};
    }
    std::promise<absl::Status> ended;
    client->GetPrimvarsAsync({}, sink, [&](absl::Status s) { ended.set_value(std::move(s)); });
    const absl::Status status = ended.get_future().get();
    return {count, status};
  }

  FakeDaemon daemon_;
  std::unique_ptr<grpc::Server> server_;
};

TEST_F(AssembledStreamTest, SinksGetWholeMessagesUnlessTheyWantChunks) {
  Response message;
  AddArray(0, 3, &message);
  daemon_.messages = {message, Chunk(0, 0, "ab"), Chunk(0, 2, "c"), Response()};
  ClientOptions raw;
  raw.assemble_arrays = false;
  for (const bool blocking : {false, true}) {
    EXPECT_EQ(Call(blocking), std::pair(size_t{2}, absl::OkStatus())) << blocking;
    EXPECT_EQ(Call(blocking, raw), std::pair(size_t{4}, absl::OkStatus())) << blocking;
  }
}

TEST_F(AssembledStreamTest, AStreamThatIsInconsistentOrEndsEarlyFails) {
  Response message;
  AddArray(0, 3, &message);
  for (const bool blocking : {false, true}) {
    daemon_.messages = {message, Chunk(0, 0, "ab")};
    EXPECT_EQ(Call(blocking).second.code(), absl::StatusCode::kDataLoss) << blocking;
    daemon_.messages = {Chunk(0, 0, "ab"), message};
    EXPECT_EQ(Call(blocking).second.code(), absl::StatusCode::kDataLoss) << blocking;
    EXPECT_EQ(Call(blocking).first, 0u) << blocking;
  }
}

}  // namespace
}  // namespace stagedoor
