// Elements are made from text, never from markup: whatever an episode holds is shown, not run.

const HIDDEN = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb])/;

/** An element. Properties with "-" or of `role` are attributes; functions are listeners. */
export function el(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value);
    else if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Nodes of a text in which control characters and direction overrides can be seen. */
export function visible(text) {
  return text.split(HIDDEN).map((part, place) => {
    if (place % 2 === 0) return part;
    const code = part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    return el("span", { className: "control", title: "a character that cannot be seen" }, `U+${code}`);
  });
}

/** What is shown at first of something long, and a button that shows the rest. */
export function folded(first, whole, label) {
  const block = el("div", { className: "folded" }, first());
  const open = () => {
    block.replaceChildren(...[whole()].flat());
    block.classList.add("open");
    block.tabIndex = -1;
    block.focus({ preventScroll: true });
  };
  block.append(el("button", { type: "button", className: "more", click: open }, label));
  return block;
}

const LONG = 2400;

/** A text as it was written, in its own direction; a long one folded. */
export function prose(text, className = "") {
  const whole = (part) => el("div", { className: `prose ${className}`, dir: "auto" }, visible(part));
  if (text.length <= LONG) return whole(text);
  const label = `Show all ${text.length.toLocaleString("en")} characters`;
  return folded(() => whole(`${text.slice(0, LONG / 2)} …`), () => whole(text), label);
}

export function marks(row) {
  const hidden = row.marks.includes("breach") ? ["failed"] : [];
  return row.marks
    .filter((mark) => !hidden.includes(mark))
    .flatMap((mark) => [el("span", { className: `mark ${mark}` }, mark), " "]);
}

export function number(value, digits = 2) {
  return value === null || value === undefined ? "–" : value.toFixed(digits);
}

/** Says something to screen readers. */
export function announce(text) {
  document.getElementById("live").textContent = text;
}
