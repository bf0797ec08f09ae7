"use strict";
// Curves of scores against conditions, and the differences of two systems, as SVG.
squtr.chart = (() => {
  const SPACE = "http://www.w3.org/2000/svg";
  const HEIGHT = 330, LEFT = 48, RIGHT = 12, TOP = 12, BOTTOM = 34;
  const DASHES = ["", "6 3", "2 3", "8 3 2 3", "", "6 3", "2 3", "8 3 2 3"];
  const MARKS = [
    (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0z`,
    (r) => `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
    (r) => `M0 ${-r * 1.2}L${r * 1.15} ${r}H${-r * 1.15}z`,
    (r) => `M0 ${-r * 1.35}L${r * 1.35} 0L0 ${r * 1.35}L${-r * 1.35} 0z`,
    (r) => `M0 ${r * 1.2}L${r * 1.15} ${-r}H${-r * 1.15}z`,
    (r) => `M${-r} ${-r / 2.5}h${r * .6}v${-r * .6}h${r * .8}v${r * .6}h${r * .6}v${r * .8}h${-r * .6}v${r * .6}h${-r * .8}v${-r * .6}h${-r * .6}z`,
    (r) => `M${-r * 1.2} 0L0 ${-r * .6}L${r * 1.2} 0L0 ${r * .6}z`,
    (r) => `M${-r * .5} ${-r * 1.2}h${r}v${2.4 * r}h${-r}z`,
  ];

  // As many units as pixels where the page is narrow, so that text stays as large as it is.
  const widthOf = (figure) => Math.max(300, Math.min(680, figure.clientWidth || 680));

  function draw(name, attributes, ...children) {
    const made = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function ticks(low, high) {
    const rough = (high - low) / 5 || 0.1;
    const size = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((times) => times * size).find((one) => one >= rough * 0.999);
    const found = [];
    for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + 1e-9; at += step) found.push(at);
    return { found, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9)) };
  }

  function swatch(number) {
    return draw("svg", { viewBox: "0 0 36 14", class: "s" + (number % 8), "aria-hidden": "true", focusable: "false" },
      draw("path", { d: "M1 7H35", class: "curve", "stroke-dasharray": DASHES[number % 8] || "none" }),
      draw("path", { d: MARKS[number % 8](4.2), class: "mark", transform: "translate(18 7)" }));
  }

  // The text and the conditions of one channel, that of the condition `of`: scores along noise, and of nothing else.
  const channel = (id) => id.slice(0, id.lastIndexOf("/") + 1);
  function alongNoise(conditions, of) {
    return conditions.filter((one) => one.id === "text" || channel(one.id) === channel(of))
      .map((one) => ({ id: one.id, label: one.label.split(", ").pop() }));
  }

  // series: [{name, points: {condition: [mean, low, high]}}]; conditions: [{id, label}]
  function curves(figure, series, conditions, measure, caption) {
    const shown = series.filter((one) => conditions.some((c) => one.points[c.id] && one.points[c.id][0] !== null));
    if (!shown.length) { figure.replaceChildren(squtr.element("figcaption", {}, "Nothing to draw.")); return; }
    const WIDTH = widthOf(figure);
    const values = shown.flatMap((one) => conditions.flatMap((c) => (one.points[c.id] || []).slice(0, 3))).filter((v) => v !== null && v !== undefined);
    const low = Math.max(0, Math.floor((Math.min(...values) - 0.02) * 20) / 20);
    const high = Math.min(1, Math.ceil((Math.max(...values) + 0.02) * 20) / 20);
    const x = (at) => LEFT + ((at + 0.5) / conditions.length) * (WIDTH - LEFT - RIGHT);
    const y = (value) => TOP + (1 - (value - low) / (high - low || 1)) * (HEIGHT - TOP - BOTTOM);
    const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", focusable: "false",
      "aria-label": `${measure} by condition of ${shown.map((one) => one.name).join("; ")}. The board has the numbers.` });
    const axis = ticks(low, high);
    for (const at of axis.found) {
      svg.append(draw("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(at), y2: y(at), class: "grid" }),
        draw("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, at.toFixed(axis.digits)));
    }
    conditions.forEach((one, at) => {
      svg.append(draw("text", { x: x(at), y: HEIGHT - 12, "text-anchor": "middle" }, one.label));
      if (at && !conditions[at - 1].id.slice(channel(conditions[at - 1].id).length).startsWith("snr_")) {
        const border = (x(at - 1) + x(at)) / 2;
        svg.append(draw("line", { x1: border, x2: border, y1: TOP, y2: HEIGHT - BOTTOM, class: "parted" }));
      }
    });
    const step = Math.min(14, ((WIDTH - LEFT - RIGHT) / conditions.length) * 0.6 / shown.length);
    shown.forEach((one, number) => {
      const group = draw("g", { class: "s" + (number % 8) });
      const shift = (number - (shown.length - 1) / 2) * step;
      let path = "", open = false;
      conditions.forEach((condition, at) => {
        const point = one.points[condition.id];
        if (!point || point[0] === null) { open = false; return; }
        const [px, py] = [x(at) + shift, y(point[0])];
        path += `${open ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`;
        open = true;
        if (point.length > 2 && point[1] !== null) group.append(draw("line", { x1: px, x2: px, y1: y(point[1]), y2: y(point[2]), class: "whisker" }));
        group.append(draw("path", { d: MARKS[number % 8](4.2), class: "mark", transform: `translate(${px.toFixed(1)} ${py.toFixed(1)})` }));
      });
      group.prepend(draw("path", { d: path, class: "curve", "stroke-dasharray": DASHES[number % 8] || "none" }));
      svg.append(group);
    });
    const legend = squtr.element("ul", { class: "legend" }, ...shown.map((one, number) => squtr.element("li", {}, swatch(number), one.name)));
    figure.replaceChildren(svg, legend, squtr.element("figcaption", {}, caption));
  }

  // values: differences of each query; drawn in falling order as one area above and one below zero
  function differences(figure, values, names) {
    const WIDTH = widthOf(figure);
    const sorted = [...values].sort((a, b) => b - a);
    const most = Math.floor(WIDTH / 12);
    const short = (name) => (name.length > most ? name.slice(0, most - 1) + "\u2026" : name);
    const top = Math.max(0.01, ...sorted.slice(0, 1).map(Math.abs), ...sorted.slice(-1).map(Math.abs));
    const x = (at) => LEFT + (at / sorted.length) * (WIDTH - LEFT - RIGHT);
    const y = (value) => TOP + (1 - (value / top + 1) / 2) * (HEIGHT - TOP - BOTTOM);
    const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", focusable: "false",
      "aria-label": `Differences of ${sorted.length} queries in falling order; the table below has the numbers.` });
    for (const at of [-top, 0, top]) {
      svg.append(draw("line", { x1: LEFT, x2: WIDTH - RIGHT, y1: y(at), y2: y(at), class: "grid" }),
        draw("text", { x: LEFT - 6, y: y(at) + 4, "text-anchor": "end" }, squtr.number(at, 2)));
    }
    for (const [kind, keep] of [["area-up", (v) => v > 0], ["area-down", (v) => v < 0]]) {
      let path = "";
      sorted.forEach((value, at) => { if (keep(value)) path += `M${x(at).toFixed(2)} ${y(0).toFixed(2)}V${y(value).toFixed(2)}H${x(at + 1).toFixed(2)}V${y(0).toFixed(2)}z`; });
      svg.append(draw("path", { d: path, class: kind }));
    }
    svg.append(draw("text", { x: WIDTH - RIGHT - 8, y: TOP + 18, "text-anchor": "end" }, short(names[0]) + " better"),
      draw("text", { x: LEFT + 8, y: HEIGHT - BOTTOM - 10 }, short(names[1]) + " better"));
    figure.replaceChildren(svg, squtr.element("figcaption", {}, "Difference of each query, in falling order."));
  }

  return { alongNoise, curves, differences };
})();
