// JSON text, laid out for reading. Works on the text itself, so that no number is rounded.

import { el, folded, visible } from "./dom.js";

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
const WIDTH = 68;

/** A JSON text as a block; what is no JSON is shown as it is, something long is folded. */
export const jsonBlock = (text) => block(text, "pre", 14, 1600);

/** One JSON value in a line of its own, such as a field of a record. */
export const jsonValue = (text) => block(text, "span", 6, 400);

function block(text, tag, lines, characters) {
  const pieces = layout(text);
  const whole = (some, ...more) => el(tag, { className: "json" }, render(some), ...more);
  if (beginning(pieces, 1.5 * lines, 1.5 * characters) === null) return whole(pieces);
  const first = beginning(pieces, lines, characters);
  const all = pieces.reduce((sum, piece) => sum + breaks(piece.text), 1);
  const long = `${text.length.toLocaleString("en")} characters`;
  const label = all > lines ? `Show all ${all.toLocaleString("en")} lines, ${long}` : `Show all ${long}`;
  return folded(() => whole(first, " …"), () => whole(pieces), label);
}

function layout(text) {
  const pieces = [];
  try {
    JSON.parse(text);
    print(read(text.match(TOKEN) ?? [], { at: 0 }), "", pieces);
  } catch {
    return [{ kind: "plain", text }];
  }
  return pieces;
}

/** A value as a tree: a token, or `open`, `items` with a key each where it is an object. */
function read(tokens, place) {
  const token = tokens[place.at++];
  if (token !== "{" && token !== "[") return { token };
  const node = { open: token, items: [], size: 2 };
  while (tokens[place.at] !== "}" && tokens[place.at] !== "]") {
    if (tokens[place.at] === ",") place.at++;
    const key = token === "{" ? tokens[place.at++] : null;
    if (key !== null) place.at++; // the colon
    const value = read(tokens, place);
    node.items.push({ key, value });
    node.size += (key?.length ?? 0) + (value.size ?? value.token.length) + 4;
  }
  place.at++;
  return node;
}

function print(node, indent, pieces) {
  if (node.token !== undefined) {
    pieces.push(leaf(node.token));
    return;
  }
  const [open, close] = node.open === "{" ? "{}" : "[]";
  const narrow = node.items.length === 0 || node.size + indent.length <= WIDTH;
  const inner = narrow ? "" : `\n${indent}  `;
  pieces.push({ kind: "mark", text: open });
  node.items.forEach(({ key, value }, place) => {
    const gap = place === 0 ? inner : narrow ? ", " : `,${inner}`;
    if (gap) pieces.push({ kind: "mark", text: gap });
    if (key !== null) pieces.push({ kind: "key", text: unescaped(key).slice(1, -1) }, { kind: "mark", text: ": " });
    print(value, `${indent}  `, pieces);
  });
  pieces.push({ kind: "mark", text: narrow ? close : `\n${indent}${close}` });
}

function leaf(token) {
  if (token[0] !== '"') return { kind: /^[-\d]/.test(token) ? "figure" : "word", text: token };
  return { kind: "string", text: unescaped(token) };
}

/** A JSON string with its line breaks and quotes as such; other escapes stay. */
function unescaped(token) {
  const plain = { n: "\n", '"': '"', "/": "/" };
  return token.replace(/\\(.)/g, (escape, letter) => plain[letter] ?? escape);
}

/** The first lines and characters of something long; null where all of it fits. */
function beginning(pieces, lines, characters) {
  const first = [];
  for (const { kind, text } of pieces) {
    const part = text.slice(0, characters).split("\n").slice(0, lines).join("\n");
    first.push({ kind, text: part });
    if (part.length < text.length) return first;
    characters -= part.length;
    lines -= breaks(part);
  }
  return null;
}

function breaks(text) {
  return text.split("\n").length - 1;
}

/** Strings stand apart from what is around them, whichever way they are written. */
function render(pieces) {
  return pieces.map(({ kind, text }) => {
    if (kind === "mark") return text;
    const tag = kind === "string" || kind === "plain" ? "bdi" : "span";
    return el(tag, { className: kind }, visible(text));
  });
}
