#include "client/cli/dump_record_writer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "google/protobuf/text_format.h"

namespace stagedoor {
namespace {

template <typename Message>
Message Parsed(const std::string& text) {
  Message message;
  EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(text, &message)) << text;
  return message;
}

std::vector<TimeArgument> TwoTimes() { return {{"1", {}}, {"2", {}}}; }

std::string Prim(const std::string& text, bool with_stack = false) {
  DumpRecordWriter records("/show", TwoTimes(), with_stack);
  JsonWriter json;
  records.WritePrim(Parsed<v1::Prim>(text), json);
  return json.Take();
}

// The record of a property of a prim that has nothing else.
std::string Property(const std::string& text, bool with_stack = false) {
  const std::string json = Prim("properties { " + text + " }", with_stack);
  const std::string begin = R"({"record":"prim","specifier":"over","properties":[)";
  EXPECT_EQ(json.substr(0, begin.size()), begin);
  return json.substr(begin.size(), json.size() - begin.size() - 2);
}

TEST(DumpRecordWriterTest, LayersAreNamedRelativeToTheFolder) {
  const DumpRecordWriter records("/show", {}, false);
  const struct {
    std::string identifier, expected;
  } kCases[] = {{"/show/a.usda", "a.usda"},
                {"/show/sub/a.usda", "sub/a.usda"},
                {"/lib/a.usda", "../lib/a.usda"},
                {"/show/p.usdz[in/a.usda]", "p.usdz[in/a.usda]"},
                {"/show/odd[1.usda", "odd[1.usda"},
                {"anon:1", "anon:1"},
                {"https://host/a.usda", "https://host/a.usda"},
                {"[x]", "[x]"}};
  for (const auto& c : kCases) EXPECT_EQ(records.LayerName(c.identifier), c.expected);
}

TEST(DumpRecordWriterTest, LayersOfTheSameHostAreRelativeToo) {
  const DumpRecordWriter records("https://host/show", {}, false);
  EXPECT_EQ(records.LayerName("https://host/show/sub/a.usda"), "sub/a.usda");
  EXPECT_EQ(records.LayerName("https://host/lib/a.usdz[b.usda]"), "../lib/a.usdz[b.usda]");
  EXPECT_EQ(records.LayerName("https://other/show/a.usda"), "https://other/show/a.usda");
  EXPECT_EQ(records.LayerName("http://host/show/a.usda"), "http://host/show/a.usda");
  EXPECT_EQ(records.LayerName("/show/a.usda"), "/show/a.usda");
  EXPECT_EQ(DumpRecordWriter("https://host", {}, false).LayerName("https://host/a.usda"), "a.usda");
}

TEST(DumpRecordWriterTest, LayersAndErrorsOfAStageAreUniqueAndSorted) {
  DumpRecordWriter records("/show", {}, false);
  JsonWriter json;
  records.WriteStage(Parsed<v1::Stage>(R"(
      start_time_code: 1 end_time_code: 2 time_codes_per_second: 24 frames_per_second: 25
      metadata { name: "comment" value { string_value: "c" } }
      used_layers: "/show/b.usda" used_layers: "anon:1" used_layers: "/show/a.usda"
      used_layers: "/show/b.usda"
      composition_errors { type: "Z" } composition_errors { type: "A" }
      composition_errors { type: "Z" })"),
                     json);
  EXPECT_EQ(json.Take(),
            R"({"record":"stage","startTimeCode":1,"endTimeCode":2,"timeCodesPerSecond":24,)"
            R"("framesPerSecond":25,"metadata":{"comment":"c"},"layers":["a.usda","b.usda"],)"
            R"("errors":["A","Z"]})");
  records.WriteStage({}, json);
  EXPECT_EQ(json.Take(), R"({"record":"stage","startTimeCode":0,"endTimeCode":0,)"
                         R"("timeCodesPerSecond":0,"framesPerSecond":0})");
}

TEST(DumpRecordWriterTest, FlagsAreWrittenIfTheyDiffer) {
  const struct {
    std::string flag, expected;
  } kCases[] = {{"inactive", R"("active":false)"},
                {"unloaded", R"("loaded":false)"},
                {"model", R"("model":true)"},
                {"group", R"("group":true)"},
                {"abstract", R"("abstract":true)"},
                {"undefined", R"("defined":false)"},
                {"instance", R"("instance":true)"},
                {"instanceable", R"("instanceable":true)"},
                {"instance_proxy", R"("instanceProxy":true)"},
                {"has_payload", R"("hasPayload":true)"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(Prim(c.flag + ": true"),
              R"({"record":"prim","specifier":"over",)" + c.expected + "}");
    EXPECT_EQ(Prim(c.flag + ": false"), R"({"record":"prim","specifier":"over"})");
  }
}

TEST(DumpRecordWriterTest, InstancesNameTheFirstInstanceOfTheirPrototype) {
  DumpRecordWriter records("/show", {}, false);
  const auto shares = [&](const std::string& path, int prototype) {
    JsonWriter json;
    v1::Prim prim;
    prim.set_path(path);
    prim.set_prototype(static_cast<uint64_t>(prototype));
    records.WritePrim(prim, json);
    const std::string text = json.Take();
    const size_t at = text.find("sharesWith");
    return at == std::string::npos ? "" : text.substr(at + 13, 2);
  };
  EXPECT_EQ(shares("/A", 1), "/A");
  EXPECT_EQ(shares("/B", 2), "/B");
  EXPECT_EQ(shares("/C", 1), "/A");
  EXPECT_EQ(shares("/D", 0), "");
}

TEST(DumpRecordWriterTest, APrimIsWrittenInOrder) {
  EXPECT_EQ(Prim(R"(
      path: "/P" specifier: SPECIFIER_DEF type_name: "Cube" kind: "group"
      api_schemas: "A" children: "c"
      variant_sets { name: "v" selection: "x" choices: "x" choices: "y" } variant_sets { name: "w" }
      metadata { name: "doc" value { string_value: "d" } }
      prim_stack { layer: "/show/a.usda" path: "/P" } prim_stack { layer: "anon:2" path: "/P" })",
                 true),
            R"({"record":"prim","path":"/P","specifier":"def","typeName":"Cube","kind":"group",)"
            R"("apiSchemas":["A"],"children":["c"],"variantSets":{"v":{"selection":"x",)"
            R"("choices":["x","y"]},"w":{"selection":"","choices":[]}},"metadata":{"doc":"d"},)"
            R"("primStack":[{"layer":"a.usda","path":"/P"}]})");
  EXPECT_EQ(Prim(R"(prim_stack { layer: "/show/a.usda" path: "/P" })"),
            R"({"record":"prim","specifier":"over"})")
      << "stacks are written on request only";
}

TEST(DumpRecordWriterTest, AnAttributeIsWrittenInOrder) {
  EXPECT_EQ(Property(R"(
      name: "x" kind: KIND_ATTRIBUTE type_name: "double" variability: VARIABILITY_UNIFORM
      custom: true authored: true metadata { name: "doc" value { string_value: "d" } }
      source: VALUE_SOURCE_TIME_SAMPLES blocked: true
      time_samples { component_type: COMPONENT_TYPE_FLOAT64
                     data: "\0\0\0\0\0\0\360?\0\0\0\0\0\0\004@" }
      might_be_time_varying: true values { double_value: 3 } values { block {} }
      connections: "/Q.y" targets: "/no")"),
            R"({"name":"x","kind":"attribute","typeName":"double","variability":"uniform",)"
            R"("custom":true,"authored":true,"metadata":{"doc":"d"},"source":"timeSamples",)"
            R"("blocked":true,"timeSamples":[1,2.5],"mightVary":true,)"
            R"("values":{"1":3,"2":null},"connections":["/Q.y"]})");
}

TEST(DumpRecordWriterTest, RelationshipsHaveNoValues) {
  EXPECT_EQ(Property(R"(
      name: "r" kind: KIND_RELATIONSHIP type_name: "no" variability: VARIABILITY_UNIFORM
      values { double_value: 3 } targets: "/A" forwarded_targets: "/B")"),
            R"({"name":"r","kind":"relationship","targets":["/A"],"forwardedTargets":["/B"]})");
}

TEST(DumpRecordWriterTest, SourcesHaveNames) {
  const struct {
    std::string source, expected;
  } kCases[] = {{"FALLBACK", "fallback"},
                {"DEFAULT", "default"},
                {"TIME_SAMPLES", "timeSamples"},
                {"VALUE_CLIPS", "valueClips"},
                {"SPLINE", "spline"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(Property("kind: KIND_ATTRIBUTE source: VALUE_SOURCE_" + c.source),
              R"({"kind":"attribute","source":")" + c.expected + "\"}");
  }
  EXPECT_EQ(Property("kind: KIND_ATTRIBUTE source: VALUE_SOURCE_NONE"), R"({"kind":"attribute"})");
}

TEST(DumpRecordWriterTest, EveryTimeHasAValue) {
  const struct {
    std::string text, expected;
  } kCases[] = {{"uniform_value { int_value: 3 }", R"({"1":3,"2":3})"},
                {"uniform_value { block {} }", R"({"1":null,"2":null})"},
                {"values { int_value: 3 }", R"({"1":3,"2":null})"},
                {"values { int_value: 3 } values { int_value: 4 } values { int_value: 5 }",
                 R"({"1":3,"2":4})"}};
  for (const auto& c : kCases) {
    EXPECT_EQ(Property("kind: KIND_ATTRIBUTE " + c.text),
              R"({"kind":"attribute","values":)" + c.expected + "}");
  }
}

TEST(DumpRecordWriterTest, StacksArePerTimeOrShared) {
  const std::string a = R"(stacks { sites { layer: "/show/a.usda" path: "/P.x" } })";
  const std::string b = R"(stacks { sites { layer: "/show/b.usda" path: "/P.x" } })";
  const std::string in_a = R"([{"layer":"a.usda","path":"/P.x"}])";
  const std::string in_b = R"([{"layer":"b.usda","path":"/P.x"}])";
  const auto stack = [](const std::string& first, const std::string& second) {
    return R"({"kind":"attribute","stack":{"1":)" + first + R"(,"2":)" + second + "}}";
  };
  const std::string attribute = "kind: KIND_ATTRIBUTE ";
  EXPECT_EQ(Property(attribute + a + b, true), stack(in_a, in_b));
  EXPECT_EQ(Property(attribute + a, true), stack(in_a, in_a)) << "the same at all times";
  EXPECT_EQ(Property(attribute + "stacks {} " + b, true), stack("[]", in_b));
  EXPECT_EQ(Property(attribute + "stacks {} stacks {}", true), R"({"kind":"attribute"})");
  EXPECT_EQ(Property(attribute, true), R"({"kind":"attribute"})");
  EXPECT_EQ(Property(attribute + a), R"({"kind":"attribute"})");
}

TEST(DumpRecordWriterTest, CollectionsHaveAMode) {
  DumpRecordWriter records("/show", {}, false);
  JsonWriter json;
  records.WriteCollection(
      Parsed<v1::Collection>(R"(path: "/P.collection:c" mode: MODE_EXPRESSION members: "/A")"),
      json);
  EXPECT_EQ(json.Take(), R"({"record":"collection","path":"/P.collection:c","mode":"expression",)"
                         R"("members":["/A"]})");
  records.WriteCollection({}, json);
  EXPECT_EQ(json.Take(), R"({"record":"collection","mode":"rules"})");
}

}  // namespace
}  // namespace stagedoor
