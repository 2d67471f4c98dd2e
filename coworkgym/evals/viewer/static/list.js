// The list of episodes: filters, counts, a table to sort and to walk through with the keyboard.

import { announce, el, marks, number } from "./dom.js";
import { CHOICES, STATUSES, keep, passes, sorted, toQuery } from "./filter.js";
import { mean, runFacts } from "./run.js";

const PAGE = 200; // rows that are made at a time
const COLUMNS = [
  ["task", "Task"], ["score", "Score"], ["outcome", "Outcome"], ["level", "Level"],
  ["language", "Lang."], ["seed", "Seed"], ["sample", "Sample"], ["steps", "Steps"],
  ["ended", "Ended by"], ["tokens", "Tokens"], ["seconds", "Seconds"],
];
const NUMBERS = new Set(["seed", "sample", "score", "steps", "tokens", "seconds"]);

/** Shows the list; returns what answers keys. */
export async function showList(main, run, filter, search, last) {
  let limit = PAGE;
  const body = el("tbody");
  const head = el("tr");
  const count = el("p", { className: "count", role: "status" });
  const more = el("button", { type: "button", className: "more", click: () => { limit += PAGE; fill(); } });
  const columns = COLUMNS.filter(([name]) => name !== "tokens" || run.episodes.some((row) => row.tokens));

  let turn = 0;

  async function changed() {
    if (!body.isConnected || location.hash.startsWith("#/episode/")) return; // gone on meanwhile
    keep(filter);
    history.replaceState(null, "", `#/${toQuery(filter)}`);
    limit = PAGE;
    await fill();
  }

  async function fill() {
    const mine = ++turn;
    const found = filter.text ? await search(filter.text).catch(failed) : new Set();
    if (mine !== turn || found === null) return;
    const rows = sorted(run.episodes.filter((row) => passes(row, filter, found)), filter, run.levels);
    head.replaceChildren(...columns.map(([name, title]) => heading(name, title, filter, changed)));
    body.replaceChildren(...rows.slice(0, limit).map((row) => line(row, columns)));
    more.hidden = rows.length <= limit;
    more.textContent = `Show ${Math.min(PAGE, rows.length - limit)} more of ${rows.length}`;
    count.replaceChildren(...counted(rows, run));
    for (const status of STATUSES) {
      const some = run.episodes.filter((row) => passes(row, filter, found, "status") && row.marks.includes(status));
      document.getElementById(`count-${status}`).textContent = some.length;
    }
  }

  function failed(error) {
    count.replaceChildren(el("span", { className: "problem" }, error.message));
    return null;
  }

  const table = el("table", { className: "episodes" }, el("caption", { className: "unseen" }, "Episodes"),
    el("thead", {}, head), body);
  const scroll = el("div", { className: "scroll", role: "region", "aria-label": "Episodes", tabIndex: 0 }, table);
  main.replaceChildren(
    el("h1", { tabIndex: -1 }, run.name), runFacts(run), controls(run, filter, changed), count, scroll, more,
    el("p", { className: "keys quiet" }, key("↑"), key("↓"), " move ", key("Enter"), " open ", key("/"), " search"),
  );
  document.title = `${run.name} · coworkgym`;
  await fill();
  const start = [...body.querySelectorAll("a")].find((link) => link.dataset.id === last);
  start?.focus();
  return (event) => keys(event, main, body, more);
}

function keys(event, main, body, more) {
  if (event.key === "/") {
    event.preventDefault();
    main.querySelector("#filter-text").focus();
    return;
  }
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const links = [...body.querySelectorAll("a")];
  const next = links.indexOf(document.activeElement) + step;
  if (next >= links.length && !more.hidden) more.click();
  const link = [...body.querySelectorAll("a")][Math.max(0, next)];
  link?.focus();
  link?.scrollIntoView({ block: "nearest" });
}

function key(name) {
  return [el("kbd", {}, name), " "];
}

function counted(rows, run) {
  const [value, graded] = mean(rows);
  const share = el("span", {}, el("b", {}, rows.length), ` of ${run.episodes.length} episodes`);
  const score = graded ? el("span", {}, "mean score ", el("b", {}, number(value)), ` over ${graded} graded`) : null;
  return [share, ...(score ? [score] : [])];
}

