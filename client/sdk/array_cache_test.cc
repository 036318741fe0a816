#include "client/sdk/array_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "client/sdk/array_exchange.h"

namespace stagedoor::sdk {
namespace {

SharedArray ArrayOf(const std::string& digest, size_t bytes) {
  auto array = std::make_shared<v1::PackedValues>();
  array->set_digest(digest);
  array->set_data(std::string(bytes, 'x'));
  return array;
}

std::vector<std::string> DigestsOf(const ArraysByDigest& arrays) {
  std::vector<std::string> digests;
  for (const auto& [digest, array] : arrays) digests.push_back(digest);
  std::sort(digests.begin(), digests.end());
  return digests;
}

std::vector<std::string> Expected(const ArrayCache& cache, const std::string& path,
                                  const std::vector<double>& times) {
  ArraysByDigest expected;
  cache.Expect(path, times, &expected);
  return DigestsOf(expected);
}

using Digests = std::vector<std::string>;

TEST(ArrayCacheTest, ExpectsTheLastArrayAndThoseOfTheTimes) {
  ArrayCache cache(1000);
  for (const char* digest : {"a", "b", "c"}) cache.Store(ArrayOf(digest, 10));
  cache.Remember("/A.x", 1, "a");
  cache.Remember("/A.x", 2, "b");
  cache.Remember("/A.x", 3, "c");
  EXPECT_EQ(Expected(cache, "/A.x", {1, 9}), (Digests{"a", "c"}));
  EXPECT_EQ(Expected(cache, "/A.x", {}), Digests{"c"});
  EXPECT_EQ(Expected(cache, "/B.x", {1}), Digests{});
  ArraysByDigest between;
  cache.ExpectBetween("/A.x", 1.5, 2, &between);
  EXPECT_EQ(DigestsOf(between), (Digests{"b", "c"}));
}

TEST(ArrayCacheTest, TimesThatAreNotNumbersAreTheLastOnly) {
  ArrayCache cache(1000);
  const double none = std::numeric_limits<double>::quiet_NaN();
  cache.Store(ArrayOf("a", 10));
  cache.Remember("/A.x", none, "a");
  EXPECT_EQ(Expected(cache, "/A.x", {none}), Digests{"a"});
}

TEST(ArrayCacheTest, LeastRecentlyUsedArraysAreEvicted) {
  ArrayCache cache(25);
  for (const char* digest : {"a", "b"}) {
    cache.Store(ArrayOf(digest, 10));
    cache.Remember(std::string("/") + digest, 1, digest);
  }
  EXPECT_EQ(Expected(cache, "/a", {1}), Digests{"a"}) << "a is used, so b is evicted";
  cache.Store(ArrayOf("c", 10));
  EXPECT_EQ(cache.held_bytes(), 20u);
  EXPECT_EQ(Expected(cache, "/b", {1}), Digests{});
  EXPECT_EQ(Expected(cache, "/a", {1}), Digests{"a"});
}

TEST(ArrayCacheTest, ArraysLargerThanTheCacheAreNotHeld) {
  ArrayCache cache(25);
  cache.Store(ArrayOf("a", 20));
  EXPECT_EQ(cache.Store(ArrayOf("b", 26))->digest(), "b");
  EXPECT_EQ(cache.held_bytes(), 20u);
}

TEST(ArrayCacheTest, EqualArraysAreHeldOnce) {
  ArrayCache cache(100);
  const SharedArray first = cache.Store(ArrayOf("a", 10));
  EXPECT_EQ(cache.Store(ArrayOf("a", 10)), first);
  EXPECT_EQ(cache.held_bytes(), 10u);
  EXPECT_EQ(cache.hits(), 1u);
  EXPECT_EQ(cache.misses(), 1u);
}

v1::BatchGetValuesRequest RequestFor(const std::string& path, double time) {
  v1::BatchGetValuesRequest request;
  request.add_paths(path);
  request.mutable_times()->add_frames(time);
  return request;
}

TEST(ArrayCacheTest, WhatArraysCameForIsBounded) {
  ArrayCache cache(100);
  cache.Store(ArrayOf("a", 10));
  cache.Remember("/first.x", 1, "a");
  for (int path = 0; path < 399; ++path) {
    for (int time = 0; time < 1000; ++time) cache.Remember(std::to_string(path), time, "a");
  }
  EXPECT_EQ(Expected(cache, "/first.x", {1}), (Digests{"a"}));
  for (int time = 0; time < 1000; ++time) cache.Remember("/last.x", time, "a");
  EXPECT_EQ(Expected(cache, "/first.x", {1}), Digests());
  EXPECT_EQ(Expected(cache, "/last.x", {999}), (Digests{"a"}));
  EXPECT_EQ(cache.held_bytes(), 10u) << "the array itself is held";
}

TEST(ArrayExchangeTest, AnArrayThatCameIsAnnouncedAndReplaced) {
  ArrayCache cache(1000);
  v1::BatchGetValuesRequest request = RequestFor("/A.x", 1);
  ArrayExchange first(cache);
  first.Expect(request.paths(), request.times());
  first.Announce(&request);
  EXPECT_TRUE(request.has_digest_options()) << "asks for digests";
  EXPECT_TRUE(request.digest_options().known().empty());
  v1::Value value;
  *value.mutable_array_value() = *ArrayOf("a", 10);
  first.Take("/A.x", 1, &value);
  EXPECT_TRUE(value.array_value().data().empty()) << "moved, not copied";

  request = RequestFor("/A.x", 2);
  ArrayExchange second(cache);
  second.Expect(request.paths(), request.times());
  second.Announce(&request);
  ASSERT_EQ(request.digest_options().known_size(), 1);
  EXPECT_EQ(request.digest_options().known(0), "a");
  v1::Value unchanged;
  unchanged.mutable_array_value()->set_digest("a");
  unchanged.mutable_array_value()->set_unchanged(true);
  second.Take("/A.x", 2, &unchanged);
  ASSERT_TRUE(second.arrays().contains("a"));
  EXPECT_EQ(second.arrays()["a"]->data().size(), 10u);
}

TEST(ArrayExchangeTest, ArraysWithoutDigestStayWhereTheyAre) {
  ArrayCache cache(1000);
  ArrayExchange exchange(cache);
  v1::Value value;
  value.mutable_array_value()->set_data("12345678");
  exchange.Take("/A.x", 1, &value);
  EXPECT_EQ(value.array_value().data(), "12345678");
  EXPECT_TRUE(exchange.arrays().empty());
}

TEST(ArrayExchangeTest, UnchangedArraysThatNobodyAnnouncedAreNotThere) {
  ArrayCache cache(1000);
  ArrayExchange exchange(cache);
  v1::Value value;
  value.mutable_array_value()->set_digest("unknown");
  value.mutable_array_value()->set_unchanged(true);
  exchange.Take("/A.x", 1, &value);
  EXPECT_TRUE(exchange.arrays().empty());
}

TEST(ArrayExchangeTest, NothingIsAskedForWithoutACache) {
  ArrayCache cache(0);
  v1::BatchGetValuesRequest request = RequestFor("/A.x", 1);
  ArrayExchange exchange(cache);
  exchange.Expect(request.paths(), request.times());
  exchange.Announce(&request);
  EXPECT_FALSE(request.has_digest_options());
}

TEST(NumericTimesTest, FollowTheOrderOfTheSelection) {
  v1::TimeSelection times;
  times.add_frames(3);
  times.add_times()->set_numeric(1);
  times.add_times()->mutable_default_time();
  const std::vector<double> numbers = NumericTimes(times);
  ASSERT_EQ(numbers.size(), 3u);
  EXPECT_EQ(numbers[0], 1);
  EXPECT_TRUE(std::isnan(numbers[1]));
  EXPECT_EQ(numbers[2], 3);
  times.add_ranges("1:2");
  EXPECT_TRUE(NumericTimes(times).empty()) << "the daemon expands ranges";
}

}  // namespace
}  // namespace stagedoor::sdk
