"use strict";
// What all pages share: values arrive by calls from scripts in data/, since a page opened as a file may not fetch.
window.squtr = (() => {
  const waiting = new Map();
  const known = new Map();

  function arrive(name, value) {
    known.set(name, value);
    (waiting.get(name) || []).forEach((take) => take(value));
    waiting.delete(name);
  }

  function load(name, path) {
    if (known.has(name)) return Promise.resolve(known.get(name));
    return new Promise((take, refuse) => {
      waiting.set(name, [...(waiting.get(name) || []), take]);
      const script = document.createElement("script");
      script.src = path.split("/").map(encodeURIComponent).join("/");
      script.onerror = () => refuse(new Error(path + " could not be loaded"));
      document.head.append(script);
    });
  }

  function element(name, attributes, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      if (key === "class") made.className = value;
      else made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
  }

  // As the pages say it: what acts unseen, such as a turn of direction, is named.
  const visible = (text) => text.replace(/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu,
    (char) => `\u27e8U+${char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}\u27e9`);
  const minus = (text) => text.replace("-", "\u2212");
  const number = (value, digits) => (value === null || value === undefined ? "\u2013" : minus(value.toFixed(digits)).replace(/^\u2212(0\.?0*)$/, "$1"));
  const percent = (value) => (value === null || value === undefined ? "\u2013" : number(100 * value, 1) + "\u202f%");

  function options(select, rows, chosen) {
    select.replaceChildren(...rows.map(([value, label]) => element("option", { value, selected: value === chosen }, label)));
    if (rows.some(([value]) => value === chosen)) select.value = chosen;
  }

  function state() {
    return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  }

  function remember(values) {
    const kept = Object.entries(values).filter(([, value]) => value !== "" && value !== null && value !== undefined);
    const text = "#" + new URLSearchParams(kept).toString();
    if (text !== location.hash) history.replaceState(null, "", text);
  }

  // A link within the page changes the address too, but asks for no other view.
  function reopened(open) {
    window.addEventListener("hashchange", () => { if (!location.hash || location.hash.includes("=")) open(); });
  }

  const hardest = (data) => {
    const noisy = data.conditions.filter((one) => one.id.startsWith("snr_"));
    return (noisy[noisy.length - 1] || data.conditions[data.conditions.length - 1]).id;
  };

  return {
    values: null,
    board(value) { this.values = value; },
    queries(place, key, value) { arrive("queries/" + place + "/" + key, value); },
    scores(system, key, value) { arrive("systems/" + system + "/" + key, value); },
    load, element, visible, number, percent, options, state, remember, reopened, hardest,
  };
})();
