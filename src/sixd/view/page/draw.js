// Solids in WebGL 2: lit, with a shadow on the ground if that is level, transparent ones last.

const canvas = document.getElementById("scene");
const isDark = matchMedia("(prefers-color-scheme: dark)");
const gl = canvas.getContext("webgl2", { antialias: true, stencil: true, alpha: true });
if (!gl) {
  document.getElementById("message").textContent = "This page needs WebGL 2, which this browser does not have or has off.";
  throw new Error("WebGL 2 is not available");
}

const program = (vertex, fragment) => {
  const made = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, "#version 300 es\nprecision highp float;\n" + text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(made, shader);
  }
  gl.bindAttribLocation(made, 0, "position");
  gl.bindAttribLocation(made, 1, "normal");
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
  const found = { made };
  for (let k = 0; k < gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS); k++) {
    const { name } = gl.getActiveUniform(made, k);
    found[name] = gl.getUniformLocation(made, name);
  }
  return found;
};

// How much of a point is on lines that are a distance apart; none where they are too narrow to be told apart.
const LINES = `
float lines(vec2 place, float spacing) {
  vec2 x = place / spacing, w = fwidth(x);
  vec2 d = abs(fract(x - 0.5) - 0.5) / max(w, 1e-6);
  return (1.0 - min(min(d.x, d.y), 1.0)) * (1.0 - smoothstep(0.25, 0.7, max(w.x, w.y)));
}`;

const LIGHT = unit([0.45, -0.55, 1.0]);

const SOLID = program(`
in vec3 position; in vec3 normal;
uniform mat4 model, camera; uniform mat3 turn;
out vec3 place, facing;
void main() {
  vec4 world = model * vec4(position, 1.0);
  place = world.xyz; facing = turn * normal;
  gl_Position = camera * world;
}`, `
in vec3 place, facing;
uniform vec3 eye, light; uniform vec4 color; uniform float spacing;
out vec4 result;
${LINES}
void main() {
  vec3 v = normalize(eye - place), n = normalize(facing);
  if (dot(n, v) < 0.0) n = -n;
  vec3 base = pow(color.rgb, vec3(2.2));
  float key = max(dot(n, light), 0.0), fill = max(dot(n, normalize(vec3(-light.xy, 0.3))), 0.0);
  vec3 lit = base * (0.22 + 0.20 * (0.5 + 0.5 * n.z) + 0.56 * key + 0.14 * fill);
  float shine = pow(max(dot(n, normalize(light + v)), 0.0), 48.0);
  float rim = pow(1.0 - max(dot(n, v), 0.0), 3.0);
  lit += 0.12 * shine + 0.03 * rim;
  if (spacing > 0.0) lit *= 1.0 - max(0.3 * lines(place.xy, spacing), 0.55 * lines(place.xy, 10.0 * spacing));
  result = vec4(pow(lit, vec3(1.0 / 2.2)), color.a);
}`);

const SHADOW = program(`
in vec3 position;
uniform mat4 model, camera; uniform vec3 light; uniform float ground;
void main() {
  vec3 world = (model * vec4(position, 1.0)).xyz;
  world -= light * (max(world.z - ground, 0.0) / light.z);
  gl_Position = camera * vec4(world.xy, ground, 1.0);
}`, `
out vec4 result;
void main() { result = vec4(0.04, 0.06, 0.1, 0.19); }`);

const GROUND = program(`
in vec3 position;
uniform mat4 camera; uniform vec2 centre; uniform float size, ground;
out vec2 place;
void main() {
  place = centre + size * position.xy;
  gl_Position = camera * vec4(place, ground, 1.0);
}`, `
in vec2 place;
uniform float step_, size; uniform vec2 centre; uniform vec3 tint;
out vec4 result;
${LINES}
void main() {
  float fade = 1.0 - smoothstep(0.35, 1.0, length(place - centre) / size);
  float a = max(0.20 * lines(place, step_), 0.42 * lines(place, 10.0 * step_)) * fade;
  result = vec4(tint, a);
}`);

// A mesh has points from -1 to 1 in the box that holds it, which `box` puts in place.
const upload = (points, normals, indices) => {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  [[points, gl.SHORT], [normals, gl.BYTE]].forEach(([values, kind], k) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(k);
    gl.vertexAttribPointer(k, 3, kind, true, 0, 0);
  });
  gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, indices, gl.STATIC_DRAW);
  return { array, count: indices.length };
};

const square = upload(new Int16Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0].map(x => 32767 * x)),
  new Int8Array(12), new Uint32Array([0, 1, 2, 0, 2, 3]));
