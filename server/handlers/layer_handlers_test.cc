#include "server/handlers/layer_handlers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "scene/layer/layer_warning.h"
#include "server/error_info.h"
#include "server/testing/data_streams.h"
#include "server/testing/dependency_scene_test.h"
#include "server/testing/server_test.h"

namespace stagedoor::server {
namespace {

using Strings = std::vector<std::string>;

class ReadLayerTest : public ServerTest {
 protected:
  void SetUp() override {
    Write("layer.usda", R"((
    defaultPrim = "A"
)
def Xform "A" (
    prepend references = @elsewhere.usda@
    variantSets = "v"
)
{
    double x = 1
    double x.timeSamples = { 1: 10 }
    rel r = </A/B>
    def "B" {}
    variantSet "v" = {
        "one" {}
    }
}
over "C" {}
)");
  }

  // The whole layer in one message.
  v1::ReadLayerResponse Read(const v1::ReadLayerRequest& request) {
    v1::ReadLayerResponse whole;
    for (const v1::ReadLayerResponse& part : All(&Client::ReadLayer, request)) {
      whole.MergeFrom(part);
    }
    return whole;
  }
  static v1::ReadLayerRequest MakeRequest(const std::string& identifier) {
    v1::ReadLayerRequest request;
    request.set_identifier(identifier);
    return request;
  }
  static Strings FieldNames(const v1::Spec& spec) {
    Strings names;
    for (const v1::Field& field : spec.fields()) names.push_back(field.name());
    std::sort(names.begin(), names.end());
    return names;
  }
};

TEST_F(ReadLayerTest, ReadsSpecsDepthFirstWithoutComposition) {
  const v1::ReadLayerResponse layer = Read(MakeRequest("/layer.usda"));
  EXPECT_EQ(layer.layer().identifier(), "/layer.usda");
  EXPECT_EQ(layer.layer().format(), v1::LAYER_FORMAT_USDA);
  ASSERT_EQ(layer.layer().fields_size(), 1);
  EXPECT_EQ(layer.layer().fields(0).name(), "defaultPrim");
  Strings specs;
  for (const v1::Spec& spec : layer.specs()) {
    specs.push_back(Concat(v1::Spec::Type_Name(spec.type()).substr(5), " ", spec.path()));
  }
  EXPECT_EQ(specs, (Strings{"PRIM /A", "ATTRIBUTE /A.x", "RELATIONSHIP /A.r", "VARIANT_SET /A{v=}",
                            "VARIANT /A{v=one}", "PRIM /A/B", "PRIM /C"}));
}

TEST_F(ReadLayerTest, OmitsValuesOnRequest) {
  v1::ReadLayerRequest request = MakeRequest("/layer.usda");
  EXPECT_EQ(FieldNames(Read(request).specs(1)),
            (Strings{"custom", "default", "timeSamples", "typeName", "variability"}));
  request.set_without_values(true);
  EXPECT_EQ(FieldNames(Read(request).specs(1)), (Strings{"custom", "typeName", "variability"}));
}

TEST_F(ReadLayerTest, LongLayersComeInSeveralMessages) {
  ServerOptions options;
  options.limits.message_bytes = 1000;
  Start(options);
  std::string prims;
  for (int i = 0; i < 100; ++i) prims += Concat("def \"Prim", i, "\" {}\n");
  Write("long.usda", prims);
  const auto parts = All(&Client::ReadLayer, MakeRequest("/long.usda"));
  EXPECT_GT(parts.size(), 2u);
  size_t next = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    EXPECT_EQ(parts[i].has_layer(), i == 0);
    for (const v1::Spec& spec : parts[i].specs()) {
      EXPECT_EQ(spec.path(), Concat("/Prim", next++));
    }
  }
  EXPECT_EQ(next, 100u);
}

TEST_F(ReadLayerTest, AnEmptyLayerHasAHeader) {
  Write("empty.usda", "");
  const auto parts = All(&Client::ReadLayer, MakeRequest("/empty.usda"));
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].layer().identifier(), "/empty.usda");
  EXPECT_EQ(parts[0].specs_size(), 0);
}

