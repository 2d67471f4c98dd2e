// One episode: what was asked, what was done, what it changed and earned; step by step.

import { el, marks, number, prose, visible } from "./dom.js";
import { jsonBlock } from "./json.js";
import { facts, sheet } from "./score.js";
import { diff, net } from "./world.js";

const SPEAKERS = { system: "Rules", user: "User", assistant: "Agent" };

/** Shows an episode; returns what answers keys. */
export function showEpisode(main, page, neighbours, step) {
  const { row } = page;
  const place = neighbours.indexOf(row.id);
  const [before, after] = place < 0 ? [] : [neighbours[place - 1], neighbours[place + 1]];
  const position = place < 0 ? "" : `${place + 1} of ${neighbours.length}`;
  const heading = el("h1", { tabIndex: -1 }, row.package, " ",
    el("span", { className: "variant" }, variant(row)));
  const top = el("div", { className: "heading" },
    el("nav", { className: "walk", "aria-label": "Episodes" },
      el("a", { href: "#/", click: back }, "All episodes"), el("span", { className: "quiet" }, position),
      turn("← Previous", before), turn("Next →", after)),
    heading,
    el("p", { className: "outcome" }, marks(row), el("span", { className: "score" }, "score ", el("b", {}, number(row.score))),
      el("code", { className: "quiet" }, row.id)));
  document.title = `${row.package} ${row.seed}/${row.sample} · coworkgym`;
  const replay = page.void ? { element: voidNote(page.void), move: () => {} } : replayOf(page, step, row, heading);
  main.replaceChildren(top, replay.element);
  scrollTo(0, 0);
  heading.focus({ preventScroll: true });
  replay.start?.();
  return (event) => {
    const go = { j: after, k: before }[event.key];
    if (go) location.hash = `#/episode/${go}`;
    if (event.key === "Escape") back(event);
    if (event.target.matches?.("[type=range]")) return;
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by) {
      event.preventDefault();
      replay.move(by);
    }
  };
}

function variant(row) {
  return `${row.level} · ${row.language} · seed ${row.seed} · sample ${row.sample}`;
}

function back(event) {
  event.preventDefault();
  let query = "";
  try {
    query = sessionStorage.getItem("coworkgym.filter") ?? "";
  } catch {
    // a browser that keeps nothing
  }
  location.hash = `#/${query}`;
}

function turn(text, id) {
  return id ? el("a", { href: `#/episode/${encodeURI(id)}` }, text) : el("span", { className: "quiet" }, text);
}

function voidNote(reason) {
  return el("div", { className: "problem" }, el("p", {}, `This episode did not come to an end: ${reason.reason}, tried ${reason.attempts} times.`),
    el("p", { className: "mono" }, visible(reason.error)));
}

