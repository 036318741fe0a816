#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "client/cc/error_reason.h"
#include "client/sdk/error.h"
#include "client/sdk/value_getter.h"

namespace stagedoor::sdk {
namespace {

template <typename Fill>
Value Make(const std::string& type, const Fill& fill) {
  auto message = std::make_shared<v1::Value>();
  fill(*message);
  return Value(type, std::move(message));
}

template <typename T>
void Pack(v1::PackedValues* packed, v1::ComponentType type, uint32_t rows, uint32_t columns,
          const std::vector<T>& numbers) {
  packed->set_component_type(type);
  packed->set_rows(rows);
  packed->set_columns(columns);
  packed->set_count(numbers.size() / rows / columns);
  packed->set_data(
      std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)));
}

template <typename T>
std::string ReasonOf(const Value& value) {
  return ErrorReason(value.Get<T>().status());
}

TEST(ValueTest, NumbersConvertToFloatingPoint) {
  EXPECT_EQ(*Make("double", [](auto& v) { v.set_double_value(1.5); }).template Get<double>(), 1.5);
  EXPECT_EQ(*Make("float", [](auto& v) { v.set_float_value(1.5); }).template Get<double>(), 1.5);
  EXPECT_EQ(*Make("half", [](auto& v) { v.set_half_value(1.5); }).template Get<float>(), 1.5F);
  EXPECT_EQ(*Make("int", [](auto& v) { v.set_int_value(-3); }).template Get<double>(), -3);
  EXPECT_EQ(*Make("bool", [](auto& v) { v.set_bool_value(true); }).template Get<double>(), 1);
  EXPECT_EQ(*Make("bool", [](auto& v) { v.set_bool_value(false); }).template Get<double>(), 0);
  EXPECT_EQ(*Make("duration", [](auto& v) { v.set_duration_value(8); }).template Get<double>(), 8);
  EXPECT_EQ(*Make("timecode", [](auto& v) { v.set_time_code_value(7); }).template Get<double>(), 7);
  EXPECT_EQ(*Make("uint64", [](auto& v) { v.set_uint64_value(1ULL << 63); }).template Get<double>(),
            0x1p63);
}

TEST(ValueTest, IntegersMustFit) {
  const Value minus = Make("int", [](auto& v) { v.set_int_value(-1); });
  EXPECT_EQ(*minus.Get<int>(), -1);
  EXPECT_EQ(*minus.Get<int8_t>(), -1);
  EXPECT_EQ(ReasonOf<unsigned>(minus), "WRONG_TYPE");
  const Value large = Make("int64", [](auto& v) { v.set_int64_value(1LL << 40); });
  EXPECT_EQ(*large.Get<int64_t>(), 1LL << 40);
  EXPECT_EQ(*large.Get<uint64_t>(), 1ULL << 40);
  EXPECT_EQ(ReasonOf<int>(large), "WRONG_TYPE");
  EXPECT_EQ(ReasonOf<uint16_t>(large), "WRONG_TYPE");
  EXPECT_EQ(*Make("uchar", [](auto& v) { v.set_uchar_value(255); }).template Get<int>(), 255);
  EXPECT_EQ(*Make("uint", [](auto& v) { v.set_uint_value(~0U); }).template Get<int64_t>(), ~0U);
  EXPECT_EQ(*Make("uint64", [](auto& v) { v.set_uint64_value(5); }).template Get<int>(), 5);
  const Value largest = Make("uint64", [](auto& v) { v.set_uint64_value(~0ULL); });
  EXPECT_EQ(*largest.Get<uint64_t>(), ~0ULL);
  EXPECT_EQ(ReasonOf<int64_t>(largest), "WRONG_TYPE");
  EXPECT_EQ(ReasonOf<int>(Make("double", [](auto& v) { v.set_double_value(1); })), "WRONG_TYPE");
}