TEST_F(ReadLayerTest, ReportsWhyALayerCannotBeRead) {
  Write("broken.usda", "def \"A\" {\n  double x = ?\n}\n");
  const absl::Status broken = End(&Client::ReadLayer, MakeRequest("/broken.usda"));
  EXPECT_EQ(broken.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(broken), "LAYER_SYNTAX");
  EXPECT_EQ(Message(broken).substr(0, 15), "/broken.usda:3:") << broken;
  const absl::Status missing = End(&Client::ReadLayer, MakeRequest("/missing.usda"));
  EXPECT_EQ(missing.code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(ErrorReason(missing), "LAYER_NOT_FOUND");
  const absl::Status unnamed = End(&Client::ReadLayer, MakeRequest(""));
  EXPECT_EQ(unnamed.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(ErrorReason(unnamed), "INVALID_FIELD");
}

TEST_F(ReadLayerTest, ReportsASpecThatIsTooLarge) {
  Write("big.usda", Concat("def \"A\" {}\ndef \"Big\" { string s = \"", std::string(5000, 'x'),
                           "\"; }\ndef \"Z\" {}\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  Start(options);
  Strings lines;
  const v1::ReadLayerResponse layer = Read(MakeRequest("/big.usda"));
  for (const v1::Spec& spec : layer.specs()) {
    lines.push_back(Concat(spec.path(), " ", ReasonName(spec.error().reason())));
  }
  EXPECT_EQ(lines, (Strings{"/A ", "/Big ", "/Big.s REQUEST_TOO_LARGE", "/Z "}));
}

TEST_F(ReadLayerTest, AHeaderThatIsTooLargeIsAnError) {
  Write("big.usda", Concat("(doc = \"", std::string(5000, 'x'), "\")\ndef \"A\" {}\n"));
  ServerOptions options;
  options.limits.max_reply_bytes = 1000;
  Start(options);
  EXPECT_EQ(ErrorReason(End(&Client::ReadLayer, MakeRequest("/big.usda"))), "REQUEST_TOO_LARGE");
}

using ConvertLayerTest = DependencySceneTest;

TEST_F(ConvertLayerTest, ConvertsALayerToTheRequestedFormat) {
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

TEST_F(ConvertLayerTest, ConvertedLayersComeInMessagesOfTheServersSize) {
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

TEST_F(ConvertLayerTest, RejectsUnknownFormats) {
  v1::ConvertLayerRequest request;
  request.set_identifier("/strong.usda");
  request.set_format(static_cast<v1::LayerFormat>(99));
  EXPECT_EQ(ErrorReason(End(&Client::ConvertLayer, request)), "INVALID_FIELD");
  request.set_format(v1::LAYER_FORMAT_USDC);
  request.set_identifier("/missing.usda");
  EXPECT_EQ(ErrorReason(End(&Client::ConvertLayer, request)), "LAYER_NOT_FOUND");
}

using ValidateLayerTest = DependencySceneTest;

TEST_F(ValidateLayerTest, ValidatesWhatCanBeRead) {
  v1::ValidateLayerRequest request;
  request.set_identifier("/root.usda");
  const auto good = client().ValidateLayer(request);
  ASSERT_TRUE(good.ok()) << good.status();
  EXPECT_EQ(good->diagnostics_size(), 0);

  request.set_identifier("/missing.usda");
  EXPECT_EQ(ErrorReason(client().ValidateLayer(request).status()), "LAYER_NOT_FOUND");
}

TEST_F(ValidateLayerTest, DiagnosticsPointIntoTheText) {
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

TEST_F(ValidateLayerTest, MalformedValuesThatAreReadAreWarnings) {
  std::string text = "def \"A\"\n{\n    float2 x = (1, 2, 3)\n    asset[] y = [";
  for (size_t i = 0; i < LayerWarnings::kMaxListed + 5; ++i) text += "@a\tb@,\n";
  Write("odd.usda", text + "]\n}\n");
  v1::ValidateLayerRequest request;
  request.set_identifier("/odd.usda");
  const auto reply = client().ValidateLayer(request);
  ASSERT_TRUE(reply.ok()) << reply.status();
  ASSERT_EQ(reply->diagnostics_size(), static_cast<int>(LayerWarnings::kMaxListed) + 1);
  for (const v1::Diagnostic& diagnostic : reply->diagnostics()) {
    EXPECT_EQ(diagnostic.severity(), v1::Diagnostic::SEVERITY_WARNING);
    EXPECT_EQ(diagnostic.file(), "/odd.usda");
  }
  const v1::Diagnostic& first = reply->diagnostics(0);
  EXPECT_EQ(first.line(), 4u);
  EXPECT_EQ(first.column(), 16u);
  EXPECT_EQ(first.path(), "/A.x");
  EXPECT_EQ(first.message(), "the tuple has length 3 instead of 2");
  EXPECT_EQ(reply->diagnostics(1).path(), "/A.y");
  EXPECT_EQ(reply->diagnostics(2).line(), 6u);
  EXPECT_EQ(reply->diagnostics().rbegin()->message(), "further warnings: 6");
  EXPECT_EQ(reply->diagnostics().rbegin()->line(), 0u);
}

TEST_F(ValidateLayerTest, DiagnosticsPointIntoACrate) {
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

TEST_F(ValidateLayerTest, OffsetIsParsedFromTheEndOfTheMessage) {
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

TEST_F(ValidateLayerTest, MessagesAboutTextLayersOmitTheLocation) {
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

// Gives each array of two numbers of which the second is 0.5 an impossible size in the crate.
std::string WithBrokenArrays(std::string crate) {
  const std::string two("\2\0\0\0\0\0\0\0", 8), half("\0\0\0\0\0\0\xe0\x3f", 8);
  for (size_t at = 0; (at = crate.find(half, at)) != std::string::npos; ++at) {
    if (crate.compare(at - 16, 8, two) == 0) crate.replace(at - 16, 8, 8, '\xff');
  }
  return crate;
}

class BrokenValuesTest : public ValidateLayerTest {
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

}  // namespace
}  // namespace stagedoor::server
