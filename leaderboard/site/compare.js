"use strict";
// Two systems on the same queries: loaded a subset at a time.
(() => {
  const { element, number, visible, options, state, remember, reopened, hardest, load, chart } = squtr;
  const board = squtr.values;
  const STEPS = 10000, PAGE = 100, RESAMPLES = 2000;
  const form = document.getElementById("controls");
  const field = (name) => form.elements.namedItem(name);
  const [head, body] = ["thead", "tbody"].map((name) => document.querySelector("#queries " + name));
  const which = document.getElementById("which");
  const more = document.getElementById("more");
  let rows = [], shown = PAGE, asked = 0;

  const data = () => board.data.find((one) => one.name === field("data").value);
  const systems = () => board.systems.filter((one) => board.data[one.data] === data());
  const named = (id) => board.systems.find((one) => one.id === id);

  const leading = (one) => {
    const found = Object.values(one.parts)[0].scores[hardest(data())];
    return found && found[0][0] !== null ? found[0][0] : -1;
  };

  function fill(wanted) {
    const start = wanted.data || board.data[(named(wanted.first) || { data: 0 }).data].name;
    options(field("data"), board.data.map((one) => [one.name, one.name]), start);
    document.getElementById("data-label").hidden = board.data.length < 2;
    const rows = systems().map((one) => [one.id, one.name]).sort((a, b) => (a[1] < b[1] ? -1 : 1));
    const has = (id) => rows.some(([one]) => one === id);
    const best = systems().sort((a, b) => leading(b) - leading(a) || (a.name < b.name ? -1 : 1)).map((one) => one.id);
    const first = has(wanted.first) ? wanted.first : best[0];
    options(field("first"), rows, first);
    options(field("second"), rows, has(wanted.second) ? wanted.second : best.find((one) => one !== first) || first);
    const shared = Object.keys(data().subsets).filter((key) => ["first", "second"].every((one) => named(field(one).value).parts[key]));
    options(field("part"), shared.map((key) => [key, key]), shared.includes(wanted.part) ? wanted.part : shared[0]);
    const both = data().conditions.filter((one) => shared.length && ["first", "second"].every((s) => named(field(s).value).parts[field("part").value].scores[one.id]));
    options(field("condition"), both.map((one) => [one.id, one.label]), both.some((one) => one.id === wanted.condition) ? wanted.condition : both.length ? hardest({ conditions: both }) : "");
  }

  function empty(why) {
    rows = [];
    document.getElementById("status").textContent = why;
    for (const name of ["summary", "differences", "curves"]) document.getElementById(name).replaceChildren();
    show();
  }

  async function compare() {
    const mine = ++asked;
    const [first, second, key, condition] = ["first", "second", "part", "condition"].map((name) => field(name).value);
    remember({ data: field("data").value, first, second, part: key, condition });
    if (!key || !condition) { empty("These two have no subset and condition in common."); return; }
    const place = board.data.indexOf(data());
    let found;
    try {
      found = await Promise.all([load(`queries/${place}/${key}`, `data/queries/${place}/${key}.js`),
        ...[first, second].map((id) => load(`systems/${id}/${key}`, `data/scores/${key}/${id}.js`))]);
    } catch (error) { empty(error.message); return; }
    if (mine !== asked) return;
    const [queries, ...scores] = found;
    const [a, b] = scores.map((one) => one.steps[one.conditions.indexOf(condition)]);
    rows = queries.map((query, at) => ({ query, first: a[at] / STEPS, second: b[at] / STEPS, difference: (a[at] - b[at]) / STEPS }));
    rows.sort((x, y) => Math.abs(y.difference) - Math.abs(x.difference) || (x.query < y.query ? -1 : 1));
    shown = PAGE;
    document.getElementById("status").textContent = "";
    summarise();
    show();
  }

  // A linear congruential generator (Knuth's MMIX constants would need 64 bits; these are of Numerical Recipes).
  function resampledMeans(values) {
    let seed = 1;
    const means = new Float64Array(RESAMPLES);
    for (let draw = 0; draw < RESAMPLES; draw++) {
      let sum = 0;
      for (let at = 0; at < values.length; at++) {
        seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
        sum += values[Math.floor((seed / 4294967296) * values.length)];
      }
      means[draw] = sum / values.length;
    }
    return means.sort();
  }

  function summarise() {
    const values = rows.map((row) => row.difference);
    const mean = (one) => named(field(one).value).parts[field("part").value].scores[field("condition").value][0][0];
    const means = resampledMeans(values);
    const [low, high] = [means[Math.floor(0.025 * RESAMPLES)], means[Math.ceil(0.975 * RESAMPLES) - 1]];
    const names = ["first", "second"].map((one) => named(field(one).value).name);
    const fact = (label, value) => element("li", {}, label + " ", element("strong", {}, value));
    document.getElementById("summary").replaceChildren(element("ul", { class: "facts" },
      fact(names[0], number(mean("first"), 4)), fact(names[1], number(mean("second"), 4)),
      fact("difference", `${number(values.reduce((sum, one) => sum + one, 0) / values.length, 4)} (${number(low, 4)} to ${number(high, 4)})`),
      fact("first better", String(values.filter((one) => one > 0).length)),
      fact("same", String(values.filter((one) => one === 0).length)),
      fact("second better", String(values.filter((one) => one < 0).length))),
      element("p", { class: "remark" }, `${board.measures[0]} of ${rows.length} queries. The interval is the 95 % percentile bootstrap of the paired difference, ${RESAMPLES} resamples.`));
    chart.differences(document.getElementById("differences"), values, names);
    const conditions = data().conditions.filter((one) => ["first", "second"].some((s) => named(field(s).value).parts[field("part").value].scores[one.id]));
    chart.curves(document.getElementById("curves"), ["first", "second"].map((one) => named(field(one).value)).map((one) => ({ name: one.name,
      points: Object.fromEntries(Object.entries(one.parts[field("part").value].scores).map(([id, found]) => [id, found[0]])) })), chart.alongNoise(conditions, field("condition").value), board.measures[0],
      `${board.measures[0]}, ${field("part").value}, with 95 % intervals.`);
  }

  const wanted = () => rows.filter((row) => ({ all: true, first: row.difference > 0, second: row.difference < 0, tie: row.difference === 0 })[which.value]);

  function show() {
    const kept = wanted();
    const names = ["first", "second"].map((one) => (named(field(one).value) || { name: "" }).name);
    head.replaceChildren(element("tr", {}, element("th", { scope: "col" }, "Query"), ...[...names, "Difference"].map((name) => element("th", { scope: "col", class: "number" }, name))));
    body.replaceChildren(...kept.slice(0, shown).map((row) => element("tr", {}, element("th", { scope: "row" }, visible(row.query)),
      ...["first", "second", "difference"].map((name) => element("td", { class: "number" }, number(row[name], 4))))));
    more.hidden = kept.length <= shown;
    more.textContent = `Show more (${kept.length - shown} left)`;
  }

  function save(name, kind, text) {
    const address = URL.createObjectURL(new Blob([text], { type: kind }));
    element("a", { href: address, download: name }).click();
    URL.revokeObjectURL(address);
  }

  const quoted = (text) => `"${(/^[=+\-@\t\r\uff1d\uff0b\uff0d\uff20]/.test(text) ? "'" + text : text).replaceAll('"', '""')}"`;
  document.getElementById("csv").addEventListener("click", () => save("comparison.csv", "text/csv",
    ["query,first,second,difference", ...wanted().map((row) => [quoted(row.query), row.first, row.second, row.difference].join(","))].join("\n") + "\n"));
  document.getElementById("json").addEventListener("click", () => save("comparison.json", "application/json",
    JSON.stringify({ ...Object.fromEntries(new FormData(form)), measure: board.measures[0], queries: wanted() }, null, 1) + "\n"));
  which.addEventListener("change", () => { shown = PAGE; show(); });
  more.addEventListener("click", () => { shown += 10 * PAGE; show(); });
  form.addEventListener("change", () => { fill(Object.fromEntries(new FormData(form))); compare(); });
  reopened(() => { fill(state()); compare(); });
  if (board.systems.length) { fill(state()); compare(); }
})();
