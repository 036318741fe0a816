// Prints the value of an attribute: shot ROOT ATTRIBUTE TIME. STAGEDOOR_ADDRESS is the address of
// the daemon.
#include <stagedoor/stage.h>

#include <cstdlib>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  absl::StatusOr<stagedoor::sdk::Stage> stage = stagedoor::sdk::Stage::Open("", argv[1]);
  if (!stage.ok()) {
    std::cerr << stage.status() << '\n';
    return 1;
  }
  const absl::StatusOr<double> value =
      stage->GetAttributeAtPath(argv[2]).Get<double>(std::atof(argv[3]));
  if (!value.ok()) {
    std::cerr << value.status() << '\n';
    return 1;
  }
  std::cout << *value << '\n';
  return 0;
}
