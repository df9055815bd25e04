// The page: camera, switches, sliders, time.

const FIELD = DATA.camera.field;
const T0 = DATA.t[0], T1 = DATA.t[DATA.t.length - 1], MOVES = DATA.t.length > 1;
const shown = Object.fromEntries(DATA.layers.map(layer => [layer.name, layer.shown]));
const state = { time: T0, playing: false, speed: 1, q: positionAt(T0), follow: DATA.follow };
const home = { azimuth: DATA.camera.azimuth, height: DATA.camera.elevation, zoom: 1, shift: [0, 0, 0] };
let view = { ...home };
let stale = true;
const redraw = () => { stale = true; };
const element = id => document.getElementById(id);

// ---- what is drawn

const comAt = q => posesAt(q).at(-1).slice(12, 15);
const start = comAt(state.q);

const solids = poses => {
  const found = [];
  for (const layer of DATA.layers) {
    if (!shown[layer.name]) continue;
    for (const item of layer.items)
      found.push({ ...solid(meshes[item.mesh], multiply(poses[item.body], item.pose), item.scale, item.color), inside: layer.inside, around: layer.around });
    if (layer.name === "forces") for (const [point, force] of forcesAt(state.time)) found.push(...arrow(point, force));
  }
  return found;
};

const arrow = (point, force) => {
  const length = DATA.forceScale * Math.hypot(...force);
  if (length < 1e-6 * DATA.length) return [];
  const radius = 0.008 * DATA.length, tip = Math.min(5 * radius, 0.5 * length);
  const d = unit(force), color = [0.83, 0.12, 0.35, 1];
  return [
    solid(meshes[DATA.rod], along(plus(point, d, (length - tip) / 2), d), [radius, radius, length - tip], color),
    solid(meshes[DATA.cone], along(plus(point, d, length - tip), d), [2.6 * radius, 2.6 * radius, tip], color),
  ];
};

const eyeOf = target => {
  const wide = canvas.clientWidth / Math.max(canvas.clientHeight, 1);
  const far = view.zoom * DATA.camera.radius / Math.sin(FIELD / 2) / Math.min(1, wide);
  const [c, s] = [Math.cos(view.height), Math.sin(view.height)];
  return plus(target, [Math.cos(view.azimuth) * c, Math.sin(view.azimuth) * c, s], far);
};

const render = () => {
  const poses = posesAt(state.q);
  let target = plus(DATA.camera.target, view.shift);
  if (state.follow) { const now = poses.at(-1); target = plus(target, [now[12] - start[0], now[13] - start[1], 0]); }
  draw(solids(poses), eyeOf(target), target, DATA.camera.radius);
};

// ---- the camera

const pointers = new Map();
canvas.addEventListener("contextmenu", event => event.preventDefault());
canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); pointers.set(event.pointerId, event); });
for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, event => pointers.delete(event.pointerId));
canvas.addEventListener("pointermove", event => {
  const before = pointers.get(event.pointerId);
  if (!before) return;
  const [dx, dy] = [event.clientX - before.clientX, event.clientY - before.clientY];
  if (pointers.size === 2) {
    const [other] = [...pointers.values()].filter(p => p.pointerId !== event.pointerId);
    const span = p => Math.hypot(p.clientX - other.clientX, p.clientY - other.clientY);
    view.zoom *= span(before) / Math.max(span(event), 1);
  } else if (event.buttons & 6 || event.shiftKey) {
    const k = 2 * view.zoom * DATA.camera.radius / canvas.clientHeight, [c, s] = [Math.cos(view.azimuth), Math.sin(view.azimuth)];
    const up = Math.sin(view.height);
    view.shift = plus(view.shift, [s * dx - c * up * dy, -c * dx - s * up * dy, Math.cos(view.height) * dy], k);
  } else {
    view.azimuth -= 0.008 * dx;
    view.height = Math.min(Math.max(view.height + 0.008 * dy, -1.5), 1.5);
  }
  pointers.set(event.pointerId, event);
  redraw();
});
canvas.addEventListener("wheel", event => {
  event.preventDefault();
  view.zoom = Math.min(Math.max(view.zoom * Math.exp(0.001 * event.deltaY), 0.05), 20);
  redraw();
}, { passive: false });
canvas.addEventListener("dblclick", () => { view = { ...home }; redraw(); });
canvas.addEventListener("keydown", event => {
  const turns = { ArrowLeft: [0.1, 0], ArrowRight: [-0.1, 0], ArrowUp: [0, 0.1], ArrowDown: [0, -0.1] }[event.key];
  const zooms = { "+": 0.9, "=": 0.9, "-": 1 / 0.9 }[event.key];
  if (turns) { view.azimuth += turns[0]; view.height = Math.min(Math.max(view.height + turns[1], -1.5), 1.5); }
  else if (zooms) view.zoom = Math.min(Math.max(view.zoom * zooms, 0.05), 20);
  else if (event.key === "0") view = { ...home };
  else return;
  event.preventDefault();
  redraw();
});
new ResizeObserver(redraw).observe(canvas);

// ---- switches and sliders

