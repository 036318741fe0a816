#include "server/handlers/dependency_handlers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "server/testing/data_streams.h"
#include "server/testing/server_test.h"

namespace stagedoor {
namespace {

using Strings = std::vector<std::string>;

class ToolHandlersTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("asset.usda", R"(( defaultPrim = "A" )
def "A" {
    double x = 2
}
)");
    Write("strong.usda", "over \"P\" { double y = 3; }\n");
    Write("root.usda", R"(( subLayers = [@./strong.usda@] )
def "P" ( references = @./asset.usda@ )
{
    asset texture = @./missing.png@
    double y = 1
}
)");
  }

  // Sources for the same stage: with a lease, and to be opened for the call.
  v1::StageSource Held() {
    v1::StageSource source;
    *source.mutable_stage() = Open();
    return source;
  }
  static v1::StageSource ToOpen() {
    v1::StageSource source;
    source.mutable_open()->set_root_layer("/root.usda");
    return source;
  }
};

TEST_F(ToolHandlersTest, ConvertsALayerToTheRequestedFormat) {
  v1::ConvertLayerRequest request;
  request.set_identifier("/strong.usda");
  request.set_format(v1::LAYER_FORMAT_USDA);
  EXPECT_EQ(DataOf(All(&Client::ConvertLayer, request)),
            "#usda 1.0\n\nover \"P\"\n{\n    double y = 3\n}\n\n");
  request.set_format(v1::LAYER_FORMAT_USDC);
  EXPECT_EQ(DataOf(All(&Client::ConvertLayer, request)).substr(0, 8), "PXR-USDC");
  request.set_format(v1::LAYER_FORMAT_UNSPECIFIED);
  EXPECT_EQ(DataOf(All(&Client::ConvertLayer, request)).substr(0, 8), "PXR-USDC");
  request.set_format(v1::LAYER_FORMAT_USDZ);
  const std::string package = DataOf(All(&Client::ConvertLayer, request));
  EXPECT_EQ(package.substr(0, 4), "PK\3\4");
  EXPECT_NE(package.find("PXR-USDC"), std::string::npos);
}

TEST_F(ToolHandlersTest, ConvertedLayersComeInMessagesOfTheServersSize) {
  ServerOptions options;
  options.limits.message_bytes = 64;
  Start(options);
  v1::ConvertLayerRequest request;
  request.set_identifier("/root.usda");
  request.set_format(v1::LAYER_FORMAT_USDA);
  const auto parts = All(&Client::ConvertLayer, request);
  EXPECT_GT(parts.size(), 2u);
  for (const auto& part : parts) EXPECT_LE(part.data().size(), 64u);
  EXPECT_NE(DataOf(parts).find("@./missing.png@"), std::string::npos);
}

TEST_F(ToolHandlersTest, ValidatesWhatCanBeRead) {
  v1::ValidateLayerRequest request;
  request.set_identifier("/root.usda");
  const auto good = client().ValidateLayer(request);
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ(good->diagnostics_size(), 0);

  request.set_identifier("/missing.usda");
  EXPECT_EQ(ErrorReason(client().ValidateLayer(request).status()), "LAYER_NOT_FOUND");
}

TEST_F(ToolHandlersTest, DiagnosticsPointIntoTheText) {
  Write("broken.usda", "def \"A\"\n{\n    double x = ?\n}\n");
  v1::ValidateLayerRequest request;
  request.set_identifier("/broken.usda");
  const auto reply = client().ValidateLayer(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->diagnostics_size(), 1);
  const v1::Diagnostic& diagnostic = reply->diagnostics(0);
  EXPECT_EQ(diagnostic.severity(), v1::Diagnostic::SEVERITY_ERROR);
  EXPECT_EQ(diagnostic.file(), "/broken.usda");
  EXPECT_EQ(diagnostic.line(), 4u);
  EXPECT_EQ(diagnostic.column(), 16u);
  EXPECT_EQ(diagnostic.offset(), 0u);
  EXPECT_EQ(diagnostic.message().find("broken.usda"), std::string::npos) << diagnostic.message();
}

