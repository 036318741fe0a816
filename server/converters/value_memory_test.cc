// Tests of values whose messages do not fit in memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <new>
#include <string>

#include "base/memory_guard.h"
#include "base/testing/failing_new.h"
#include "scene/values/asset_path.h"
#include "scene/values/dictionary.h"
#include "scene/values/layer_offset.h"
#include "scene/values/list_op.h"
#include "scene/values/reference.h"
#include "scene/values/spline.h"
#include "scene/values/value_block.h"
#include "scene/values/vec.h"
#include "server/converters/reply_budget.h"
#include "server/converters/value_converter.h"
#include "stagedoor/v1/values.pb.h"

namespace stagedoor::server {
namespace {

// Fills a message that already holds another value while allocation number `failing` fails.
// Returns whether an allocation failed.
bool FillFails(const Value& value, uint64_t failing) {
  RequestContext context;
  ReplyBudget budget(context, 1 << 20, "ask for less");
  v1::Value message;
  FillValue(Value(AssetPath{"used.before"}), budget, &message);
  const RequestMemoryScope scope;
  FailAllocations(failing, /*all=*/false);
  bool failed = false;
  try {
    FillValue(value, budget, &message);
  } catch (const std::bad_alloc&) {
    failed = true;
  }
  StopFailingAllocations();
  return failed;
}

TEST(ValueMemoryTest, ValuesThatCannotBeFilledCanBeDestroyed) {
  ListOp<Token> names;
  names.prepended = {Token("a")};
  Dictionary nested;
  nested.Set("inner", Value(std::string("text")));
  Dictionary dictionary;
  dictionary.Set("outer", Value(nested));
  const Value values[] = {
      Value(ValueBlock()),
      Value(AnimationBlock()),
      Value(Vec3f{1, 2, 3}),
      Value(Matrix4d::Identity()),
      Value(AssetPath{"a.usd"}),
      Value(dictionary),
      Value(names),
      Value(LayerOffset{1, 2}),
      Value(Array<float>{1, 2}),
      Value(Array<std::string>{"a", "b"}),
      Value(Array<Token>{Token("a")}),
      Value(Array<AssetPath>{{"a.usd"}}),
      Value(Relocates{{*Path::Parse("/A"), *Path::Parse("/B")}}),
      Value(Reference{"a.usd", *Path::Parse("/A")}),
      Value(Spline()),
  };
  for (const Value& value : values) {
    SCOPED_TRACE(static_cast<int>(value.type()));
    uint64_t allocation = 1;
    while (FillFails(value, allocation)) ++allocation;
    EXPECT_GT(allocation, 1u);
  }
}

}  // namespace
}  // namespace stagedoor::server
