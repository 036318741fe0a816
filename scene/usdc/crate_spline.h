// The bytes of a spline in a crate file, without the custom data of its knots.
#ifndef STAGEDOOR_SCENE_USDC_CRATE_SPLINE_H_
#define STAGEDOOR_SCENE_USDC_CRATE_SPLINE_H_

#include <cstddef>
#include <span>
#include <string>

#include "scene/usdc/crate_format.h"
#include "scene/values/spline.h"

namespace stagedoor {

// False for damaged bytes or an unknown version; no bytes are an empty spline.
bool DecodeCrateSpline(std::span<const std::byte> blob, Spline* spline);

// `version` is raised to the crate version that the spline needs.
std::string EncodeCrateSpline(const Spline& spline, CrateVersion* version);

}  // namespace stagedoor

#endif  // STAGEDOOR_SCENE_USDC_CRATE_SPLINE_H_
