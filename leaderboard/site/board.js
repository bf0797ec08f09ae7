"use strict";
// The board: choose, filter, sort, tick systems for the curves. The address keeps what is shown.
(() => {
  const { element, number, percent, options, state, remember, reopened, hardest, chart } = squtr;
  const board = squtr.values;
  const form = document.getElementById("controls");
  const [head, body] = ["thead", "tbody"].map((name) => document.querySelector("#board " + name));
  const SIZES = { "": [-1, Infinity], small: [-1, 1e8], medium: [1e8, 1e9], large: [1e9, 1e10], huge: [1e10, Infinity] };
  const MOST_CURVES = 8, FIRST_ROWS = 50;
  const more = document.getElementById("more");
  const narrow = matchMedia("(max-width: 40rem)");
  const field = (name) => form.elements.namedItem(name);
  let sort = { by: "score", up: false };
  let ticked = [], shown = FIRST_ROWS;

  const data = () => board.data.find((one) => one.name === field("data").value);
  const language = () => data().languages.find((one) => one.code === field("language").value);
  const systems = () => board.systems.filter((one) => board.data[one.data] === data());
  const part = (system) => system.parts[field("part").value];
  const measure = () => Number(field("measure").value);
  const conditions = () => data().conditions.filter((one) => systems().some((s) => part(s) && part(s).scores[one.id]));
  const score = (system, condition, what = measure()) => {
    const found = part(system) && part(system).scores[condition];
    return found ? found[what] : null;
  };
  const noisy = () => (field("condition").value in { text: 1, clean: 1 } ? hardest(data()) : field("condition").value);

  const spoken = () => (field("condition").value === "text" ? hardest(data()) : field("condition").value);

  function fill(wanted) {
    options(field("data"), board.data.map((one) => [one.name, one.name + (one.slice ? " (slice)" : "")]), wanted.data);
    document.getElementById("data-label").hidden = board.data.length < 2;
    const used = systems();
    const spoken = data().languages.filter((one) => used.some((s) => s.parts[one.code]));
    options(field("language"), spoken.map((one) => [one.code, one.name]), spoken.some((one) => one.code === wanted.language) ? wanted.language : spoken[0].code);
    const subsets = language().subsets;
    options(field("part"), [[language().code, "mean of " + (subsets.length === 1 ? "1 subset" : subsets.length + " subsets")], ...subsets.map((key) => [key, data().subsets[key]])],
      [language().code, ...subsets].includes(wanted.part) ? wanted.part : language().code);
    const can = conditions();
    options(field("condition"), can.map((one) => [one.id, one.label]), can.some((one) => one.id === wanted.condition) ? wanted.condition : hardest({ conditions: can }));
    options(field("measure"), board.measures.map((name, at) => [String(at), name]), wanted.measure || "0");
    options(field("family"), [["", "all"], ...Object.entries(board.families)], wanted.family || "");
    options(field("size"), [["", "all"], ["small", "up to 100 M"], ["medium", "100 M to 1 B"], ["large", "1 B to 10 B"], ["huge", "over 10 B"]], wanted.size || "");
    options(field("training"), [["", "all"], ["zero", "zero-shot here"], ["seen", "trained on a subset here"]], wanted.training || "");
    options(field("licence"), [["", "all"], ...[...new Set(used.map((s) => s.licence))].sort().map((one) => [one, one])], wanted.licence || "");
    if (wanted.name !== undefined) field("name").value = wanted.name;
  }

  function passes(system) {
    const [least, most] = SIZES[field("size").value];
    const seen = system.seen.some((key) => language().subsets.includes(key));
    const name = field("name").value.trim().toLowerCase();
    return (!field("family").value || system.family === field("family").value)
      && system.parameters > least && system.parameters <= most
      && (!field("training").value || seen === (field("training").value === "seen"))
      && (!field("licence").value || system.licence === field("licence").value)
      && (!name || system.name.toLowerCase().includes(name) || system.id.toLowerCase().includes(name));
  }

  const KEYS = {
    name: (s) => s.name.toLowerCase(),
    size: (s) => s.parameters,
    score: (s) => (score(s, field("condition").value) || [null])[0],
    text: (s) => part(s).text[noisy()],
    clean: (s) => part(s).clean[noisy()],
    slope: (s) => part(s).slope,
    area: (s) => part(s).area,
    heard: (s) => part(s).heard[spoken()],
  };
  const RISES = new Set(["name", "size", "text", "clean", "slope", "heard"]);

  // On a phone the score that sorts comes first, where it is seen.
  function columns() {
    const chosen = (one) => narrow.matches && one.id === field("condition").value;
    return [...conditions().filter(chosen), ...conditions().filter((one) => !chosen(one))];
  }

  // The board has four digits; where they are equal, ranks have all of them.
  const rank = (system) => (sort.by === "score" && measure() === 0 ? score(system, field("condition").value, board.measures.length)[0] : 0);

  function ordered(rows) {
    const key = KEYS[sort.by];
    const way = sort.up ? 1 : -1;
    return rows.map((one) => [key(one), one]).sort(([a, x], [b, y]) => {
      if (a === b) return way * (rank(y) - rank(x)) || (x.name < y.name ? -1 : 1);
      if (a === null || a === undefined) return 1;
      if (b === null || b === undefined) return -1;
      return a < b ? -way : way;
    }).map(([, one]) => one);
  }

  function heading(label, by, condition, kind, title) {
    const sorted = condition ? sort.by === "score" && condition === field("condition").value : sort.by === by;
    const button = element("button", { type: "button", "data-by": by, "data-condition": condition || null, title: title || null }, label);
    return element("th", { scope: "col", class: kind, "aria-sort": sorted ? (sort.up ? "ascending" : "descending") : null }, button);
  }

  function showHead(can, heard) {
    const to = can.find((one) => one.id === noisy());
    const label = to ? to.label : "noise";
    const at = can.find((one) => one.id === spoken());
    head.replaceChildren(element("tr", {},
      element("th", { scope: "col", class: "rank" }, "Rank"),
      heading("System", "name", null, "name"),
      heading("Size", "size", null, "number size", "parameters of all models"),
      ...can.map((one) => heading(one.label, "score", one.id, "number")),
      heading("Loss against text, " + label, "text", null, "number"),
      heading("Loss against clean, " + label, "clean", null, "number"),
      heading("Slope per dB", "slope", null, "number"),
      heading("Area", "area", null, "number"),
      heard ? heading(language().rate + ", " + (at ? at.label : "noise"), "heard", null, "number", "error rate of the transcripts") : null,
      element("th", { scope: "col", class: "number" }, "Group")));
  }

  function cell(found, chosen) {
    if (!found || found[0] === null) return element("td", { class: "number" + (chosen ? " chosen" : "") }, "\u2013");
    return element("td", { class: "number" + (chosen ? " chosen" : "") }, number(found[0], 4), element("small", {}, number(found[1], 3) + "\u2013" + number(found[2], 3)));
  }

  function row(system, can, place, fresh, heard) {
    const found = part(system);
    const main = measure() === 0;
    const here = found.scores[field("condition").value];
    const standing = main && here ? here[board.measures.length] : null;
    const box = element("input", { type: "checkbox", "data-system": system.id, "aria-label": "Draw " + system.name, checked: ticked.includes(system.id) });
    box.checked = ticked.includes(system.id);
    const seen = system.seen.filter((key) => language().subsets.includes(key)).map((key) => data().subsets[key]);
    return element("tr", { class: fresh ? "new-group" : null, "data-id": system.id },
      element("td", { class: "rank" }, element("label", {}, box, String(standing ? standing[0] : place)), standing ? element("small", {}, standing[1] + "\u2013" + standing[2]) : null),
      element("th", { scope: "row" }, element("a", { href: "systems/" + encodeURIComponent(system.id) + ".html" }, system.name),
        element("small", {}, board.families[system.family] + (seen.length ? "; trained on " + seen.join(", ") : "; zero-shot") + "; " + system.licence)),
      element("td", { class: "number size" }, system.size),
      ...can.map((one) => cell(score(system, one.id), one.id === field("condition").value)),
      element("td", { class: "number" }, percent(found.text[noisy()])),
      element("td", { class: "number" }, percent(found.clean[noisy()])),
      element("td", { class: "number" }, number(found.slope, 5)),
      element("td", { class: "number" }, number(found.area, 3)),
      heard ? element("td", { class: "number" }, percent(found.heard[spoken()])) : null,
      element("td", { class: "number" }, standing ? String(standing[3]) : "\u2013"));
  }

  function show() {
    const can = columns();
    const condition = field("condition").value;
    const having = systems().filter((one) => part(one) && score(one, condition));
    const heard = having.some((one) => spoken() in part(one).heard);
    if (sort.by === "heard" && !heard) sort = { by: "score", up: false };
    const rows = ordered(having.filter(passes));
    const grouped = sort.by === "score" && !sort.up && measure() === 0;
    let group = null;
    showHead(can, heard);
    body.replaceChildren(...rows.slice(0, shown).map((system, at) => {
      const mine = grouped ? part(system).scores[condition][board.measures.length][3] : null;
      const fresh = group !== null && mine !== group;
      group = mine;
      return row(system, can, at + 1, fresh, heard);
    }));
    more.hidden = rows.length <= shown;
    more.textContent = `Show all ${rows.length}`;
    const without = systems().length - having.length;
    const label = can.find((one) => one.id === condition).label;
    document.getElementById("status").textContent = `${rows.length} of ${having.length} ${having.length === 1 ? "system" : "systems"}; ${board.measures[measure()]}, `
      + `${field("part").selectedOptions[0].textContent}, ${label}.` + (without ? ` ${without} without a run here.` : "");
    draw(rows);
    remember({ data: field("data").value, language: field("language").value, part: field("part").value === field("language").value ? "" : field("part").value,
      condition, measure: field("measure").value === "0" ? "" : field("measure").value, family: field("family").value, size: field("size").value,
      training: field("training").value, licence: field("licence").value, name: field("name").value,
      sort: sort.by === "score" && !sort.up ? "" : sort.by + (sort.up ? "" : "-down"), draw: ticked.join(",") });
  }

  function draw(rows) {
    const known = new Map(systems().map((one) => [one.id, one]));
    const chosen = ticked.filter((id) => known.has(id)).map((id) => known.get(id));
    const drawn = chosen.length ? chosen : rows.slice(0, 3);
    const label = field("condition").selectedOptions[0].textContent;
    const behind = label.includes(", ") ? label.slice(0, label.lastIndexOf(", ") + 2) : "";
    chart.curves(document.getElementById("curves"),
      drawn.filter(part).map((one) => ({ name: one.name, points: Object.fromEntries(Object.entries(part(one).scores).map(([id, found]) => [id, found[measure()]])) })),
      chart.alongNoise(conditions(), field("condition").value), board.measures[measure()],
      `${board.measures[measure()]}, ${language().name}, ${field("part").selectedOptions[0].textContent}, ${behind}with 95 % intervals.` + (chosen.length ? "" : " The first three of the board, until you tick some."));
    const link = document.getElementById("compare-link");
    link.hidden = chosen.length < 2;
    if (chosen.length > 1) {
      const subset = field("part").value.includes("/") ? field("part").value : language().subsets[0];
      link.href = "compare.html#" + new URLSearchParams({ data: field("data").value, first: chosen[0].id, second: chosen[1].id, part: subset, condition: field("condition").value });
    }
  }

  form.addEventListener("change", (event) => {
    if (event.target.name === "name") return; // it was shown as it was typed; drawn anew, a heading would lose the click that left the field
    const now = Object.fromEntries(new FormData(form));
    if (["data", "language", "part"].includes(event.target.name)) fill(now);
    show();
  });
  form.addEventListener("input", (event) => { if (event.target.name === "name") show(); });
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("reset", (event) => {
    event.preventDefault();
    field("name").value = "";
    sort = { by: "score", up: false };
    ticked = [];
    fill({ name: "" });
    show();
  });
  more.addEventListener("click", () => {
    const next = body.rows.length;
    shown = Infinity;
    show();
    body.rows[next].querySelector("a").focus();
  });
  head.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    const { by, condition } = button.dataset;
    const same = sort.by === by && (!condition || condition === field("condition").value);
    sort = { by, up: same ? !sort.up : RISES.has(by) };
    if (condition) field("condition").value = condition;
    show();
    const again = [...head.querySelectorAll("button")].find((one) => one.dataset.by === by && (one.dataset.condition || "") === (condition || ""));
    if (again) again.focus();
  });
  body.addEventListener("change", (event) => {
    const id = event.target.dataset.system;
    ticked = event.target.checked ? [...ticked, id] : ticked.filter((one) => one !== id);
    if (ticked.length > MOST_CURVES) {
      const dropped = ticked.shift();
      const box = [...body.querySelectorAll("input")].find((one) => one.dataset.system === dropped);
      if (box) box.checked = false;
    }
    show();
    const box = [...body.querySelectorAll("input")].find((one) => one.dataset.system === id);
    if (box) box.focus();
  });

  function open() {
    const wanted = state();
    ticked = (wanted.draw || "").split(",").filter((id) => board.systems.some((one) => one.id === id)).slice(0, MOST_CURVES);
    const [by, way] = (wanted.sort || "score-down").split("-");
    sort = Object.hasOwn(KEYS, by) ? { by, up: way !== "down" } : { by: "score", up: false };
    if (!board.systems.length) return;
    fill(wanted);
    show();
  }
  reopened(open);
  narrow.addEventListener("change", show);
  open();
})();
