"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const nodes = data.guesses.length, MARKS = "byg", NAMES = { b: "grey", y: "yellow", g: "green" };
const at = (id) => document.getElementById(id);
const number = (value) => value.toLocaleString("en");
const counted = (guesses) => number(guesses) + (guesses === 1 ? " guess" : " guesses");

// What the tree gives: sizes, totals and children, from the leaves up.
const sizes = data.finds.slice(), children = data.guesses.map(() => new Map());
for (let node = nodes - 1; node > 0; node--) sizes[data.parents[node]] += sizes[node];
const totals = sizes.slice();
for (let node = nodes - 1; node > 0; node--) totals[data.parents[node]] += totals[node];
for (let node = 1; node < nodes; node++) children[data.parents[node]].set(data.responses[node], node);
const answerNode = new Map();
for (let node = 0; node < nodes; node++) if (data.finds[node]) answerNode.set(data.guesses[node], node);

let current = 0, isSolved = false, marks = [];

function element(tag, text, attributes) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  for (const [name, value] of Object.entries(attributes || {})) made.setAttribute(name, value);
  return made;
}

function responseText(response) {
  if (!data.letters) return Math.floor(response / (data.length + 1)) + "+" + (response % (data.length + 1));
  let text = "";
  for (let i = data.length - 1; i >= 0; i--) text += MARKS[Math.floor(response / 3 ** i) % 3];
  return text;
}

function parsed(text) {
  const plain = text.trim().toLowerCase();
  if (!data.letters) {
    const match = /^(\d{1,2})\s*[+,]\s*(\d{1,2})$/.exec(plain);
    if (!match || Number(match[1]) + Number(match[2]) > data.length) return null;
    return Number(match[1]) * (data.length + 1) + Number(match[2]);
  }
  const symbols = { b: 0, y: 1, g: 2, 0: 0, 1: 1, 2: 2, "-": 0, _: 0, ".": 0, "?": 1, "+": 2 };
  let code = 0;
  if (Array.from(plain).length !== data.length) return null;
  for (const symbol of plain) {
    if (!Object.hasOwn(symbols, symbol)) return null;
    code = 3 * code + symbols[symbol];
  }
  return code;
}

function pathTo(node) {
  const steps = [];
  for (; data.parents[node] >= 0; node = data.parents[node]) steps.unshift([data.parents[node], data.responses[node]]);
  return steps;
}

// In upper case, unless another letter would look the same then.
function upper(letter) {
  const large = letter.toUpperCase();
  return large.toLowerCase() === letter && Array.from(large).length === 1 ? large : letter;
}

function tiles(guess, response) {
  const row = element("span", undefined, { class: "row" }), text = responseText(response);
  Array.from(guess).forEach((letter, i) => {
    const mark = data.letters ? text[i] : "";
    row.append(element("span", upper(letter), { class: "tile " + mark }));
  });
  if (!data.letters) row.append(element("span", text, { class: "word" }));
  const said = data.letters ? Array.from(text).map((mark) => NAMES[mark]).join(" ") : text;
  row.setAttribute("aria-label", guess + ": " + said);
  row.setAttribute("role", "img");
  return row;
}

function answersBelow(node) {
  const found = [], waiting = [node];
  while (waiting.length) {
    const here = waiting.pop();
    if (data.finds[here]) found.push(data.guesses[here]);
    waiting.push(...children[here].values());
  }
  return found.sort();
}

function say(text) { at("status").textContent = text; }

function go(node) { current = node; isSolved = false; marks = []; at("typed").value = ""; say(""); render(); }

function enter(response) {
  if (isSolved) return;
  if (response === null) {
    say(data.letters ? "A response is " + data.length + " of b, y, g." : "A response is black+white, such as 1+2.");
  } else if (response === data.solved && data.finds[current]) {
    isSolved = true;
    marks = [];
    at("typed").value = "";
    render();
    say("Solved in " + counted(pathTo(current).length + 1) + ": " + data.guesses[current] + ".");
  } else if (children[current].has(response)) {
    go(children[current].get(response));
  } else {
    say("No answer on the list gives " + responseText(response) + " here.");
  }
}

function undo() {
  if (isSolved) go(current);
  else if (data.parents[current] >= 0) go(data.parents[current]);
}

