// Times what benchmarks/python_client.py times in Python, with the C++ handles:
//   sdk_driver ADDRESS SCENE
// Each line of standard input is an order, "scalars COUNT ROUNDS" or "array TIMES", which is
// answered with one line: the seconds of each repetition.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "client/sdk/stage.h"

namespace stagedoor {
namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void Fail(const absl::Status& status) {
  std::cerr << "sdk_driver: " << status << '\n';
  std::exit(1);
}

// The seconds that `work` takes.
template <typename Work>
double Time(const Work& work) {
  const auto start = Clock::now();
  work();
  return std::chrono::duration<double>(Clock::now() - start).count();
}

double Scalars(const sdk::Stage& stage, const std::vector<std::string>& paths, double time) {
  return Time([&] {
    const auto values = stage.GetValues(paths, time);
    if (!values.ok()) Fail(values.status());
    double sum = 0;
    for (size_t i = 0; i < paths.size(); ++i) sum += *values->Get<double>(i, 0);
    if (sum == 0) std::exit(1);
  });
}

double Array(const sdk::Attribute& points, double time) {
  return Time([&] {
    const auto array = points.Get<std::span<const sdk::Vec3f>>(time);
    if (!array.ok()) Fail(array.status());
    if ((*array)[0][0] == 0) std::exit(1);
  });
}

int Run(const std::string& address, const std::string& scene) {
  sdk::ConnectionOptions options;
  options.addresses = {address};
  options.array_cache_bytes = 0;  // every array is sent
  auto stage = sdk::Stage::Open(sdk::Connection::Connect(options), scene);
  if (!stage.ok()) Fail(stage.status());
  const sdk::Attribute points = stage->GetAttributeAtPath("/Mesh.points");
  std::string line;
  while (std::getline(std::cin, line)) {
    std::istringstream order(line);
    std::string what;
    int count = 0, rounds = 0;
    order >> what >> count >> rounds;
    if (what == "scalars") {
      std::vector<std::string> paths;
      for (int i = 0; i < count; ++i) paths.push_back("/S.s" + std::to_string(i));
      for (int i = 0; i < rounds; ++i) std::cout << Scalars(*stage, paths, 1 + i % 48) << ' ';
    } else {
      for (int i = 0; i < count; ++i) std::cout << Array(points, 1 + i % 48) << ' ';
    }
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace stagedoor

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: sdk_driver ADDRESS SCENE\n");
    return 2;
  }
  return stagedoor::Run(argv[1], argv[2]);
}
