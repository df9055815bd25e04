// Where the bodies are: forward kinematics with the joints' own transforms, which sixd has recorded and printed.

// The poses of the base, the bodies and the centre of mass, for one position.
const posesAt = q => {
  const poses = [poseOf(DATA.root)];
  const com = [0, 0, 0];
  DATA.bodies.forEach((body, k) => {
    const own = q.slice(body.q[0], body.q[1]).map(x => body.ratio * x + body.offset);
    const joint = poseOf(JOINTS[body.joint].transform(own)[0]);
    const pose = multiply(multiply(poses[body.parent], poseOf(body.placement)), joint);
    poses.push(pose);
    transformed(pose, body.centre).forEach((x, r) => { com[r] += body.share * x; });
  });
  poses.push(stretch([1, 1, 1], com));
  return poses;
};

// The place of a time among the samples: the one before it, and the share of the next one.
const sampleAt = time => {
  const t = DATA.t;
  if (time <= t[0] || t.length === 1) return [0, 0];
  if (time >= t[t.length - 1]) return [t.length - 1, 0];
  let low = 0, high = t.length - 1;
  while (high - low > 1) { const middle = (low + high) >> 1; if (t[middle] <= time) low = middle; else high = middle; }
  return [low, (time - t[low]) / (t[low + 1] - t[low])];
};

const between = (array, width, [k, share]) => {
  const out = Array.from(array.subarray(k * width, (k + 1) * width));
  if (share > 0) for (let i = 0; i < width; i++) out[i] += share * (array[(k + 1) * width + i] - out[i]);
  return out;
};

// The position at a time, between samples in proportion. A quaternion and its negative are the same attitude: of the
// next one, the sign that is nearer is taken.
const positionAt = time => {
  const [k, share] = sampleAt(time), n = DATA.nq;
  const a = Array.from(DATA.q.subarray(k * n, (k + 1) * n));
  if (share === 0) return a;
  const b = Array.from(DATA.q.subarray((k + 1) * n, (k + 2) * n));
  for (const [first, count] of DATA.quaternions) {
    let product = 0;
    for (let i = first; i < first + count; i++) product += a[i] * b[i];
    if (product < 0) for (let i = first; i < first + count; i++) b[i] = -b[i];
  }
  return a.map((x, i) => x + share * (b[i] - x));
};

const forcesAt = time => {
  const n = DATA.contacts, place = sampleAt(time);
  const points = between(DATA.points, 3 * n, place), forces = between(DATA.forces, 3 * n, place);
  return Array.from({ length: n }, (_, i) => [points.slice(3 * i, 3 * i + 3), forces.slice(3 * i, 3 * i + 3)]);
};