/** Transcript, slider and panels, and what moves them. */
function replayOf(page, wanted, row, heading) {
  const last = page.facts.steps;
  let step = Number.isInteger(wanted) ? Math.min(Math.max(wanted, 0), last) : last;
  let noting = 0;
  const cards = [];
  const transcript = el("section", { className: "transcript", "aria-label": "Transcript" },
    el("h2", { className: "unseen" }, "Transcript"), page.entries.map((entry) => entryOf(entry, cards)));
  const slider = el("input", { type: "range", min: 0, max: last, value: step, id: "step", input: () => set(Number(slider.value)) });
  const told = el("output", { htmlFor: "step" });
  const world = el("div", { className: "world", tabIndex: 0, role: "group", "aria-label": "Records that differ from the start" });
  const worldTitle = el("h2");
  const arrow = (text, name, by) => el("button", { type: "button", "aria-label": name, click: () => move(by) }, text);

  function set(to, follow = true) {
    step = Math.min(Math.max(to, 0), last);
    slider.value = step;
    told.textContent = `step ${step} of ${last}`;
    slider.setAttribute("aria-valuetext", told.textContent);
    for (const card of cards) {
      const at = Number(card.dataset.step);
      card.classList.toggle("current", at === step);
      card.classList.toggle("later", at > step);
    }
    const changes = net(page.entries, step);
    worldTitle.textContent = `Changed by step ${step}`;
    world.replaceChildren(changes.length ? diff(changes) : el("p", { className: "quiet" }, "Nothing has been changed."));
    clearTimeout(noting);
    noting = setTimeout(note, 100); // browsers refuse an address that changes all the time
    if (follow) show();
  }

  function note() {
    const address = `#/episode/${encodeURI(row.id)}`;
    if (location.hash.split("?")[0] === address) history.replaceState(null, "", `${address}?step=${step}`);
  }

  function show() {
    const card = cards.find((one) => Number(one.dataset.step) === step);
    if (card) card.scrollIntoView({ block: "start" });
    else if (step === 0) scrollTo(0, 0);
  }

  const move = (by) => set(step + by);
  const which = el("span", { className: "which" }, el("b", {}, row.package), ` ${variant(row)}`);
  const bar = el("div", { className: "replay" }, which,
    arrow("◀", "one step back", -1), el("label", { htmlFor: "step", className: "unseen" }, "step"), slider,
    arrow("▶", "one step on", 1), told,
    el("span", { className: "keys quiet" }, el("kbd", {}, "←"), " ", el("kbd", {}, "→"), " steps ", el("kbd", {}, "j"), " ", el("kbd", {}, "k"), " episodes"));
  const aside = el("aside", { "aria-label": "Score and changes" }, 
    el("section", { className: "panel" }, worldTitle, world), sheet(page.score), facts(page, row));
  new IntersectionObserver(([seen]) => bar.classList.toggle("alone", !seen.isIntersecting)).observe(heading);
  const element = el("div", { className: "episode" }, bar, el("div", { className: "columns" }, transcript, aside));
  return { element, move, start: () => set(step, Number.isInteger(wanted)) };
}

function entryOf(entry, cards) {
  if (entry.kind === "world") {
    return el("article", { className: "entry world-entry" }, el("h3", {}, "The system changed, before stage ", entry.stage + 1), diff(entry.changes));
  }
  const speaker = SPEAKERS[entry.kind] ?? entry.kind;
  const card = el("article", { className: `entry ${entry.kind}` },
    entry.kind === "assistant" && entry.calls && !entry.content ? null : el("h3", {}, speaker, entry.step ? stepBadge(entry.step) : null, errorOf(entry)),
    entry.reasoning ? el("details", { className: "reasoning" }, el("summary", {}, "Reasoning"), prose(entry.reasoning)) : null,
    entry.content ? prose(entry.content) : entry.kind === "assistant" && !entry.calls ? el("p", { className: "quiet" }, "An empty message.") : null,
    (entry.calls ?? []).map((call) => callOf(call, cards)),
    entry.changes?.length ? diff(entry.changes) : null);
  if (entry.step) {
    card.dataset.step = entry.step;
    cards.push(card);
  }
  return card;
}

function callOf(call, cards) {
  const said = call.name === "reply" && !call.error ? replyOf(call.arguments) : null;
  const parts = said !== null ? prose(said) : [
    call.arguments === "{}" ? null : part("Arguments", jsonBlock(call.arguments)),
    part("Result", jsonBlock(call.result)),
  ];
  const card = el("div", { className: `call ${call.error ? "failing" : ""}` },
    el("h3", {}, call.step ? stepBadge(call.step) : null, el("bdi", { className: "mono" }, visible(call.name)), errorOf(call)),
    el("div", { className: "beside" },
      el("div", {}, parts),
      call.changes?.length ? el("div", {}, part("Changes", diff(call.changes))) : null));
  if (call.step) {
    card.dataset.step = call.step;
    cards.push(card);
  }
  return card;
}

/** The text of a reply; null where it is not the one argument. */
function replyOf(text) {
  try {
    const given = JSON.parse(text);
    return typeof given.text === "string" && Object.keys(given).length === 1 ? given.text : null;
  } catch {
    return null;
  }
}

function part(name, content) {
  return el("div", { className: "part" }, el("p", { className: "label" }, name), content);
}

function stepBadge(step) {
  return el("span", { className: "badge" }, el("span", { className: "unseen" }, "step "), step);
}

function errorOf(deed) {
  return deed.error ? el("span", { className: "error" }, "error: ", deed.error) : null;
}
