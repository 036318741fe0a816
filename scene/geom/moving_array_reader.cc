#include "scene/geom/moving_array_reader.h"

#include <cmath>

#include "scene/stage/stage.h"

namespace stagedoor {

double SecondsSince(const Prim& prim, double sample, TimeCode time) {
  const double rate = prim.stage().time_codes_per_second();
  const bool timed = !time.is_default() && rate != 0 && !std::isnan(rate);
  return timed ? (time.value() - sample) / rate : 0;
}

}  // namespace stagedoor