function render() {
  const steps = pathTo(current), guess = data.guesses[current];
  at("history").replaceChildren(...steps.map(([node, response]) => {
    const item = element("li"), back = element("button", undefined, { type: "button", title: "Go back to this guess" });
    back.append(tiles(data.guesses[node], response));
    back.addEventListener("click", () => go(node));
    item.append(back);
    return item;
  }));
  if (isSolved) {
    const item = element("li");
    item.append(tiles(guess, data.solved));
    at("history").append(item);
  }
  at("now").hidden = isSolved;
  at("prompt").replaceChildren("Guess " + (steps.length + 1) + ": ", element("strong", guess, { class: "word", id: "guess" }));
  renderTiles();
  renderResponses();
  renderPosition();
  renderBrowse();
}

function renderTiles() {
  at("tiles").hidden = !data.letters;
  if (!data.letters) return;
  at("tiles").replaceChildren(...Array.from(data.guesses[current]).map((letter, i) => {
    const mark = marks[i] || "", tile = element("button", upper(letter), { type: "button", class: "tile " + mark });
    tile.append(element("small", mark ? NAMES[mark] : "?"));
    tile.setAttribute("aria-label", "letter " + (i + 1) + ", " + letter + ": " + (mark ? NAMES[mark] : "not set"));
    tile.addEventListener("click", () => {
      marks[i] = mark ? MARKS[(MARKS.indexOf(mark) + 1) % 3] : "b";
      at("typed").value = typedMarks();
      renderTiles();
      at("tiles").children[i].focus();
    });
    return tile;
  }));
}

function typedMarks() {
  return Array.from({ length: data.length }, (_, i) => marks[i] || "").join("");
}

function renderResponses() {
  const found = isSolved ? [] : Array.from(children[current].entries(), ([response, node]) => [response, sizes[node]]);
  if (!isSolved && data.finds[current]) found.push([data.solved, 1]);
  found.sort((one, other) => other[1] - one[1] || one[0] - other[0]);
  at("responses").replaceChildren(...found.map(([response, size]) => {
    const chip = element("button", responseText(response), { type: "button", "data-response": responseText(response) });
    chip.append(element("span", number(size), { class: "n" }));
    chip.setAttribute("aria-label", responseText(response) + ", " + size + (size === 1 ? " answer" : " answers"));
    chip.addEventListener("click", () => enter(response));
    return chip;
  }));
}

function fact(name, value, id) { return [element("dt", name), element("dd", value, { id })]; }

function renderPosition() {
  const n = sizes[current], total = totals[current];
  const left = isSolved ? [] : answersBelow(current);
  at("facts").replaceChildren(
    ...fact("Next guess", isSolved ? "none, it is solved" : data.guesses[current], "next"),
    ...fact("Answers left", isSolved ? "0" : number(n), "left"),
    ...fact("Expected guesses", isSolved ? "0" : (total / n).toFixed(4) + " = " + number(total) + " / " + number(n), "expected"),
    ...(data.cap ? fact("Guesses left", String(data.cap - pathTo(current).length - (isSolved ? 1 : 0)), "allowed") : []),
  );
  at("answers").textContent = left.join(" ");
  const turn = pathTo(current).length;
  const best = turn === 0 ? data.openers : turn === 1 ? data.best[data.responses[current]] : null;
  if (isSolved || !best) {
    at("best").replaceChildren(element("p", isSolved ? "Solved." : "Only the tree's guess is known here, and it is one of the best; the totals of others are unknown."));
    return;
  }
  const table = element("table"), head = element("tr");
  head.append(element("th", "guess"), element("th", "total", { class: "n" }), element("th", "expected", { class: "n" }));
  table.append(head);
  for (const [guess, sum] of best) {
    const row = element("tr");
    row.append(element("td", guess, { class: "word" }), element("td", number(sum), { class: "n" }), element("td", (sum / n).toFixed(4), { class: "n" }));
    table.append(row);
  }
  const others = turn === 1 ? "The others are not better than the last of these." : data.others;
  at("best").replaceChildren(table, element("p", others, { class: "hint" }));
}

function branch(node) {
  const label = (node === 0 ? "" : responseText(data.responses[node]) + " ") + data.guesses[node] + (data.finds[node] ? " \u25cf" : "");
  if (!children[node].size) return element("div", label, { class: "leaf" });
  const details = element("details"), more = " (" + number(sizes[node]) + ", " + (totals[node] / sizes[node]).toFixed(2) + ")";
  details.append(element("summary", label + more));
  details.addEventListener("toggle", () => {
    if (!details.open || details.children.length > 1) return;
    const list = element("ul");
    for (const child of children[node].values()) {
      const item = element("li");
      item.append(branch(child));
      list.append(item);
    }
    details.append(list);
  });
  return details;
}

