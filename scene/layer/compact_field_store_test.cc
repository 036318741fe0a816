#include "scene/layer/compact_field_store.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "scene/layer/field_keys.h"

namespace stagedoor {
namespace {

using FieldList = CompactFieldStoreBuilder::FieldList;

FieldList Attribute(const std::string& type, Value value) {
  return {{Fields().typeName, Value(Token(type))},
          {Fields().custom, Value(false)},
          {Fields().variability, Value(Variability::kVarying)},
          {Fields().default_, std::move(value)}};
}

FieldList Prim(Specifier specifier) { return {{Fields().specifier, Value(specifier)}}; }

// Returns `count` fields: "f0" is 0, "f1" is 1 and so on.
FieldList Many(int count) {
  FieldList fields;
  for (int i = 0; i < count; ++i) {
    std::string name = "f";
    name += std::to_string(i);
    fields.emplace_back(Token(name), Value(i));
  }
  return fields;
}

FieldList FieldsOf(const FieldStore& store, SpecId spec) {
  FieldList fields;
  for (const Token name : store.Names(spec)) {
    EXPECT_TRUE(store.Has(spec, name));
    fields.emplace_back(name, store.Get(spec, name));
  }
  return fields;
}

void Put(CompactFieldStoreBuilder& builder, SpecId spec, FieldList fields) {
  builder.Put(spec, &fields);
}

FieldList Get(const CompactFieldStoreBuilder& builder, SpecId spec) {
  FieldList fields = Many(1);  // must be replaced
  builder.Get(spec, &fields);
  return fields;
}

std::unique_ptr<const FieldStore> Build(CompactFieldStoreBuilder builder, SpecId specs) {
  std::vector<SpecId> ids;
  for (SpecId id = 0; id < specs; ++id) ids.push_back(id);
  return std::move(builder).Build(ids);
}

TEST(CompactFieldStoreTest, ReturnsTheFieldsThatWerePut) {
  const std::vector<FieldList> specs = {
      {},
      Attribute("double", Value(1.5)),
      Attribute("double", Value(2.5)),
      Attribute("int", Value(3)),
      Prim(Specifier::kDef),
      Prim(Specifier::kOver),
      {{Fields().custom, Value(true)}, {Fields().default_, Value(1)}},
      {{Fields().default_, Value(1)}, {Fields().custom, Value(true)}},
      {{Fields().custom, Value(false)}, {Fields().default_, Value(1)}},
      {{Fields().variability, Value(Variability::kUniform)}},
      {{Fields().variability, Value(Variability::kVarying)}},
      // Values of another type than the field should have.
      {{Fields().typeName, Value(std::string("double"))}},
      {{Fields().specifier, Value(1)}},
  };
  CompactFieldStoreBuilder builder;
  for (SpecId spec = 0; spec < specs.size(); ++spec) Put(builder, spec, specs[spec]);
  for (SpecId spec = 0; spec < specs.size(); ++spec) EXPECT_EQ(Get(builder, spec), specs[spec]);
  const auto store = Build(builder, static_cast<SpecId>(specs.size()));
  for (SpecId spec = 0; spec < specs.size(); ++spec) {
    EXPECT_EQ(FieldsOf(*store, spec), specs[spec]) << spec;
  }
  EXPECT_FALSE(store->Has(0, Fields().default_));
  EXPECT_FALSE(store->Has(4, Fields().default_));
  EXPECT_TRUE(store->Get(4, Fields().default_).empty());
}

TEST(CompactFieldStoreTest, OtherSpecsHaveNoFields) {
  CompactFieldStoreBuilder builder;
  Put(builder, 2, Many(1));
  EXPECT_EQ(Get(builder, 0), FieldList());
  EXPECT_EQ(Get(builder, 7), FieldList());
  const auto store = Build(builder, 5);
  EXPECT_EQ(FieldsOf(*store, 1), FieldList());
  EXPECT_EQ(FieldsOf(*store, 2), Many(1));
  EXPECT_EQ(FieldsOf(*store, 4), FieldList());
}

TEST(CompactFieldStoreTest, PuttingAgainReplaces) {
  CompactFieldStoreBuilder builder;
  Put(builder, 0, Attribute("double", Value(1.0)));
  Put(builder, 1, Attribute("double", Value(2.0)));
  Put(builder, 0, Many(3));  // stored first
  Put(builder, 1, Many(2));  // no longer stored last
  Put(builder, 1, Attribute("int", Value(5)));
  EXPECT_EQ(Get(builder, 0), Many(3));
  EXPECT_EQ(Get(builder, 1), Attribute("int", Value(5)));
  Put(builder, 1, {});
  EXPECT_EQ(Get(builder, 1), FieldList());
  const auto store = Build(builder, 2);
  EXPECT_EQ(FieldsOf(*store, 0), Many(3));
  EXPECT_EQ(FieldsOf(*store, 1), FieldList());
}

// As when a reader adds the fields of a spec one by one.
TEST(CompactFieldStoreTest, ReplacingTheLastSpecReusesItsSpace) {
  CompactFieldStoreBuilder once, growing;
  Put(once, 0, Many(20));
  for (int count = 0; count <= 20; ++count) Put(growing, 0, Many(count));
  EXPECT_EQ(Get(growing, 0), Many(20));
  const auto values = [](const FieldStore& store) { return store.byte_size(); };
  const auto small = Build(once, 1), grown = Build(growing, 1);
  // The shapes of 0 to 19 fields remain, but not their values.
  EXPECT_LT(values(*grown), values(*small) + 210 * (sizeof(Value) + 32));
}

TEST(CompactFieldStoreTest, LongListsOfFieldsAreStoredPerSpec) {
  CompactFieldStoreBuilder builder;
  Put(builder, 0, Many(32));
  Put(builder, 1, Many(33));
  Put(builder, 2, Many(40));
  EXPECT_EQ(Get(builder, 1), Many(33));
  Put(builder, 2, Many(34));
  Put(builder, 1, Many(2));
  const auto store = Build(builder, 3);
  EXPECT_EQ(FieldsOf(*store, 0), Many(32));
  EXPECT_EQ(FieldsOf(*store, 1), Many(2));
  EXPECT_EQ(FieldsOf(*store, 2), Many(34));
  EXPECT_FALSE(store->Has(2, Token("f34")));
}

TEST(CompactFieldStoreTest, HoldsManyShapes) {
  CompactFieldStoreBuilder builder;
  constexpr int kSpecs = 300;
  const auto fields = [](int i) {
    std::string name = "n";
    name += std::to_string(i % 150);
    return FieldList{{Token(name), Value(i)}};
  };
  for (int i = 0; i < kSpecs; ++i) Put(builder, static_cast<SpecId>(i), fields(i));
  const auto store = Build(builder, kSpecs);
  for (int i = 0; i < kSpecs; ++i) {
    EXPECT_EQ(FieldsOf(*store, static_cast<SpecId>(i)), fields(i));
  }
}

// Further lists of fields are stored per spec.
TEST(CompactFieldStoreTest, HoldsMoreShapesThanCanBeShared) {
  CompactFieldStoreBuilder builder;
  constexpr int kSpecs = (1 << 16) + 100;
  const auto fields = [](int i) {
    std::string name = "m";
    name += std::to_string(i);
    return FieldList{{Token(name), Value(i)}};
  };
  for (int i = 0; i < kSpecs; ++i) Put(builder, static_cast<SpecId>(i), fields(i));
  const auto store = Build(builder, kSpecs);
  for (const int i : {0, 1000, (1 << 16) - 1, 1 << 16, (1 << 16) + 1, kSpecs - 1}) {
    EXPECT_EQ(FieldsOf(*store, static_cast<SpecId>(i)), fields(i)) << i;
  }
}

TEST(CompactFieldStoreTest, UpToThirtyTwoFieldsAreShared) {
  const auto bytes_of_one = [](int fields) {
    const auto bytes_of = [&](int specs) {
      CompactFieldStoreBuilder builder;
      for (int i = 0; i < specs; ++i) Put(builder, static_cast<SpecId>(i), Many(fields));
      return Build(builder, static_cast<SpecId>(specs))->byte_size();
    };
    return (bytes_of(2000) - bytes_of(1000)) / 1000;
  };
  EXPECT_LT(bytes_of_one(32), 33 * sizeof(Value)) << "names are stored once";
  EXPECT_GE(bytes_of_one(33), 33 * (sizeof(Value) + sizeof(Token)));
}

TEST(CompactFieldStoreTest, SpecsMoveToTheirFinalIds) {
  CompactFieldStoreBuilder builder;
  Put(builder, 0, Many(1));
  Put(builder, 1, Many(40));
  Put(builder, 2, Many(3));
  const std::vector<SpecId> final_ids = {2, 0, 1};
  const auto store = std::move(builder).Build(final_ids);
  EXPECT_EQ(FieldsOf(*store, 2), Many(1));
  EXPECT_EQ(FieldsOf(*store, 0), Many(40));
  EXPECT_EQ(FieldsOf(*store, 1), Many(3));
}

TEST(CompactFieldStoreTest, CountsHeapMemoryOfValues) {
  const auto bytes_of = [](int count, const Value& value) {
    CompactFieldStoreBuilder builder;
    FieldList fields;
    for (const auto& [name, none] : Many(count)) fields.emplace_back(name, value);
    Put(builder, 0, std::move(fields));
    return Build(builder, 1)->byte_size();
  };
  const Value text(std::string(1000, 'x'));
  for (const int count : {1, 40}) {
    const size_t more = bytes_of(count, text) - bytes_of(count, Value(1));
    EXPECT_GE(more, count * 1000u);
    EXPECT_LE(more, count * 1100u);
  }
}

TEST(CompactFieldStoreTest, SimilarSpecsTakeOneRecordAndTheirOwnValues) {
  const auto bytes_of = [](int specs) {
    CompactFieldStoreBuilder builder;
    for (int i = 0; i < specs; ++i) {
      Put(builder, static_cast<SpecId>(i), Attribute("double", Value(double(i))));
    }
    return Build(builder, static_cast<SpecId>(specs))->byte_size();
  };
  EXPECT_LE(bytes_of(2000) - bytes_of(1000), 1000 * (sizeof(Value) + 8) * 5 / 4);
}

}  // namespace
}  // namespace stagedoor