TEST_F(ToolHandlersTest, DiagnosticsPointIntoACrate) {
  v1::ConvertLayerRequest convert;
  convert.set_identifier("/asset.usda");
  std::string crate = DataOf(All(&Client::ConvertLayer, convert));
  crate.resize(crate.size() - 1);
  ASSERT_TRUE(files_->Put("/cut.usdc", crate).ok());
  v1::ValidateLayerRequest request;
  request.set_identifier("/cut.usdc");
  const auto reply = client().ValidateLayer(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->diagnostics_size(), 1);
  EXPECT_EQ(reply->diagnostics(0).file(), "/cut.usdc");
  EXPECT_GT(reply->diagnostics(0).offset(), 0u) << reply->diagnostics(0).message();
  EXPECT_EQ(reply->diagnostics(0).line(), 0u);
}

TEST_F(ToolHandlersTest, FlattensALeasedStageAndOneOpenedForTheCall) {
  v1::FlattenStageRequest request;
  request.set_format(v1::LAYER_FORMAT_USDA);
  *request.mutable_source() = Held();
  const std::string held = DataOf(All(&Client::FlattenStage, request));
  EXPECT_NE(held.find("double x = 2"), std::string::npos) << held;
  EXPECT_EQ(held.find("references"), std::string::npos) << held;
  *request.mutable_source() = ToOpen();
  EXPECT_EQ(DataOf(All(&Client::FlattenStage, request)), held);
}

TEST_F(ToolHandlersTest, FlattensTheLayerStackOnly) {
  v1::FlattenStageRequest request;
  request.set_format(v1::LAYER_FORMAT_USDA);
  request.set_layer_stack_only(true);
  *request.mutable_source() = Held();
  const std::string flat = DataOf(All(&Client::FlattenStage, request));
  EXPECT_EQ(flat.find("subLayers"), std::string::npos) << flat;
  EXPECT_NE(flat.find("references = @"), std::string::npos) << flat;
  EXPECT_EQ(flat.find("double x"), std::string::npos) << flat;
}

TEST_F(ToolHandlersTest, AStageMustBeNamed) {
  const absl::Status status = End(&Client::FlattenStage, v1::FlattenStageRequest());
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(status), "INVALID_FIELD");
  v1::FlattenStageRequest unknown;
  unknown.mutable_source()->mutable_stage()->set_handle("nobody's");
  EXPECT_EQ(ErrorReason(End(&Client::FlattenStage, unknown)), "STAGE_NOT_FOUND");
}

TEST_F(ToolHandlersTest, ListsFoundAndMissingDependencies) {
  for (const v1::StageSource& source : {Held(), ToOpen()}) {
    v1::ListDependenciesRequest request;
    *request.mutable_source() = source;
    Strings uses;
    for (const auto& part : All(&Client::ListDependencies, request)) {
      for (const v1::Dependency& use : part.dependencies()) {
        uses.push_back(Concat(v1::Dependency::Kind_Name(use.kind()).substr(5), " ",
                              use.authored_path(), " ", use.resolved_path(), " ", use.layer()));
      }
    }
    std::sort(uses.begin(), uses.end());
    EXPECT_EQ(uses, (Strings{"ASSET ./missing.png  /root.usda",
                             "LAYER ./asset.usda /asset.usda /root.usda",
                             "LAYER ./strong.usda /strong.usda /root.usda"}));
  }
}

TEST_F(ToolHandlersTest, ManyDependenciesComeInSeveralMessages) {
  std::string assets;
  for (int i = 0; i < 1001; ++i) assets += Concat("    asset a", i, " = @", i, ".png@\n");
  Write("root.usda", Concat("def \"P\" {\n", assets, "}\n"));
  v1::ListDependenciesRequest request;
  *request.mutable_source() = ToOpen();
  const auto parts = All(&Client::ListDependencies, request);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].dependencies_size(), 1000);
  EXPECT_EQ(parts[1].dependencies_size(), 1);
}

TEST_F(ToolHandlersTest, LocalizesLayersWithTheirPathsRewritten) {
  v1::LocalizeStageRequest request;
  *request.mutable_source() = Held();
  const auto files = FilesOf(All(&Client::LocalizeStage, request));
  Strings names;
  for (const auto& [name, content] : files) names.push_back(name);
  EXPECT_EQ(names, (Strings{"asset.usda", "root.usda", "strong.usda"}));
  EXPECT_NE(files.at("root.usda").find("asset.usda@"), std::string::npos);
  EXPECT_EQ(files.at("asset.usda").substr(0, 9), "#usda 1.0");
}

