// Matrices are arrays of 16 numbers in columns, as WebGL takes them.

const multiply = (a, b) => {
  const out = new Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++)
      out[4 * c + r] = a[r] * b[4 * c] + a[4 + r] * b[4 * c + 1] + a[8 + r] * b[4 * c + 2] + a[12 + r] * b[4 * c + 3];
  return out;
};

// The pose of a frame from the transform (E, r) to its coordinates: the rotation is E^T.
const poseOf = x => [x[0], x[1], x[2], 0, x[3], x[4], x[5], 0, x[6], x[7], x[8], 0, x[9], x[10], x[11], 1];

const stretch = (s, o = [0, 0, 0]) => [s[0], 0, 0, 0, 0, s[1], 0, 0, 0, 0, s[2], 0, o[0], o[1], o[2], 1];

const transformed = (m, p) => [0, 1, 2].map(r => m[r] * p[0] + m[4 + r] * p[1] + m[8 + r] * p[2] + m[12 + r]);

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const plus = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const unit = a => { const n = Math.hypot(...a); return n > 0 ? a.map(x => x / n) : [0, 0, 1]; };

const perspective = (angle, aspect, near, far) => {
  const f = 1 / Math.tan(angle / 2);
  return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0];
};

const lookAt = (eye, target) => {
  const z = unit(plus(eye, target, -1)), x = unit(cross([0, 0, 1], z)), y = cross(z, x);
  return [x[0], y[0], z[0], 0, x[1], y[1], z[1], 0, x[2], y[2], z[2], 0, -dot(x, eye), -dot(y, eye), -dot(z, eye), 1];
};

// The pose of a frame at a point whose z axis has a direction.
const along = (start, direction) => {
  const z = unit(direction), k = [0, 1, 2].reduce((a, b) => Math.abs(z[b]) < Math.abs(z[a]) ? b : a);
  const x = unit(cross([0, 1, 2].map(i => i === k ? 1 : 0), z)), y = cross(z, x);
  return [...x, 0, ...y, 0, ...z, 0, ...start, 1];
};