const toggle = (place, label, checked, change) => {
  const box = document.createElement("input"), row = document.createElement("label");
  box.type = "checkbox"; box.checked = checked;
  box.addEventListener("change", () => { change(box.checked); redraw(); });
  row.append(box, " " + label);
  element(place).append(row);
  return box;
};
for (const layer of DATA.layers)
  toggle("layers", layer.label, layer.shown, on => { shown[layer.name] = on; }).dataset.layer = layer.name;
if (MOVES && DATA.travels) toggle("layers", "camera follows", state.follow, on => { state.follow = on; }).dataset.layer = "follow";

// Sliders of coordinates set q; those of joints with quaternions move by a velocity from where they are.
const sliders = DATA.controls.map(control => {
  const row = document.createElement("div"), name = document.createElement("label"), value = document.createElement("output");
  const range = document.createElement("input");
  row.className = "slider";
  range.type = "range"; range.step = "any"; range.min = control.lower; range.max = control.upper; range.id = "slider-" + control.id;
  name.htmlFor = range.id; name.textContent = control.label; name.title = control.label;
  range.addEventListener("input", () => { pause(); moved(control, +range.value); });
  row.append(name, value, range);
  element("sliders").append(row);
  return { control, range, value };
});

let rest = state.q.slice();
const steps = new Map();

const moved = (control, x) => {
  if (control.kind === "q") {
    state.q[control.k] = rest[control.k] = x;
  } else {
    const body = DATA.bodies[control.joint], [a, b] = body.q;
    const step = steps.get(control.joint) || new Array(control.nv).fill(0);
    step[control.k] = x;
    steps.set(control.joint, step);
    JOINTS[body.joint].integrate(rest.slice(a, b), step)[0].forEach((y, i) => { state.q[a + i] = y; });
  }
  label();
  redraw();
};

const label = () => {
  for (const { control, range, value } of sliders) {
    const x = control.kind === "q" ? state.q[control.k] : (steps.get(control.joint) || [])[control.k] || 0;
    if (document.activeElement !== range || state.playing) range.value = x;
    value.textContent = `${x.toFixed(3)} ${control.unit}`;
    const [low, high] = control.limits, little = 1e-6 * (1 + Math.abs(x)); // positions are stored in single precision
    const outside = (low !== null && x < low - little) || (high !== null && x > high + little);
    value.classList.toggle("outside", outside);
    value.title = outside ? "outside its limits" : "";
  }
};

element("reset").addEventListener("click", () => goTo(state.time));

// ---- time

const goTo = time => {
  state.time = Math.min(Math.max(time, T0), T1);
  state.q = positionAt(state.time);
  rest = state.q.slice();
  steps.clear();
  label();
  redraw();
};

const pause = () => { state.playing = false; element("play").textContent = "▶"; element("play").ariaLabel = "play"; };
const play = () => {
  if (state.time >= T1) goTo(T0);
  state.playing = true; element("play").textContent = "❚❚"; element("play").ariaLabel = "pause";
};
const showTime = () => {
  element("time").textContent = `${state.time.toFixed(3)} s`;
  if (document.activeElement !== element("scrub") || state.playing) element("scrub").value = state.time;
  for (const plot of plots) plot.draw(state.time);
};

if (MOVES) {
  const scrub = element("scrub");
  scrub.min = T0; scrub.max = T1; scrub.value = T0;
  scrub.addEventListener("input", () => { pause(); goTo(+scrub.value); });
  element("play").addEventListener("click", () => state.playing ? pause() : play());
  element("speed").addEventListener("change", event => { state.speed = +event.target.value; });
  document.addEventListener("keydown", event => {
    const ours = !event.target.matches("input, select, button"), by = 0.01 * (T1 - T0);
    const times = { ArrowRight: state.time + by, ArrowLeft: state.time - by, Home: T0, End: T1 };
    if (event.key === " " && (ours || event.target.type === "range")) {
      event.preventDefault();
      if (state.playing) pause(); else play();
    } else if (ours && !event.defaultPrevented && event.key in times) { pause(); goTo(times[event.key]); }
  });
  for (const curve of DATA.curves) {
    const plot = new Plot(curve, time => { pause(); goTo(time); });
    plots.push(plot);
    toggle("curves", curve.name, curve.shown, on => { plot.show(on); showPlots(); });
  }
} else {
  element("player").hidden = true;
}
const showPlots = () => { element("plots").hidden = plots.every(plot => plot.figure.hidden); };
showPlots();
element("choice").hidden = !plots.length;
isDark.addEventListener("change", redraw);
document.body.classList.toggle("hilly", DATA.ground === null);
new ResizeObserver(redraw).observe(document.body);

let before = null;
const frame = now => {
  if (state.playing && before !== null) {
    goTo(state.time + state.speed * (now - before) / 1000);
    if (state.time >= T1) pause();
  }
  before = now;
  if (stale) {
    stale = false;
    render();
    if (MOVES) showTime();
    document.body.dataset.frames = String(1 + Number(document.body.dataset.frames || 0));
  }
  requestAnimationFrame(frame);
};
label();
requestAnimationFrame(frame);