TEST_F(ToolHandlersTest, LocalizesIntoAPackage) {
  v1::LocalizeStageRequest request;
  *request.mutable_source() = ToOpen();
  request.set_package(true);
  const auto files = FilesOf(All(&Client::LocalizeStage, request));
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files.begin()->first, "package.usdz");
  ASSERT_TRUE(files_->Put("/package.usdz", files.begin()->second).ok());
  v1::OpenStageRequest open;
  open.set_root_layer("/package.usdz");
  const v1::StageRef stage = Open(open);
  EXPECT_EQ(Numbers(stage, "/P.x", {0}), std::vector<double>{2});
  EXPECT_EQ(Numbers(stage, "/P.y", {0}), std::vector<double>{1});
}

// Gives each array of two numbers of which the second is 0.5 an impossible size in the crate.
std::string WithBrokenArrays(std::string crate) {
  const std::string two("\2\0\0\0\0\0\0\0", 8), half("\0\0\0\0\0\0\xe0\x3f", 8);
  for (size_t at = 0; (at = crate.find(half, at)) != std::string::npos; ++at) {
    if (crate.compare(at - 16, 8, two) == 0) crate.replace(at - 16, 8, 8, '\xff');
  }
  return crate;
}

class BrokenValuesTest : public ToolHandlersTest {
 protected:
  // The diagnostics of a crate with `arrays` arrays, none of which can be decoded.
  v1::ValidateLayerResponse Validate(int arrays) {
    std::string text = "def \"P\" {\n    double fine = 1\n";
    for (int i = 0; i < arrays; ++i) text += Concat("    double[] a", i, " = [", i, ", 0.5]\n");
    Write("values.usda", text + "}\n");
    v1::ConvertLayerRequest convert;
    convert.set_identifier("/values.usda");
    const std::string crate = DataOf(All(&Client::ConvertLayer, convert));
    EXPECT_TRUE(files_->Put("/broken.usdc", WithBrokenArrays(crate)).ok());
    v1::ValidateLayerRequest request;
    request.set_identifier("/broken.usdc");
    const auto reply = client().ValidateLayer(request);
    EXPECT_TRUE(reply.ok()) << reply.status();
    return reply.ok() ? *reply : v1::ValidateLayerResponse();
  }
};

TEST_F(BrokenValuesTest, EachIsReportedWithItsSpec) {
  const v1::ValidateLayerResponse reply = Validate(2);
  ASSERT_EQ(reply.diagnostics_size(), 2) << reply.DebugString();
  EXPECT_EQ(reply.diagnostics(0).path(), "/P.a0");
  EXPECT_EQ(reply.diagnostics(1).path(), "/P.a1");
  EXPECT_EQ(reply.diagnostics(1).file(), "/broken.usdc");
  EXPECT_EQ(reply.diagnostics(1).severity(), v1::Diagnostic::SEVERITY_ERROR);
  EXPECT_EQ(reply.diagnostics(1).message().find("/broken.usdc"), std::string::npos);
  EXPECT_EQ(reply.diagnostics(1).line(), 0u);
}

TEST_F(BrokenValuesTest, ReportsAtMostAThousand) {
  EXPECT_EQ(Validate(1000).diagnostics_size(), 1000);
  EXPECT_EQ(Validate(1001).diagnostics_size(), 1000);
}

