// What is told of a run above its episodes.

import { el } from "./dom.js";

/** Mean score of the graded rows, and how many they are. */
export function mean(rows) {
  const scores = rows.map((row) => row.score).filter((score) => score !== null);
  return [scores.reduce((sum, score) => sum + score, 0) / scores.length, scores.length];
}

export function runFacts(run) {
  const having = (mark) => run.episodes.filter((row) => row.marks.includes(mark)).length;
  const ended = run.episodes.length - having("void");
  const facts = [
    ["policy", run.settings.policy], ["asked", run.asked], ["ended", ended], ["void", having("void")],
    ["ungraded", having("ungraded")], ...(run.pending ? [["still to come", run.pending]] : []),
  ];
  return el("div", { className: "run" },
    el("dl", { className: "facts" }, facts.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    run.pending ? el("p", { className: "quiet" }, "The run is not over; reload to read what has been added.") : null,
    el("details", { className: "settings" }, el("summary", {}, "Settings and versions"),
      pairs({ fingerprint: run.fingerprint, ...run.settings, ...run.versions })));
}

function pairs(all) {
  const shown = (value) => (typeof value === "string" ? value : JSON.stringify(value));
  return el("dl", { className: "pairs" }, Object.entries(all)
    .filter(([, value]) => value !== null && shown(value) !== "{}")
    .map(([name, value]) => el("div", {}, el("dt", {}, name.replace("_", " ")), el("dd", { className: "mono" }, shown(value)))));
}
