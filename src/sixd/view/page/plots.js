// Curves over time, with a line at the present time; a click or a drag goes to a time.

const lineColor = k => DATA.colors[k % DATA.colors.length];
const plots = [];

// A number with the digits that tell numbers a step apart.
const short = (x, step) => {
  const digits = Math.max(0, -Math.floor(Math.log10(step) + 1e-9));
  return Math.abs(x) >= 1e5 || digits > 5 ? x.toExponential(2) : x.toFixed(digits);
};

const ticks = (low, high, count) => {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(f => f * power >= raw);
  const found = { step, at: [] };
  for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step) found.at.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return found;
};

class Plot {
  constructor(curve, goTo) {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption");
    const name = document.createElement("b"), room = document.createElement("div");
    name.textContent = curve.name;
    caption.append(name);
    this.values = curve.labels.map((label, k) => {
      const entry = document.createElement("span"), value = document.createElement("output");
      entry.style.color = lineColor(k);
      entry.textContent = label ? label + " " : "";
      entry.append(value);
      caption.append(entry);
      return value;
    });
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${curve.name} over time`);
    room.append(this.canvas);
    figure.append(caption, room);
    document.getElementById("plots").append(figure);
    figure.classList.toggle("many", curve.labels.length > 8);
    this.figure = figure;
    this.curve = curve;
    this.show(curve.shown);
    let low = Infinity, high = -Infinity;
    for (const y of curve.values) if (Number.isFinite(y)) { low = Math.min(low, y); high = Math.max(high, y); }
    if (low > high) { low = 0; high = 0; } // no number at all
    const margin = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
    this.low = low - margin; this.high = high + margin;
    const seek = event => {
      if (event.type === "pointermove" && !event.buttons) return;
      goTo(this.timeAt(event.offsetX));
    };
    this.canvas.addEventListener("pointerdown", event => { this.canvas.setPointerCapture(event.pointerId); seek(event); });
    this.canvas.addEventListener("pointermove", seek);
  }

  show(on) { this.figure.hidden = !on; }

  get left() { return 44; }
  get right() { return this.canvas.clientWidth - 20; }
  x(time) { return this.left + (time - T0) / (T1 - T0) * (this.right - this.left); }
  y(value) { return 6 + (this.high - value) / (this.high - this.low) * (this.canvas.clientHeight - 24); }
  timeAt(x) { return T0 + (T1 - T0) * Math.min(Math.max((x - this.left) / (this.right - this.left), 0), 1); }

  draw(time) {
    if (this.figure.hidden) return;
    const density = window.devicePixelRatio || 1, c = this.canvas, [w, h] = [c.clientWidth, c.clientHeight];
    c.width = Math.round(w * density); c.height = Math.round(h * density);
    const g = c.getContext("2d");
    g.scale(density, density);
    g.font = "10px system-ui, sans-serif";
    g.lineWidth = 1;
    const look = getComputedStyle(this.figure), tint = name => look.getPropertyValue(name);
    g.strokeStyle = tint("--faint"); g.fillStyle = tint("--soft");
    g.textAlign = "right"; g.textBaseline = "middle";
    const levels = ticks(this.low, this.high, 6), times = ticks(T0, T1, 6);
    for (const v of levels.at) {
      this.line(g, this.left, this.y(v), this.right, this.y(v));
      g.fillText(short(v, levels.step), this.left - 5, this.y(v));
    }
    g.textAlign = "center"; g.textBaseline = "top";
    times.at.forEach((t, k, all) => {
      this.line(g, this.x(t), 6, this.x(t), h - 18);
      const text = short(t, times.step) + (k === all.length - 1 ? " s" : "");
      g.fillText(text, Math.min(this.x(t), w - g.measureText(text).width / 2 - 1), h - 14);
    });
    const n = this.curve.labels.length, values = this.curve.values, stride = Math.max(1, Math.floor(DATA.t.length / (2 * w)));
    for (let k = 0; k < n; k++) {
      g.strokeStyle = lineColor(k); g.lineWidth = 1.5;
      g.beginPath();
      let pen = false;
      for (let i = 0; i < DATA.t.length; i += stride) {
        const y = values[i * n + k];
        if (!Number.isFinite(y)) { pen = false; continue; }
        if (pen) g.lineTo(this.x(DATA.t[i]), this.y(y)); else g.moveTo(this.x(DATA.t[i]), this.y(y));
        pen = true;
      }
      g.stroke();
    }
    g.strokeStyle = tint("--ink"); g.lineWidth = 1;
    this.line(g, this.x(time), 6, this.x(time), h - 18);
    const fine = levels.step / 100;
    between(values, n, sampleAt(time)).forEach((y, k) => {
      this.values[k].textContent = Number.isFinite(y) ? short(Math.abs(y) < 0.5 * fine ? 0 : y, fine) : "–";
    });
  }

  line(g, x0, y0, x1, y1) { g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y1); g.stroke(); }
}