function heading(name, title, filter, changed) {
  const current = filter.sort === name;
  const sort = () => {
    filter.down = current ? !filter.down : false;
    filter.sort = name;
    changed().then(() => document.getElementById(`sort-${name}`).focus());
    announce(`sorted by ${title}, ${filter.down ? "descending" : "ascending"}`);
  };
  const order = current ? (filter.down ? "descending" : "ascending") : undefined;
  const arrow = el("span", { "aria-hidden": "true", className: "arrow" }, current ? (filter.down ? "▾" : "▴") : "");
  return el("th", { scope: "col", className: NUMBERS.has(name) ? "number" : "", "aria-sort": order },
    el("button", { type: "button", id: `sort-${name}`, click: sort }, title, arrow));
}

function line(row, columns) {
  const link = el("a", { href: `#/episode/${encodeURI(row.id)}` }, row.package);
  link.dataset.id = row.id;
  const cells = {
    task: () => link,
    score: () => (row.score === null ? "–" : [bar(row.score), number(row.score)]),
    outcome: () => marks(row),
    steps: () => row.steps ?? "–",
    tokens: () => row.tokens.toLocaleString("en"),
    seconds: () => number(row.seconds),
  };
  const made = columns.map(([name]) =>
    el("td", { className: NUMBERS.has(name) ? "number" : "" }, (cells[name] ?? (() => row[name]))()));
  return el("tr", { click: (event) => { if (event.target !== link && !getSelection().toString()) link.click(); } }, made);
}

function bar(score) {
  const span = el("span", { className: "bar", "aria-hidden": "true" });
  span.style.setProperty("--share", score);
  return span;
}

function controls(run, filter, changed) {
  const listed = { package: [], level: run.levels, language: run.languages };
  const select = (name) => {
    const there = new Set(run.episodes.map((row) => row[name]));
    const options = [...new Set([...listed[name], ...[...there].sort()])].filter((one) => there.has(one));
    const choose = (event) => { filter[name] = event.target.value; changed(); };
    const field = el("select", { id: `filter-${name}`, change: choose },
      el("option", { value: "" }, "all"), options.map((one) => el("option", { value: one }, one)));
    field.value = filter[name];
    return label(name, field);
  };
  return el("form", { className: "filters", submit: (event) => event.preventDefault() },
    CHOICES.map(select), range(filter, changed), text(filter, changed), statuses(filter, changed));
}

function label(name, ...fields) {
  return el("div", { className: `field ${name}` }, el("label", { htmlFor: fields[0].id }, name), fields);
}

function range(filter, changed) {
  const field = (name, hint) => el("input", {
    type: "number", min: 0, max: 1, step: 0.05, id: `filter-${name}`, value: filter[name], placeholder: hint,
    "aria-label": name === "from" ? "score from" : "score to",
    change: (event) => { filter[name] = event.target.value; changed(); },
  });
  return el("div", { className: "field score" }, el("span", { className: "label" }, "score"),
    el("span", { className: "pair" }, field("from", "0"), "–", field("to", "1")));
}

function text(filter, changed) {
  let waiting = 0;
  const typed = (event) => {
    filter.text = event.target.value;
    clearTimeout(waiting);
    waiting = setTimeout(changed, 250);
  };
  return label("text", el("input", {
    type: "search", id: "filter-text", value: filter.text, placeholder: "in messages and calls", input: typed,
  }));
}

function statuses(filter, changed) {
  return el("fieldset", {}, el("legend", { className: "unseen" }, "outcome"), STATUSES.map((status) => {
    const toggle = (event) => {
      filter.status = filter.status.filter((name) => name !== status);
      if (event.target.checked) filter.status.push(status);
      changed();
    };
    const box = el("input", { type: "checkbox", checked: filter.status.includes(status), change: toggle, id: `status-${status}` });
    return el("label", { className: "chip" }, box, el("span", { className: `mark ${status}` }, status),
      el("span", { id: `count-${status}`, className: "number" }));
  }));
}