TEST(ValueTest, Bools) {
  const Value yes = Make("bool", [](auto& v) { v.set_bool_value(true); });
  const Value no = Make("bool", [](auto& v) { v.set_bool_value(false); });
  EXPECT_TRUE(*yes.Get<bool>());
  EXPECT_FALSE(*no.Get<bool>());
  EXPECT_EQ(ReasonOf<bool>(Make("int", [](auto& v) { v.set_int_value(1); })), "WRONG_TYPE");
}

TEST(ValueTest, TextsAndAssets) {
  EXPECT_EQ(*Make("string", [](auto& v) { v.set_string_value("a"); }).template Get<std::string>(),
            "a");
  EXPECT_EQ(*Make("token", [](auto& v) { v.set_token_value("b"); }).template Get<std::string>(),
            "b");
  EXPECT_EQ(*Make("path", [](auto& v) { v.set_path_value("/c"); }).template Get<std::string>(),
            "/c");
  EXPECT_EQ(*Make("pathExpression", [](auto& v) { v.set_path_expression_value("/d//"); })
                 .template Get<std::string>(),
            "/d//");
  const Value asset = Make("asset", [](auto& v) {
    v.mutable_asset_path_value()->set_authored("./a.png");
    v.mutable_asset_path_value()->set_resolved("/a.png");
  });
  EXPECT_EQ(*asset.Get<AssetPath>(), (AssetPath{"./a.png", "", "/a.png"}));
  EXPECT_EQ(ReasonOf<std::string>(asset), "WRONG_TYPE");
  const Value tokens = Make("token[]", [](auto& v) {
    v.mutable_token_array()->add_values("x");
    v.mutable_token_array()->add_values("y");
  });
  EXPECT_EQ(*tokens.Get<std::vector<std::string>>(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(ReasonOf<std::vector<AssetPath>>(tokens), "WRONG_TYPE");
  const Value paths = Make("path[]", [](auto& v) { v.mutable_path_array()->add_values("/c"); });
  EXPECT_EQ(*paths.Get<std::vector<std::string>>(), std::vector<std::string>{"/c"});
  const Value expressions = Make(
      "pathExpression[]", [](auto& v) { v.mutable_path_expression_array()->add_values("/d//"); });
  EXPECT_EQ(*expressions.Get<std::vector<std::string>>(), std::vector<std::string>{"/d//"});
}

TEST(ValueTest, ArraysAreViewsThatKeepTheReply) {
  Array<Vec3f> points;
  {
    const Value value = Make("point3f[]", [](auto& v) {
      Pack<float>(v.mutable_array_value(), v1::COMPONENT_TYPE_FLOAT32, 1, 3, {1, 2, 3, 4, 5, 6});
    });
    points = *value.Get<std::span<const Vec3f>>();
    EXPECT_EQ(static_cast<const void*>(points.data()), value.message().array_value().data().data())
        << "no copy";
    EXPECT_EQ(ReasonOf<Array<float>>(value), "WRONG_TYPE");
    EXPECT_EQ(ReasonOf<Array<Vec3d>>(value), "WRONG_TYPE");
    EXPECT_EQ(ReasonOf<Array<Vec2f>>(value), "WRONG_TYPE");
    EXPECT_EQ(ReasonOf<Vec3f>(value), "WRONG_TYPE") << "an array is no tuple";
  }
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[1], (Vec3f{4, 5, 6}));
  const std::span<const Vec3f> span = points;
  EXPECT_EQ(span[0], (Vec3f{1, 2, 3}));
}

TEST(ValueTest, ArraysOfAllComponents) {
  const auto array = [](v1::ComponentType type, auto numbers) {
    return Make("x[]", [&](auto& v) { Pack(v.mutable_array_value(), type, 1, 1, numbers); });
  };
  EXPECT_EQ((*array(v1::COMPONENT_TYPE_BOOL, std::vector<uint8_t>{1, 0}).Get<Array<uint8_t>>())[0],
            1);
  EXPECT_EQ((*array(v1::COMPONENT_TYPE_UINT8, std::vector<uint8_t>{9}).Get<Array<uint8_t>>())[0],
            9);
  EXPECT_EQ((*array(v1::COMPONENT_TYPE_INT32, std::vector<int32_t>{-9}).Get<Array<int32_t>>())[0],
            -9);
  EXPECT_EQ((*array(v1::COMPONENT_TYPE_UINT32, std::vector<uint32_t>{9}).Get<Array<uint32_t>>())[0],
            9u);
  EXPECT_EQ((*array(v1::COMPONENT_TYPE_INT64, std::vector<int64_t>{-9}).Get<Array<int64_t>>())[0],
            -9);
  EXPECT_EQ((*array(v1::COMPONENT_TYPE_UINT64, std::vector<uint64_t>{9}).Get<Array<uint64_t>>())[0],
            9u);
  EXPECT_EQ(
      static_cast<float>((
          *array(v1::COMPONENT_TYPE_FLOAT16, std::vector<uint16_t>{0x3c00}).Get<Array<Half>>())[0]),
      1);
  EXPECT_EQ((*array(v1::COMPONENT_TYPE_FLOAT64, std::vector<double>{9}).Get<Array<double>>())[0],
            9);
  EXPECT_EQ(*array(v1::COMPONENT_TYPE_DURATION, std::vector<double>{9}).Get<std::vector<double>>(),
            std::vector<double>{9});
  EXPECT_EQ(*array(v1::COMPONENT_TYPE_TIME_CODE, std::vector<double>{9}).Get<std::vector<double>>(),
            std::vector<double>{9});
}

TEST(ValueTest, TuplesAreCopied) {
  const Value matrix = Make("matrix4d", [](auto& v) {
    std::vector<double> numbers(16);
    numbers[13] = 2;
    Pack(v.mutable_tuple_value(), v1::COMPONENT_TYPE_FLOAT64, 4, 4, numbers);
  });
  EXPECT_EQ((*matrix.Get<Matrix4d>())[3][1], 2);
  EXPECT_EQ(ReasonOf<Matrix3d>(matrix), "WRONG_TYPE");
  const Value vector = Make("float3", [](auto& v) {
    Pack<float>(v.mutable_tuple_value(), v1::COMPONENT_TYPE_FLOAT32, 1, 3, {1, 2, 3});
  });
  EXPECT_EQ(*vector.Get<Vec3f>(), (Vec3f{1, 2, 3}));
  EXPECT_EQ(ReasonOf<Vec3d>(vector), "WRONG_TYPE");
  EXPECT_EQ(ReasonOf<Array<Vec3f>>(vector), "WRONG_TYPE");
}

TEST(ValueTest, MissingValuesSayWhy) {
  const Value none = Make("", [](auto&) {});
  EXPECT_EQ(none.state(), Value::State::kNone);
  EXPECT_EQ(ReasonOf<double>(none), "NO_VALUE");
  EXPECT_EQ(ReasonOf<Array<float>>(none), "NO_VALUE");
  EXPECT_EQ(*none.Get<std::optional<double>>(), std::nullopt);
  const Value blocked = Make("", [](auto& v) { v.mutable_block(); });
  EXPECT_EQ(blocked.state(), Value::State::kBlocked);
  const Value animation = Make("", [](auto& v) { v.mutable_animation_block(); });
  EXPECT_EQ(animation.state(), Value::State::kBlocked);
  const Value nothing;
  EXPECT_EQ(nothing.state(), Value::State::kNone);
  EXPECT_EQ(nothing.message().kind_case(), v1::Value::KIND_NOT_SET);
  EXPECT_EQ(ReasonOf<std::string>(blocked), "VALUE_BLOCKED");
  EXPECT_EQ(*blocked.Get<std::optional<std::string>>(), std::nullopt);
  const Value there = Make("double", [](auto& v) { v.set_double_value(2); });
  EXPECT_EQ(*there.Get<std::optional<double>>(), 2);
  EXPECT_EQ(ReasonOf<std::optional<std::string>>(there), "WRONG_TYPE");
}

// As a broken or malicious daemon may send them.
TEST(ValueTest, InconsistentArraysAreDataLoss) {
  const auto code = [](const auto& change) {
    return Make("float[]",
                [&](auto& v) {
                  Pack<float>(v.mutable_array_value(), v1::COMPONENT_TYPE_FLOAT32, 1, 1, {1, 2});
                  change(*v.mutable_array_value());
                })
        .template Get<Array<float>>()
        .status()
        .code();
  };
  EXPECT_EQ(code([](auto&) {}), absl::StatusCode::kOk);
  EXPECT_EQ(code([](auto& packed) { packed.set_count(3); }), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code([](auto& packed) { packed.set_count(1); }), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code([](auto& packed) { packed.mutable_data()->pop_back(); }),
            absl::StatusCode::kDataLoss);
  EXPECT_EQ(code([](auto& packed) { packed.set_rows(~0U); }), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code([](auto& packed) { packed.set_rows(0); }), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code([](auto& packed) { packed.set_columns(17); }), absl::StatusCode::kDataLoss);
  EXPECT_EQ(code([](auto& packed) { packed.set_unchanged(true); }), absl::StatusCode::kDataLoss);
  EXPECT_EQ(Make("double", [](auto& v) { v.set_invalid_value("cannot be decoded"); })
                .template Get<double>()
                .status(),
            absl::DataLossError("cannot be decoded"));
}

TEST(HalfTest, ConvertsToFloat) {
  EXPECT_EQ(static_cast<float>(Half{0x3c00}), 1.0F);
  EXPECT_EQ(static_cast<float>(Half{0xc000}), -2.0F);
  EXPECT_EQ(static_cast<float>(Half{0x0001}), 0x1p-24F);
  EXPECT_EQ(static_cast<float>(Half{0x03ff}), 1023 * 0x1p-24F);
  EXPECT_EQ(static_cast<float>(Half{0x7bff}), 65504.0F);
  EXPECT_EQ(static_cast<float>(Half{0x7c00}), HUGE_VALF);
  EXPECT_TRUE(std::isnan(static_cast<float>(Half{0x7e00})));
  EXPECT_TRUE(std::signbit(static_cast<float>(Half{0x8000})));
}

TEST(ErrorTest, DetailsComeFromTheStatus) {
  const absl::Status status =
      WithReason(absl::NotFoundError("no prim"), "PRIM_NOT_FOUND", "/World/Nobody");
  const Error error = DescribeError(status);
  EXPECT_EQ(error.code, absl::StatusCode::kNotFound);
  EXPECT_EQ(error.reason, "PRIM_NOT_FOUND");
  EXPECT_EQ(error.message, "no prim");
  EXPECT_EQ(error.path, "/World/Nobody");
  EXPECT_EQ(error.hint, "check the path, the load policy and the population mask");
  EXPECT_EQ(DescribeError(absl::InternalError("x")).hint, "");
}

TEST(ErrorTest, ErrorsOfTheConnectionHaveNoReason) {
  EXPECT_TRUE(IsUnreachable(absl::UnavailableError("no daemon answers")));
  EXPECT_FALSE(IsUnreachable(WithReason(absl::UnavailableError("busy"), "BUDGET_EXHAUSTED", "")));
  EXPECT_TRUE(IsLostLease(WithReason(absl::NotFoundError("x"), "STAGE_NOT_FOUND", "")));
  EXPECT_TRUE(IsLostLease(WithReason(absl::FailedPreconditionError("x"), "LEASE_EXPIRED", "")));
  EXPECT_FALSE(IsLostLease(absl::NotFoundError("x")));
  EXPECT_FALSE(IsLostLease(absl::OkStatus()));
}

}  // namespace
}  // namespace stagedoor::sdk
