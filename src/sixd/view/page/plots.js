// Curves over time, with a line at the present time; a click or a drag goes to a time.

const COLORS = ["#1f6fb4", "#e0702f", "#2a9d5c", "#b8324f", "#7b52ab", "#8a6d3b", "#d6559a", "#5b6573", "#a3a21a", "#1b9fb0"];
const plots = [];

const short = x => Math.abs(x) >= 1e4 || (x !== 0 && Math.abs(x) < 1e-3) ? x.toExponential(1) : String(+x.toPrecision(3));

const ticks = (low, high, count) => {
  const raw = (high - low) / count, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find(f => f * power >= raw);
  const found = [];
  for (let x = Math.ceil(low / step) * step; x <= high + 1e-9 * step; x += step) found.push(Math.abs(x) < 1e-9 * step ? 0 : x);
  return found;
};

class Plot {
  constructor(curve, goTo) {
    const figure = document.createElement("figure"), caption = document.createElement("figcaption");
    const name = document.createElement("b");
    name.textContent = curve.name;
    caption.append(name);
    this.values = curve.labels.map((label, k) => {
      const entry = document.createElement("span"), value = document.createElement("output");
      entry.style.color = COLORS[k % COLORS.length];
      entry.textContent = curve.labels.length > 1 ? label + " " : "";
      entry.append(value);
      caption.append(entry);
      return value;
    });
    this.canvas = document.createElement("canvas");
    figure.append(caption, this.canvas);
    document.getElementById("plots").append(figure);
    this.curve = curve;
    let low = Infinity, high = -Infinity;
    for (const y of curve.values) if (Number.isFinite(y)) { low = Math.min(low, y); high = Math.max(high, y); }
    if (low > high) { low = 0; high = 0; } // no number at all
    const room = 0.06 * (high - low) || 0.1 * Math.abs(high) || 1;
    this.low = low - room; this.high = high + room;
    const seek = event => {
      if (event.type === "pointermove" && !event.buttons) return;
      goTo(this.timeAt(event.offsetX));
    };
    this.canvas.addEventListener("pointerdown", event => { this.canvas.setPointerCapture(event.pointerId); seek(event); });
    this.canvas.addEventListener("pointermove", seek);
  }

  get left() { return 44; }
  get right() { return this.canvas.clientWidth - 8; }
  x(time) { return this.left + (time - T0) / (T1 - T0) * (this.right - this.left); }
  y(value) { return 6 + (this.high - value) / (this.high - this.low) * (this.canvas.clientHeight - 24); }
  timeAt(x) { return T0 + (T1 - T0) * Math.min(Math.max((x - this.left) / (this.right - this.left), 0), 1); }

  draw(time) {
    const density = window.devicePixelRatio || 1, c = this.canvas, [w, h] = [c.clientWidth, c.clientHeight];
    c.width = Math.round(w * density); c.height = Math.round(h * density);
    const g = c.getContext("2d");
    g.scale(density, density);
    g.font = "10px system-ui, sans-serif";
    g.lineWidth = 1;
    g.strokeStyle = "#dfe4ea"; g.fillStyle = "#687385";
    g.textAlign = "right"; g.textBaseline = "middle";
    for (const v of ticks(this.low, this.high, 4)) { this.line(g, this.left, this.y(v), this.right, this.y(v)); g.fillText(short(v), this.left - 5, this.y(v)); }
    g.textAlign = "center"; g.textBaseline = "top";
    for (const t of ticks(T0, T1, 6)) { this.line(g, this.x(t), 6, this.x(t), h - 18); g.fillText(short(t), this.x(t), h - 14); }
    const n = this.curve.labels.length, values = this.curve.values, stride = Math.max(1, Math.floor(DATA.t.length / (2 * w)));
    for (let k = 0; k < n; k++) {
      g.strokeStyle = COLORS[k % COLORS.length]; g.lineWidth = 1.5;
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
    g.strokeStyle = "#1c2430"; g.lineWidth = 1;
    this.line(g, this.x(time), 6, this.x(time), h - 18);
    between(values, n, sampleAt(time)).forEach((y, k) => { this.values[k].textContent = Number.isFinite(y) ? short(Math.abs(y) < 1e-6 * (this.high - this.low) ? 0 : y) : "–"; });
  }

  line(g, x0, y0, x1, y1) { g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y1); g.stroke(); }
}