TEST_F(ToolHandlersTest, OffsetIsParsedFromTheEndOfTheMessage) {
  ASSERT_TRUE(files_->Put("/cut.usdc", "PXR-USDC but no more than that").ok());
  ASSERT_TRUE(files_->Put("/odd.usdz", "no package").ok());
  for (const char* file : {"/cut.usdc", "/odd.usdz"}) {
    v1::ValidateLayerRequest request;
    request.set_identifier(file);
    const auto reply = client().ValidateLayer(request);
    ASSERT_TRUE(reply.ok()) << reply.status();
    ASSERT_EQ(reply->diagnostics_size(), 1);
    const v1::Diagnostic& diagnostic = reply->diagnostics(0);
    EXPECT_EQ(diagnostic.file(), file);
    EXPECT_EQ(diagnostic.line(), 0u);
    EXPECT_NE(diagnostic.message().find(file), 0u) << diagnostic.message();
    EXPECT_NE(diagnostic.message().substr(0, 1), ":");
    EXPECT_NE(diagnostic.message().substr(0, 1), " ");
    const size_t at = diagnostic.message().rfind(" at offset ");
    EXPECT_EQ(diagnostic.offset(),
              at == std::string::npos ? 0 : std::stoul(diagnostic.message().substr(at + 11)))
        << diagnostic.message();
  }
}

TEST_F(ToolHandlersTest, MessagesAboutTextLayersOmitTheLocation) {
  Write("broken.usda", "def \"A\" { double x = ?; }\n");
  v1::ValidateLayerRequest request;
  request.set_identifier("/broken.usda");
  const auto reply = client().ValidateLayer(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  const std::string message = reply->diagnostics(0).message();
  ASSERT_FALSE(message.empty());
  EXPECT_TRUE(std::isalpha(static_cast<unsigned char>(message[0]))) << message;
  v1::ReadLayerRequest read;
  read.set_identifier("/broken.usda");
  EXPECT_EQ(Message(End(&Client::ReadLayer, read)),
            Concat("/broken.usda:", reply->diagnostics(0).line(), ":",
                   reply->diagnostics(0).column(), ": ", message));
}

TEST_F(ToolHandlersTest, RejectsUnknownFormats) {
  v1::ConvertLayerRequest request;
  request.set_identifier("/strong.usda");
  request.set_format(static_cast<v1::LayerFormat>(99));
  EXPECT_EQ(ErrorReason(End(&Client::ConvertLayer, request)), "INVALID_FIELD");
  request.set_format(v1::LAYER_FORMAT_USDC);
  request.set_identifier("/missing.usda");
  EXPECT_EQ(ErrorReason(End(&Client::ConvertLayer, request)), "LAYER_NOT_FOUND");
}

TEST_F(ToolHandlersTest, DependenciesDistinguishClips) {
  WriteClips(1);
  v1::ListDependenciesRequest request;
  *request.mutable_source() = ToOpen();
  Strings uses;
  for (const auto& part : All(&Client::ListDependencies, request)) {
    for (const v1::Dependency& use : part.dependencies()) {
      uses.push_back(
          Concat(v1::Dependency::Kind_Name(use.kind()).substr(5), " ", use.resolved_path()));
    }
  }
  std::sort(uses.begin(), uses.end());
  EXPECT_EQ(uses, (Strings{"CLIP /clip.1.usda", "CLIP /manifest.usda"}));
}

TEST_F(ToolHandlersTest, DependenciesNeedARootLayerThatOpens) {
  v1::ListDependenciesRequest request;
  request.mutable_source()->mutable_open()->set_root_layer("/missing.usda");
  EXPECT_EQ(ErrorReason(End(&Client::ListDependencies, request)), "LAYER_NOT_FOUND");
  request.mutable_source()->mutable_stage()->set_handle("nobody's");
  EXPECT_EQ(ErrorReason(End(&Client::ListDependencies, request)), "STAGE_NOT_FOUND");
}

TEST_F(ToolHandlersTest, LocalizedLayersKeepTheirFormat) {
  v1::ConvertLayerRequest convert;
  convert.set_identifier("/asset.usda");
  ASSERT_TRUE(files_->Put("/asset.usdc", DataOf(All(&Client::ConvertLayer, convert))).ok());
  Write("root.usda", "def \"P\" ( references = @./asset.usdc@ ) {}\n");
  v1::LocalizeStageRequest request;
  *request.mutable_source() = ToOpen();
  const auto files = FilesOf(All(&Client::LocalizeStage, request));
  ASSERT_EQ(files.size(), 2u);
  EXPECT_EQ(files.at("root.usda").substr(0, 9), "#usda 1.0");
  EXPECT_EQ(files.at("asset.usdc").substr(0, 8), "PXR-USDC");
}

}  // namespace
}  // namespace stagedoor
