#include "server/handlers/labels_handler.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "base/strings.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

class LabelsHandlerTest : public ServerTest {
 protected:
  LabelsHandlerTest() {
    Write("root.usda", R"(
def "A" (
  prepend apiSchemas = ["SemanticsLabelsAPI:kind", "SemanticsLabelsAPI:color"]
) {
  token[] semantics:labels:kind.timeSamples = { 1: ["toy", "ball"], 3: ["egg"] }
  token[] semantics:labels:color = ["red"]
  def "B" {
    def "C" (
      prepend apiSchemas = ["SemanticsLabelsAPI:kind"]
    ) {
      token[] semantics:labels:kind = ["round"]
    }
  }
}
def "Bare" {
}
)");
    v1::OpenStageRequest open;
    open.set_root_layer("/root.usda");
    *request_.mutable_stage() = Open(open);
  }
  v1::ComputeLabelsResponse Compute() {
    const auto response = client().ComputeLabels(request_);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? *response : v1::ComputeLabelsResponse();
  }
  std::string Reason() { return ErrorReason(client().ComputeLabels(request_).status()); }
  void AddTime(double time) { request_.mutable_times()->add_times()->set_numeric(time); }

  // "kind: own | with those above\n" of each taxonomy.
  static std::string Text(const v1::PrimLabels& answer) {
    std::string text;
    for (const v1::TaxonomyLabels& labels : answer.taxonomies()) {
      text += labels.taxonomy() + ":";
      for (const std::string& label : labels.direct()) text += " " + label;
      text += " |";
      for (const std::string& label : labels.inherited()) text += " " + label;
      text += "\n";
    }
    return text;
  }
  static std::vector<uint32_t> Numbers(const v1::ComputeLabelsResponse& response) {
    return {response.answer().begin(), response.answer().end()};
  }

  v1::ComputeLabelsRequest request_;
};

TEST_F(LabelsHandlerTest, PrimsBelowTheSameLabelsShareAnAnswer) {
  for (const char* path : {"/A/B", "/A", "/A/B/C", "/Bare", "/None", "/A/B"}) {
    request_.add_paths(path);
  }
  AddTime(1);
  const v1::ComputeLabelsResponse response = Compute();
  EXPECT_EQ(response.snapshot().size(), 32u);
  EXPECT_EQ(Numbers(response), (std::vector<uint32_t>{1, 2, 3, 0, 0, 1}));
  ASSERT_EQ(response.answers_size(), 3);
  EXPECT_EQ(Text(response.answers(0)), "color: | red\nkind: | ball toy\n");
  EXPECT_EQ(Text(response.answers(1)), "color: red | red\nkind: ball toy | ball toy\n");
  EXPECT_EQ(Text(response.answers(2)), "color: | red\nkind: round | ball round toy\n");
  EXPECT_EQ(response.answers(0).direct_taxonomies_size(), 0);
  ASSERT_EQ(response.answers(1).direct_taxonomies_size(), 2);
  EXPECT_EQ(response.answers(1).direct_taxonomies(0), "kind");
  ASSERT_EQ(response.path_errors_size(), 1);
  EXPECT_EQ(response.path_errors(0).item(), 4u);
}

TEST_F(LabelsHandlerTest, TaxonomiesAndTimesAreThoseOfTheRequest) {
  request_.add_paths("/A");
  request_.add_paths("/A/B/C");
  for (const char* taxonomy : {"kind", "gone", "kind"}) request_.add_taxonomies(taxonomy);
  AddTime(1);
  AddTime(3);
  const v1::ComputeLabelsResponse response = Compute();
  EXPECT_EQ(Numbers(response), (std::vector<uint32_t>{1, 2, 3, 4}));
  ASSERT_EQ(response.answers_size(), 4);
  EXPECT_EQ(Text(response.answers(1)), "kind: egg | egg\n");
  EXPECT_EQ(Text(response.answers(3)), "kind: round | egg round\n");
  EXPECT_EQ(response.answers(1).direct_taxonomies_size(), 2);
}

TEST_F(LabelsHandlerTest, IntervalsJoinLabels) {
  request_.add_paths("/A");
  request_.add_taxonomies("kind");
  v1::TimeInterval* interval = request_.mutable_interval();
  EXPECT_EQ(Text(Compute().answers(0)), "kind: ball egg toy | ball egg toy\n");
  interval->set_start(2);
  EXPECT_EQ(Text(Compute().answers(0)), "kind: ball egg toy | ball egg toy\n");
  interval->set_end(3);
  interval->set_end_open(true);
  EXPECT_EQ(Text(Compute().answers(0)), "kind: ball toy | ball toy\n");
  interval->set_start(3);
  EXPECT_EQ(Reason(), "INVALID_TIME");
  interval->set_start(std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(Reason(), "INVALID_TIME");
  interval->set_start(1);
  AddTime(1);
  EXPECT_EQ(Reason(), "INVALID_FIELD");
}

TEST_F(LabelsHandlerTest, NeedsTimes) {
  request_.add_paths("/A");
  EXPECT_EQ(Reason(), "INVALID_TIME");
}

}  // namespace
}  // namespace stagedoor::server
