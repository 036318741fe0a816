#include "client/cc/sample_assembler.h"

#include <string>
#include <vector>

#include "google/protobuf/text_format.h"
#include "gtest/gtest.h"

namespace stagedoor {
namespace {

class SampleAssemblerTest : public testing::Test {
 protected:
  // Adds a message in text form.
  absl::Status Add(const std::string& text) {
    v1::SampleValuesResponse message;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
    return assembler_.Add(message);
  }

  std::vector<AttributeSamples> items_;
  absl::Status wanted_;
  SampleAssembler assembler_{[this](AttributeSamples item) {
    items_.push_back(std::move(item));
    return wanted_;
  }};
};

TEST_F(SampleAssemblerTest, ItemsMayBeInSeveralMessagesAndViceVersa) {
  EXPECT_TRUE(Add(R"(
      snapshot: "s"
      items { item: 0 type_name: "double" variation: VALUE_VARIATION_CONSTANT sample_count: 1
              samples { state: ITEM_STATE_VALUE value { double_value: 5 } } }
      items { item: 1 type_name: "int" variation: VALUE_VARIATION_SAMPLED sample_count: 3
              samples { time: 0 state: ITEM_STATE_BLOCKED } })")
                  .ok());
  EXPECT_EQ(items_.size(), 1u);
  EXPECT_TRUE(Add("items { item: 1 samples { time: 2 state: ITEM_STATE_NONE } "
                  "samples { time: 2.5 pre_time: true state: ITEM_STATE_ERROR "
                  "error { code: 15 message: 'cut' } } } "
                  "items { item: 2 error { code: 5 message: 'no prim' } }")
                  .ok());
  EXPECT_TRUE(assembler_.Finish().ok());
  ASSERT_EQ(items_.size(), 3u);
  EXPECT_EQ(items_[0].type_name, "double");
  EXPECT_EQ(items_[0].variation, v1::VALUE_VARIATION_CONSTANT);
  EXPECT_FALSE(items_[0].samples[0].time.has_value());
  EXPECT_EQ(items_[0].samples[0].value.double_value(), 5);
  ASSERT_EQ(items_[1].samples.size(), 3u);
  EXPECT_EQ(items_[1].samples[0].time, 0);
  EXPECT_TRUE(items_[1].samples[0].value.has_block());
  EXPECT_TRUE(items_[1].samples[0].status.ok());
  EXPECT_EQ(items_[1].samples[1].value.kind_case(), v1::Value::KIND_NOT_SET);
  EXPECT_TRUE(items_[1].samples[1].status.ok());
  EXPECT_TRUE(items_[1].samples[2].pre_time);
  EXPECT_EQ(items_[1].samples[2].status, absl::DataLossError("cut"));
  EXPECT_EQ(items_[2].status, absl::NotFoundError("no prim"));
  EXPECT_TRUE(items_[2].samples.empty());
}

TEST_F(SampleAssemblerTest, ItemsMayGoOnInTheNextMessage) {
  EXPECT_TRUE(Add("items { item: 0 type_name: 'int' sample_count: 2 "
                  "samples { time: 1 state: ITEM_STATE_VALUE value { int_value: 7 } } }")
                  .ok());
  EXPECT_TRUE(items_.empty());
  EXPECT_TRUE(Add("items { item: 0 samples { time: 2 state: ITEM_STATE_VALUE "
                  "value { int_value: 8 } } } items { item: 1 error { code: 5 } }")
                  .ok());
  EXPECT_TRUE(assembler_.Finish().ok());
  ASSERT_EQ(items_.size(), 2u);
  EXPECT_EQ(items_[0].type_name, "int");
  ASSERT_EQ(items_[0].samples.size(), 2u);
  EXPECT_EQ(items_[0].samples[0].value.int_value(), 7);
  EXPECT_EQ(items_[0].samples[1].value.int_value(), 8);
}

TEST_F(SampleAssemblerTest, UnknownStatesAreErrors) {
  EXPECT_TRUE(Add("items { item: 0 sample_count: 2 samples { state: 77 } "
                  "samples { state: ITEM_STATE_UNSPECIFIED } }")
                  .ok());
  EXPECT_TRUE(assembler_.Finish().ok());
  for (const auto& sample : items_[0].samples) {
    EXPECT_EQ(sample.status.code(), absl::StatusCode::kUnimplemented);
  }
}

TEST_F(SampleAssemblerTest, ArraysThatTheClientHasAreHandedOver) {
  EXPECT_TRUE(Add("items { item: 0 sample_count: 1 samples { state: ITEM_STATE_UNCHANGED value { "
                  "array_value { digest: 'd' unchanged: true } } } }")
                  .ok());
  EXPECT_TRUE(assembler_.Finish().ok());
  EXPECT_TRUE(items_[0].samples[0].status.ok());
  EXPECT_EQ(items_[0].samples[0].value.array_value().digest(), "d");
}

TEST_F(SampleAssemblerTest, ReturnsTheStatusOfTheReceiver) {
  wanted_ = absl::CancelledError("enough");
  EXPECT_TRUE(Add("items { item: 0 error { code: 5 } }").ok()) << "it may be continued";
  EXPECT_EQ(Add("items { item: 1 error { code: 5 } }"), wanted_);
}

TEST_F(SampleAssemblerTest, NothingIsHandedOverTwice) {
  EXPECT_TRUE(Add("items { item: 0 error { code: 5 } }").ok());
  EXPECT_TRUE(assembler_.Finish().ok());
  EXPECT_TRUE(assembler_.Finish().ok());
  EXPECT_EQ(items_.size(), 1u);
}

// As a malicious or broken daemon may send them.
TEST_F(SampleAssemblerTest, InconsistentRepliesAreErrors) {
  const std::string begin = "items { item: 0 sample_count: 1 ";
  const struct {
    std::vector<std::string> messages;
    std::string message;
  } kCases[] = {
      {{"items { item: 1 }"}, "the reply is inconsistent at item 1: items are missing before it"},
      {{begin + "}", "items { item: 1 }"},
       "the reply is inconsistent at item 0: it is not complete"},
      {{begin + "samples {} samples {} }", "items { item: 1 }"},
       "the reply is inconsistent at item 0: it is not complete"},
  };
  for (const auto& c : kCases) {
    SampleAssembler assembler([](const AttributeSamples&) { return absl::OkStatus(); });
    absl::Status status;
    for (const std::string& text : c.messages) {
      v1::SampleValuesResponse message;
      ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
      if (status.ok()) status = assembler.Add(message);
    }
    EXPECT_EQ(status, absl::DataLossError(c.message));
  }
  EXPECT_TRUE(Add(begin + "}").ok());
  EXPECT_EQ(assembler_.Finish().code(), absl::StatusCode::kDataLoss);
}

}  // namespace
}  // namespace stagedoor
