// The score sheet of an episode, line by line, and the facts of its task.

import { el, number, visible } from "./dom.js";

export function sheet(score) {
  const graded = score.status === "graded";
  return el("section", { className: "panel" }, el("h2", {}, "Score"),
    graded ? totals(score) : el("p", {}, el("span", { className: "mark ungraded" }, "ungraded"), " ", visible(score.reason)),
    score.checks.length ? lines("Checks", score.checks.map(check)) : null,
    score.gates.length ? lines("Gates", score.gates.map(gate)) : null,
    score.false_claim ? el("p", { className: "warn" }, "The last reply claims a change, but nothing was changed.") : null);
}

function totals(score) {
  const parts = ["value", "completion", "safety", "robustness", "format", "efficiency"];
  return el("dl", { className: "facts" }, parts
    .filter((name) => score[name] !== null)
    .map((name) => el("div", {}, el("dt", {}, name), el("dd", { className: "number" }, number(score[name])))));
}

function lines(title, rows) {
  return [el("h3", {}, title), el("ul", { className: "sheet" }, rows)];
}

function check({ name, weight, value, why }) {
  const mark = value > 1 - 1e-9 ? "solved" : value > 0 ? "partly" : "failed";
  return line(name, `weight ${number(weight)}`, why, el("span", { className: `mark ${mark}` }, number(value)));
}

function gate({ name, severity, breached, why }) {
  const verdict = el("span", { className: `mark ${breached ? "breach" : "solved"}` }, breached ? "breached" : "kept");
  return line(name, `severity ${number(severity)}`, why, verdict);
}

function line(name, share, why, verdict) {
  return el("li", {}, el("p", {}, el("span", { className: "name", dir: "auto" }, visible(name)), verdict),
    el("p", { className: "quiet why", dir: "auto" }, `${share} · `, visible(why)));
}

export function facts({ facts: known, score }, row) {
  const { task, usage } = known;
  const pairs = [
    ["policy", known.policy], ["ended by", known.ended], ["steps", `${known.steps} of at most ${task.max_steps}`],
    ["reference", `${task.reference_calls} calls`], ["stages", task.stages], ["tags", task.tags.join(", ")],
    ["tokens", `${usage.prompt_tokens.toLocaleString("en")} read, ${usage.completion_tokens.toLocaleString("en")} written, ${usage.answers} answers`],
    ["seconds", number(row.seconds)], ["split", row.split], ["version", row.version], ["seed", row.seed], ["task digest", task.digest || "–"],
  ];
  return el("section", { className: "panel" }, el("h2", {}, "Facts"),
    el("dl", { className: "pairs" }, pairs.map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value)))),
    el("details", {}, el("summary", {}, `${task.tools.length} tools`),
      el("ul", { className: "tools mono" }, task.tools.map((tool) => el("li", {}, tool)))));
}
