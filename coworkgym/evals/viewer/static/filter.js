// The filter of the list: kept in the address, and for the tab, so that an episode knows its neighbours.

export const STATUSES = ["solved", "failed", "breach", "ungraded", "truncated", "void"];
export const CHOICES = ["package", "level", "language"];
const KEPT = "coworkgym.filter";

/** The filter of an address such as `#/?level=easy&status=failed,breach&sort=score`. */
export function fromQuery(query) {
  const given = new URLSearchParams(query);
  const choice = (name) => given.get(name) ?? "";
  return {
    ...Object.fromEntries(CHOICES.map((name) => [name, choice(name)])),
    status: choice("status").split(",").filter((name) => STATUSES.includes(name)),
    from: choice("from"),
    to: choice("to"),
    text: choice("text"),
    sort: choice("sort") || "task",
    down: choice("order") === "down",
  };
}

export function toQuery(filter) {
  const query = new URLSearchParams();
  for (const name of [...CHOICES, "from", "to", "text"]) if (filter[name]) query.set(name, filter[name]);
  if (filter.status.length) query.set("status", filter.status.join(","));
  if (filter.sort !== "task") query.set("sort", filter.sort);
  if (filter.down) query.set("order", "down");
  const text = query.toString();
  return text ? `?${text}` : "";
}

export function keep(filter) {
  try {
    sessionStorage.setItem(KEPT, toQuery(filter));
  } catch {
    // a browser that keeps nothing
  }
}

export function kept() {
  try {
    return fromQuery(sessionStorage.getItem(KEPT) ?? "");
  } catch {
    return fromQuery("");
  }
}

/** Whether a row passes; `without` is a part of the filter that does not count. */
export function passes(row, filter, found, without = "") {
  const within = (name, test) => name === without || test;
  return (
    CHOICES.every((name) => within(name, !filter[name] || row[name] === filter[name])) &&
    within("status", !filter.status.length || filter.status.some((name) => row.marks.includes(name))) &&
    (filter.from === "" || (row.score !== null && row.score >= Number(filter.from) - 1e-9)) &&
    (filter.to === "" || (row.score !== null && row.score <= Number(filter.to) + 1e-9)) &&
    (!filter.text || found.has(row.id))
  );
}

/** Rows in the order of a column; equal ones by task. What has no value comes last. */
export function sorted(rows, filter, levels) {
  const task = (row) => [row.package, levels.indexOf(row.level), row.language, row.seed, row.sample];
  const keys = {
    task,
    level: (row) => [levels.indexOf(row.level)],
    outcome: (row) => [STATUSES.indexOf(row.marks[0])],
  };
  const key = keys[filter.sort] ?? ((row) => [row[filter.sort]]);
  const sign = filter.down ? -1 : 1;
  const missing = (row) => key(row)[0] === null || key(row)[0] === undefined;
  return [...rows].sort((one, other) =>
    missing(one) - missing(other) || sign * compare(key(one), key(other)) || compare(task(one), task(other)),
  );
}

function compare(ones, others) {
  for (let place = 0; place < ones.length; place++) {
    if (ones[place] < others[place]) return -1;
    if (ones[place] > others[place]) return 1;
  }
  return 0;
}
