"use strict";
// The curves of one system: one for each language and subset.
(() => {
  const figure = document.getElementById("curves");
  const board = squtr.values;
  const system = board.systems.find((one) => one.id === figure.dataset.system);
  const data = board.data[system.data];
  const spoken = Object.keys(system.parts).filter((key) => key.includes("/"));
  const conditions = data.conditions.filter((one) => spoken.some((key) => system.parts[key].scores[one.id]));
  squtr.chart.curves(figure,
    spoken.map((key) => ({ name: key, points: Object.fromEntries(Object.entries(system.parts[key].scores).map(([id, found]) => [id, found[0]])) })),
    squtr.chart.alongNoise(conditions, (conditions.find((one) => one.id !== "text") || conditions[0]).id), board.measures[0], board.measures[0] + " by subset, with 95 % intervals.");
})();