const meshes = DATA.meshes.map(m => ({ ...upload(m.points, m.normals, m.indices), box: stretch(m.half, m.middle) }));

// One solid: a mesh at a pose (in the world), stretched by a scale.
const solid = (mesh, pose, scale, color) => {
  const turn = [0, 1, 2].flatMap(c => [0, 1, 2].map(r => pose[4 * c + r] / scale[c]));
  return { mesh, color, turn, model: multiply(multiply(pose, stretch(scale)), mesh.box) };
};

const paint = (shader, solids) => {
  for (const s of solids) {
    gl.uniformMatrix4fv(shader.model, false, s.model);
    if (shader.turn) gl.uniformMatrix3fv(shader.turn, false, s.turn);
    if (shader.color) {
      const shade = s.around && isDark.matches ? 0.66 : 1; // a bright ground would dazzle on a dark page
      gl.uniform4fv(shader.color, s.color.map((x, k) => k < 3 ? shade * x : x));
      gl.uniform1f(shader.spacing, s.around ? DATA.step : 0);
    }
    gl.bindVertexArray(s.mesh.array);
    gl.drawElements(gl.TRIANGLES, s.mesh.count, gl.UNSIGNED_INT, 0);
  }
};

const begin = (shader, camera, uniforms) => {
  gl.useProgram(shader.made);
  gl.uniformMatrix4fv(shader.camera, false, camera);
  for (const [name, value] of Object.entries(uniforms)) {
    if (typeof value === "number") gl.uniform1f(shader[name], value);
    else if (value.length === 2) gl.uniform2fv(shader[name], value);
    else gl.uniform3fv(shader[name], value);
  }
};

const paintOpaque = (camera, eye, solids) => {
  gl.disable(gl.BLEND);
  gl.disable(gl.CULL_FACE);
  gl.depthMask(true);
  begin(SOLID, camera, { eye, light: LIGHT });
  paint(SOLID, solids);
};

const paintClear = (camera, eye, solids) => {
  gl.enable(gl.BLEND);
  gl.enable(gl.CULL_FACE);
  gl.depthMask(false);
  begin(SOLID, camera, { eye, light: LIGHT });
  for (const side of [gl.FRONT, gl.BACK]) { gl.cullFace(side); paint(SOLID, solids); }
};

const draw = (solids, eye, target, reach) => {
  const density = Math.min(window.devicePixelRatio || 1, 2);
  const [w, h] = [canvas.clientWidth, canvas.clientHeight].map(x => Math.max(1, Math.round(x * density)));
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  const far = Math.hypot(...plus(eye, target, -1));
  const camera = multiply(perspective(FIELD, w / h, far / 200, 30 * far + 20 * reach), lookAt(eye, target));
  gl.viewport(0, 0, w, h);
  gl.enable(gl.DEPTH_TEST);
  gl.depthMask(true);
  gl.clearColor(0, 0, 0, 0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  const opaque = s => s.color[3] >= 0.99, outside = solids.filter(s => !s.inside), inside = solids.filter(s => s.inside);
  paintOpaque(camera, eye, outside.filter(opaque));
  gl.enable(gl.BLEND);
  gl.blendFuncSeparate(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA, gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  gl.depthMask(false);
  const level = DATA.ground !== null;
  if (level && eye[2] > DATA.ground) {
    gl.enable(gl.STENCIL_TEST); // each point of the ground is in the shadow once
    gl.stencilFunc(gl.EQUAL, 0, 255);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
    begin(SHADOW, camera, { light: LIGHT, ground: DATA.ground + 1e-3 * reach });
    paint(SHADOW, outside.length ? outside : solids);
    gl.disable(gl.STENCIL_TEST);
  }
  const tint = isDark.matches ? [0.72, 0.78, 0.86] : [0.24, 0.31, 0.42];
  if (level) {
    begin(GROUND, camera, { centre: target.slice(0, 2), size: 9 * reach, ground: DATA.ground, step_: DATA.step, tint });
    gl.bindVertexArray(square.array);
    gl.drawElements(gl.TRIANGLES, square.count, gl.UNSIGNED_INT, 0);
  }
  paintClear(camera, eye, outside.filter(s => !opaque(s)));
  // What is inside the links is seen through them.
  gl.depthMask(true);
  gl.clear(gl.DEPTH_BUFFER_BIT);
  paintOpaque(camera, eye, inside.filter(opaque));
  paintClear(camera, eye, inside.filter(s => !opaque(s)));
};