function renderBrowse() {
  at("browse").replaceChildren(branch(current));
  const first = at("browse").querySelector("details");
  if (first) first.open = true;
}

function showGame(word) {
  const wanted = word.trim().toLowerCase().normalize("NFC");
  if (!answerNode.has(wanted)) {
    at("game").replaceChildren(element("p", wanted ? wanted + " is not in the answer list." : "Type an answer."));
    return;
  }
  const node = answerNode.get(wanted), steps = [...pathTo(node), [node, data.solved]], list = element("ol", undefined, { class: "small" });
  for (const [step, response] of steps) {
    const item = element("li");
    item.append(tiles(data.guesses[step], response));
    list.append(item);
  }
  const jump = element("button", "Go to its last position", { type: "button" });
  jump.addEventListener("click", () => go(node));
  at("game").replaceChildren(element("p", wanted + " takes " + counted(steps.length) + "."), list, jump);
}

at("form").addEventListener("submit", (event) => { event.preventDefault(); enter(parsed(at("typed").value)); });
at("typed").addEventListener("input", () => {
  if (!data.letters) return;
  marks = Array.from(at("typed").value.toLowerCase()).slice(0, data.length).map((mark) => (MARKS.includes(mark) ? mark : undefined));
  renderTiles();
});
at("undo").addEventListener("click", undo);
at("restart").addEventListener("click", () => go(0));
at("find").addEventListener("submit", (event) => { event.preventDefault(); showGame(at("wanted").value); });

// Keys work everywhere but in fields: b, y, g mark the next letter, Enter enters, Backspace takes back, Escape restarts.
document.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
  const key = event.key.toLowerCase(), digit = { 0: "b", 1: "y", 2: "g" }[key], mark = digit || key;
  if (event.key === "Escape") go(0);
  else if (event.key === "Backspace") {
    event.preventDefault();
    if (marks.length) { marks.pop(); at("typed").value = typedMarks(); renderTiles(); } else undo();
  } else if (event.key === "Enter" && !(event.target instanceof HTMLButtonElement) && event.target.tagName !== "SUMMARY") {
    event.preventDefault();
    enter(parsed(at("typed").value));
  } else if (data.letters && !isSolved && mark.length === 1 && MARKS.includes(mark) && marks.length < data.length) {
    event.preventDefault();
    marks.push(mark);
    at("typed").value = typedMarks();
    renderTiles();
  }
});

// The scheme: as the system has it unless chosen; kept where the browser lets a page from disk keep it.
const system = matchMedia("(prefers-color-scheme: dark)");
const THEMES = ["system", "light", "dark"];
let theme = kept("theme") || "system", contrast = kept("contrast") === "on";
function kept(name) { try { return localStorage.getItem("tree-" + name); } catch { return null; } }
function keep(name, value) { try { localStorage.setItem("tree-" + name, value); } catch { /* not kept, still shown */ } }
function paint() {
  document.documentElement.classList.toggle("dark", theme === "dark" || (theme === "system" && system.matches));
  document.documentElement.classList.toggle("contrast", contrast);
  at("theme").textContent = "theme: " + theme;
  at("contrast").setAttribute("aria-pressed", String(contrast));
}
at("theme").addEventListener("click", () => { theme = THEMES[(THEMES.indexOf(theme) + 1) % 3]; keep("theme", theme); paint(); });
at("contrast").addEventListener("click", () => { contrast = !contrast; keep("contrast", contrast ? "on" : "off"); paint(); });
system.addEventListener("change", paint);

let worst = 0;
for (const node of answerNode.values()) worst = Math.max(worst, pathTo(node).length + 1);
at("opener").textContent = data.guesses[0];
at("claim").textContent = number(sizes[0]) + " answers, total " + number(totals[0]) + ", mean " + (totals[0] / sizes[0]).toFixed(4) + ", at most " + counted(worst) + ".";
at("hint").textContent = data.letters
  ? "Click the letters, type b, y, g anywhere and press Enter, or pick a response below. Backspace takes back, Escape restarts."
  : "Type black+white, such as 1+2, or pick a response below. Escape restarts.";
paint();
render();
