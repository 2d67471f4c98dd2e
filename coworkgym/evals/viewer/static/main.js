// The pages by their address: `#/` the list, `#/episode/<id>?step=n` an episode.

import { el } from "./dom.js";
import { showEpisode } from "./episode.js";
import { fromQuery, keep, kept, passes, sorted } from "./filter.js";
import { showList } from "./list.js";

const main = document.getElementById("main");
const searched = new Map();
let run = null;
let answerKey = () => {};
let lastSeen = null;

async function get(path) {
  const response = await fetch(path);
  const body = await response.json();
  if (!response.ok) throw new Error(body.error);
  return body;
}

async function search(text) {
  if (!searched.has(text)) searched.set(text, new Set((await get(`/api/search?text=${encodeURIComponent(text)}`)).ids));
  return searched.get(text);
}

/** The ids that the filter of this tab leaves, in its order. */
async function neighbours() {
  const filter = kept();
  const found = filter.text ? await search(filter.text) : new Set();
  return sorted(run.episodes.filter((row) => passes(row, filter, found)), filter, run.levels).map((row) => row.id);
}

async function route() {
  const address = location.hash;
  try {
    if (run === null) run = await get("/api/run");
    document.getElementById("run-name").textContent = run.name;
    const [path, query] = address.replace(/^#\/?/, "").split("?");
    const episode = path.startsWith("episode/") ? decodeURI(path.slice("episode/".length)) : null;
    if (episode === null) {
      const filter = fromQuery(query ?? "");
      keep(filter);
      answerKey = await showList(main, run, filter, search, lastSeen);
      return;
    }
    const page = await get(`/api/episode/${encodeURI(episode)}`);
    if (location.hash !== address) return; // gone on meanwhile
    lastSeen = episode;
    answerKey = showEpisode(main, page, await neighbours(), Number(new URLSearchParams(query).get("step") ?? NaN));
  } catch (error) {
    answerKey = () => {};
    main.replaceChildren(el("h1", {}, "This cannot be shown"), el("p", { className: "problem", role: "alert" }, error.message),
      el("p", {}, el("a", { href: "#/" }, "All episodes")));
  }
}

function typing(target) {
  return target.matches?.("input:not([type=range], [type=checkbox]), select, textarea");
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
  answerKey(event);
});

const THEMES = ["auto", "light", "dark"];
const button = document.getElementById("theme");

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  button.textContent = `Theme: ${theme}`;
  try {
    localStorage.setItem("coworkgym.theme", theme);
  } catch {
    // a browser that keeps nothing
  }
}

function storedTheme() {
  try {
    return localStorage.getItem("coworkgym.theme");
  } catch {
    return null;
  }
}

button.addEventListener("click", () => {
  setTheme(THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length]);
});
setTheme(THEMES.includes(storedTheme()) ? storedTheme() : "auto");
addEventListener("hashchange", route);
route();
