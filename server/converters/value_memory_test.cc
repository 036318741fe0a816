// Tests of values whose messages do not fit in memory.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "base/request_scope.h"
#include "base/testing/fail_each_allocation.h"
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

// Fills a message that already holds another value while each allocation fails in turn. Returns
// their number.
uint64_t FillWithFailures(const Value& value) {
  return FailEachAllocation([&value] {
    RequestContext context;
    ReplyBudget budget(context, 1 << 20, "ask for less");
    v1::Value message;
    {
      const RequestMemoryExemption exempt;
      FillValue(Value(AssetPath{"used.before"}), budget, &message);
    }
    FillValue(value, budget, &message);
  });
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
    EXPECT_GT(FillWithFailures(value), 0u);
  }
}

}  // namespace
}  // namespace stagedoor::server
