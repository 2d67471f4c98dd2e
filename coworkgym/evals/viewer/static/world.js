// What changed in the office: the changes of one step, and what they come to up to a step.

import { el } from "./dom.js";
import { jsonValue } from "./json.js";

const EMPTY = new Set(["null", '""', "[]", "{}"]);

/** A list of changed records, field by field. */
export function diff(changes) {
  return el("ul", { className: "diff" }, changes.map((change) => el("li", {}, head(change), fields(change))));
}

/** All changes up to a step as one for each record; what came back to what it was is left out. */
export function net(entries, step) {
  const records = new Map();
  let reached = 0;
  for (const entry of entries) {
    for (const deed of entry.kind === "world" ? [entry] : (entry.calls ?? [entry])) {
      reached = deed.step ?? reached;
      if (reached > step) return settled(records);
      (deed.changes ?? []).forEach((change) => add(records, change));
    }
  }
  return settled(records);
}

function add(records, change) {
  const key = `${change.table}\n${change.id}`;
  const known = records.get(key) ?? { ...change, was: change.kind !== "created", fields: new Map() };
  for (const [name, before, after] of change.fields) {
    known.fields.set(name, [known.fields.has(name) ? known.fields.get(name)[0] : before, after]);
  }
  known.is = change.kind !== "deleted";
  records.set(key, known);
}

function settled(records) {
  const kept = [];
  for (const { table, id, was, is, fields: all } of records.values()) {
    const changed = [...all].filter(([, [before, after]]) => before !== after);
    if (changed.length === 0 || (!was && !is)) continue;
    const kind = !was ? "created" : is ? "changed" : "deleted";
    kept.push({ table, id, kind, fields: changed.map(([name, [before, after]]) => [name, before, after]) });
  }
  return kept;
}

function head({ table, id, kind }) {
  return el("p", { className: "record" },
    el("span", { className: `kind ${kind}` }, kind), " ",
    el("span", { className: "mono" }, table), " ", el("bdi", { className: "mono id" }, id));
}

function fields({ kind, fields: all }) {
  const told = kind === "changed" ? all : all.filter((field) => !EMPTY.has(field[kind === "created" ? 2 : 1]));
  return el("dl", {}, told.map(([name, before, after]) => [
    el("dt", { className: "mono" }, name),
    el("dd", {}, kind === "created" ? null : value("del", before), kind === "deleted" ? null : value("ins", after)),
  ]));
}

function value(tag, text) {
  return el(tag, {}, text === null ? el("span", { className: "quiet" }, "nothing") : jsonValue(text));
}
