// The material of faces: flat, lit by the sky and from the camera, in few operations, because
// without a graphics card each pixel of a general shader is felt.

import { Color, DoubleSide, ShaderMaterial } from "three";

const VERTEX = `
varying vec3 place;
#ifdef USE_COLOR
varying vec3 own;
#endif
void main() {
  vec4 at = vec4(position, 1.0);
#ifdef USE_INSTANCING
  at = instanceMatrix * at;
#endif
  at = modelViewMatrix * at;
  place = at.xyz;
#ifdef USE_COLOR
  own = color;
#endif
  gl_Position = projectionMatrix * at;
}`;

// The normal is that of the face as it is seen, so that deformed points need none. Colors are
// scene-linear; the square root is near enough to sRGB.
const FRAGMENT = `
uniform vec3 diffuse;
varying vec3 place;
#ifdef USE_COLOR
varying vec3 own;
#endif
void main() {
  vec3 normal = normalize(cross(dFdx(place), dFdy(place)));
  float up = dot(normal, viewMatrix[1].xyz);
  vec3 light = mix(vec3(0.15, 0.15, 0.17), vec3(0.46), 0.5 + 0.5 * up) + 0.5 * abs(normal.z);
#ifdef USE_COLOR
  light *= own;
#endif
  gl_FragColor = vec4(sqrt(diffuse * light), 1.0);
}`;

export function faceMaterial(color: Color, vertexColors: boolean): ShaderMaterial {
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { diffuse: { value: vertexColors ? new Color(1, 1, 1) : color } },
    vertexColors,
    side: DoubleSide,
  });
}
