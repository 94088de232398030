"use strict";
(() => {
const data = JSON.parse(document.getElementById("data").textContent);
const entries = data.entries;
const $ = (id) => document.getElementById(id);
const PAGE = 50;
const COLOURS = ["#3b7dd8", "#d9822b", "#3a9d5d", "#b0559e", "#c9a227", "#5aa9a6", "#c4534f", "#7b6bc9", "#8a8f98"];
const SVG = "http://www.w3.org/2000/svg";

// --- making elements: what an entry says is set as text, never as HTML -------------

function element(name, attributes = {}, ...children) {
  const made = name.startsWith("svg:") ? document.createElementNS(SVG, name.slice(4)) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "on") for (const [event, call] of Object.entries(value)) made.addEventListener(event, call);
    else if (value !== null && value !== undefined && value !== false) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
const svg = (name, attributes, ...children) => element("svg:" + name, attributes, ...children);
const day = (date) => (date || "").slice(0, 10);
const plural = (count, one, many) => `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
const shown = (entry) => !entry.hidden;
const pressed = (call) => ({ click: call, keydown: (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); call(event); } } });

// --- search: entries whose words begin as those of the question ----------------------

const STOP = new Set("a about am an and are as at be been but by can could did do does for from had has have he her him his how i if in into is it its me my of on or our she should so than that the their them then there these they this to us was we were what when where which who whom whose why will with would you your".split(" "));
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3130-\u318f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]/;

const plainOf = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").normalize("NFC").toLowerCase();
const stemOf = (word) => word.slice(0, Math.max(3, word.length - 2));

// A title says what an entry is about; its text may name much else.
function wordsOfEntry(entry) {
  const parts = [entry.title, entry.title, entry.title, entry.html.replace(/<[^>]*>/g, " "), entry.kind, entry.id, ...(entry.tags || []), ...(entry.entities || [])];
  return " " + plainOf(parts.join(" ")).replace(/[^\p{L}\p{N}\p{M}]+/gu, " ");
}
let texts = null;

function search(question) {
  texts ??= entries.map(wordsOfEntry);
  const words = (plainOf(question).match(/[\p{L}\p{N}\p{M}]+/gu) || []).filter((word) => !STOP.has(word));
  const scores = new Map();
  for (const word of words) {
    const needle = UNSPACED.test(word) ? word : " " + stemOf(word);
    const counts = texts.map((text) => text.split(needle).length - 1);
    const rare = Math.log(1 + entries.length / Math.max(1, counts.filter(Boolean).length));
    counts.forEach((count, place) => {
      const before = scores.get(place) || { score: 0, words: 0 };
      if (count) scores.set(place, { score: before.score + rare * count / (count + 1), words: before.words + 1 });
    });
  }
  return { words, places: [...scores].sort((a, b) => b[1].words - a[1].words || b[1].score - a[1].score || a[0] - b[0]).map(([place]) => place) };
}

// --- the list ------------------------------------------------------------------------

const state = { question: "", kind: "", status: "active", tag: "", project: "", month: "", places: [], words: [], shown: PAGE, current: -1 };

function passes(entry) {
  return (!state.kind || entry.kind === state.kind)
    && (!state.status || (state.status === "active" ? shown(entry) : entry.status === state.status))
    && (!state.tag || (entry.tags || []).includes(state.tag))
    && (!state.project || entry.project === (state.project === "everywhere" ? undefined : state.project))
    && (!state.month || monthOf(entry) === state.month);
}
const monthOf = (entry) => (entry.occurred || entry.created || "").slice(0, 7);

function update() {
  const started = performance.now();
  const found = state.question.trim() ? search(state.question) : { words: [], places: entries.map((_, place) => place) };
  state.words = found.words;
  state.places = found.places.filter((place) => passes(entries[place]));
  state.shown = PAGE;
  list();
  $("count").textContent = `${plural(state.places.length, "entry", "entries")}${state.month ? " of " + state.month : ""}${found.words.length && !state.places.length ? "; other words may say the same" : ""}`;
  document.documentElement.dataset.searched = String(Math.round((performance.now() - started) * 10) / 10);
}

function list() {
  const rows = state.places.slice(0, state.shown).map((place) => element("li", {}, row(place)));
  $("results").replaceChildren(...rows);
  $("more").hidden = state.places.length <= state.shown;
}

function row(place) {
  const entry = entries[place];
  const about = [entry.kind, day(entry.occurred || entry.created), entry.project, entry.hidden].filter(Boolean).join(" · ");
  const text = state.words.length ? snippet(entry) : null;
  return element("button", { type: "button", class: shown(entry) ? "row" : "row off", "data-place": place, "aria-current": place === state.current, on: { click: () => open(place) } },
    element("b", {}, entry.title), element("span", {}, about), text && element("span", {}, ...text));
}

const plain = new DOMParser();
function textOf(entry) {
  entry.text ??= plain.parseFromString(entry.html, "text/html").body.textContent.replace(/\s+/g, " ").trim();
  return entry.text;
}

function snippet(entry) {
  const text = textOf(entry), lower = text.toLowerCase();
  const stems = state.words.map(stemOf);
  const first = Math.min(...stems.map((stem) => lower.indexOf(stem)).filter((at) => at >= 0), text.length);
  const from = first < text.length ? Math.max(0, first - 50) : 0;
  const part = text.slice(from, from + 160);
  const escaped = stems.map((stem) => stem.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  const pieces = part.split(new RegExp(`((?:${escaped.join("|")})[\\p{L}\\p{N}]*)`, "iu"));
  return [from ? "…" : "", ...pieces.map((piece, at) => (at % 2 ? element("mark", {}, piece) : piece)), from + 160 < text.length ? "…" : ""];
}

// --- one entry -------------------------------------------------------------------------

const byId = new Map(entries.map((entry, place) => [entry.id, place]));
const linkedFrom = new Map();
entries.forEach((entry, place) => (entry.links || []).forEach((to) => linkedFrom.set(to, [...(linkedFrom.get(to) || []), place])));

function to(place, text) {
  return element("button", { type: "button", class: "link", on: { click: () => open(place) } }, text || entries[place].title);
}
const named = (id) => (byId.has(id) ? to(byId.get(id)) : id);

function facts(pairs) {
  const rows = pairs.filter(([, value]) => value && value.length !== 0);
  return element("dl", {}, ...rows.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, ...[].concat(value).flatMap((one, at) => (at ? [", ", one] : [one])))]));
}

function versions(place) {
  const seen = new Set([place]);
  const chain = [place];
  for (let at = place; byId.has(entries[at].before) && !seen.has(byId.get(entries[at].before));) { at = byId.get(entries[at].before); seen.add(at); chain.unshift(at); }
  for (let at = place; byId.has(entries[at].after) && !seen.has(byId.get(entries[at].after));) { at = byId.get(entries[at].after); seen.add(at); chain.push(at); }
  return chain;
}

function lineage(chain, place) {
  const width = 170, gap = 30;
  const drawing = svg("svg", { viewBox: `0 0 ${chain.length * (width + gap)} 46`, role: "img", "aria-label": `${chain.length} versions, oldest first` });
  chain.forEach((one, at) => {
    const entry = entries[one], x = at * (width + gap) + 1;
    const call = () => open(one);
    drawing.append(svg("g", { class: one === place ? "version now" : "version", tabindex: 0, role: "button", "aria-label": `${entry.title}, ${day(entry.created)}`, on: pressed(call) },
      svg("rect", { x, y: 1, width, height: 42, rx: 5 }), svg("text", { x: x + 8, y: 18 }, entry.title.slice(0, 24) + (entry.title.length > 24 ? "…" : "")), svg("text", { x: x + 8, y: 35 }, `${day(entry.created)} ${entry.status}`)));
    if (at) drawing.append(svg("path", { class: "axis", d: `M${x - gap + 4} 22 H${x - 6} m-5 -4 l5 4 l-5 4`, fill: "none" }));
  });
  return drawing;
}

function open(place) {
  const entry = entries[place];
  state.current = place;
  const body = element("div", { class: "body" });
  body.innerHTML = entry.html; // made by the renderer of memcli, which knows no HTML
  const chain = versions(place);
  const parts = [element("h2", { tabindex: -1 }, entry.title)];
  if (entry.hidden) parts.push(element("p", { class: "warn" }, `Recall does not show it: ${entry.hidden}.`));
  for (const why of entry.stale || []) parts.push(element("p", { class: "warn" }, `It may no longer hold: ${why}.`));
  if (entry.unconfirmed) parts.push(element("p", { class: "warn" }, "Unconfirmed: heard in one session alone."));
  parts.push(body);
  if (entry.cut) parts.push(element("p", { class: "dim" }, `The rest: memcli show ${entry.id}`));
  if (chain.length > 1) parts.push(element("h3", {}, "Versions"), lineage(chain, place));
  parts.push(element("h3", {}, "Facts"), facts([
    ["id", entry.id], ["kind", entry.kind], ["layer", entry.layer], ["status", entry.status], ["pinned", entry.pinned && "yes"],
    ["happened", entry.occurred], ["written", entry.created && entry.created.replace("T", " ").replace("Z", " UTC")],
    ["said by", [entry.by, entry.host, entry.agent].filter(Boolean).join(", ")], ["session", entry.session], ["record", entry.record],
    ["its words", entry.excerpt], ["confidence", entry.confidence], ["because", entry.rationale],
    ["project", entry.project], ["tags", entry.tags], ["entities", entry.entities],
    ["replaced because", entry.reason], ["resolved", entry.note], ["code", entry.code],
    ["rests on", (entry.evidence || []).map(named)], ["links to", (entry.links || []).map((one) => to(one))],
    ["linked from", (linkedFrom.get(place) || []).map((one) => to(one))],
    ["recalled", entry.recalled && plural(entry.recalled, "time", "times")], ["useful", entry.useful && plural(entry.useful, "time", "times")],
    ["file", entry.path],
  ]));
  $("entry").replaceChildren(...parts);
  $("entry").scrollTop = 0;
  for (const one of $("results").querySelectorAll("[aria-current=true]")) one.setAttribute("aria-current", false);
  const chosen = $("results").querySelector(`[data-place="${place}"]`);
  if (chosen) chosen.setAttribute("aria-current", true);
  parts[0].focus({ preventScroll: false });
  history.replaceState(null, "", `#${entry.id}`);
}

// --- the months ----------------------------------------------------------------------

const kinds = [...new Set(entries.map((entry) => entry.kind))];
const counted = new Map(kinds.map((kind) => [kind, entries.filter((entry) => entry.kind === kind).length]));
kinds.sort((a, b) => counted.get(b) - counted.get(a) || (a < b ? -1 : 1));
const colour = (kind) => COLOURS[Math.min(kinds.indexOf(kind), COLOURS.length - 1)];

function months(place, names, heights, title) {
  const wide = Math.max(280, Math.min(1200, $(place).clientWidth || 900));
  const high = 120, step = Math.max(14, Math.min(60, wide / Math.max(1, names.length)));
  const most = Math.max(1, ...names.map((name) => heights(name).reduce((sum, [, count]) => sum + count, 0)));
  const drawing = svg("svg", { viewBox: `0 0 ${Math.max(wide, names.length * step)} ${high + 34}`, role: "group", "aria-label": title });
  drawing.append(svg("text", { x: 0, y: 10 }, String(most)));
  names.forEach((name, at) => {
    const bars = heights(name), total = bars.reduce((sum, [, count]) => sum + count, 0);
    const month = svg("g", { class: "month", tabindex: 0, role: "button", "aria-label": `${name}: ${bars.map(([kind, count]) => `${count} ${kind}`).join(", ")}`, on: pressed(() => { state.month = state.month === name ? "" : name; update(); }) },
      svg("title", {}, `${name}: ${total}`), svg("rect", { class: "back", x: at * step, y: 14, width: step, height: high + 4 }));
    let y = high + 16;
    for (const [kind, count, fill] of bars) {
      const height = count / most * high;
      y -= height;
      month.append(svg("rect", { x: at * step + 1, y, width: step - 2, height, fill: fill || colour(kind) }));
    }
    drawing.append(month);
    if (at % Math.ceil(60 / step) === 0) drawing.append(svg("text", { x: at * step, y: high + 30 }, name));
  });
  return drawing;
}

function withoutGaps(months) {
  const all = months.slice(-1);
  const first = months[Math.max(0, months.length - 120)];
  while (all.length < 120 && all[0] > first) {
    const [year, month] = all[0].split("-").map(Number);
    if (!month) return months; // a date may be a year alone
    all.unshift(month > 1 ? `${String(year).padStart(4, "0")}-${String(month - 1).padStart(2, "0")}` : `${String(year - 1).padStart(4, "0")}-12`);
  }
  return all;
}

function timeline() {
  const counts = new Map();
  for (const entry of entries) {
    const month = monthOf(entry);
    if (!month) continue;
    const of = counts.get(month) || new Map();
    counts.set(month, of.set(entry.kind, (of.get(entry.kind) || 0) + 1));
  }
  const names = withoutGaps([...counts.keys()].sort()).slice(-120);
  $("timeline").replaceChildren(names.length ? months("timeline", names, (name) => kinds.filter((kind) => counts.get(name)?.has(kind)).map((kind) => [kind, counts.get(name).get(kind)]), "Entries by month and kind; a month narrows the list") : "No entry has a date.");
  $("legend").replaceChildren(...kinds.map((kind) => element("li", {}, svgDot(colour(kind)), ` ${kind} ${counted.get(kind)}`)));
}
function svgDot(fill) {
  const dot = svg("svg", { width: 10, height: 10, viewBox: "0 0 10 10", "aria-hidden": "true" }, svg("circle", { cx: 5, cy: 5, r: 5, fill }));
  dot.style.display = "inline"; dot.style.width = "10px";
  return dot;
}

// --- the graph -----------------------------------------------------------------------

function graph() {
  const names = data.names;
  $("graph-note").textContent = names.length ? `${plural(names.length, "name", "names")} that entries share; a name searches for it.` : "No entry names an entity.";
  $("names").replaceChildren(...names.map(([name, count]) => element("li", {}, element("button", { type: "button", class: "link", on: { click: () => ask(name) } }, name), ` ${count}`)));
  if (!names.length) return;
  const width = 900, height = Math.min(700, 220 + names.length * 3), ideal = .65 * Math.sqrt(width * height / names.length);
  // A spiral to begin with, then forces: the same picture each time.
  const points = names.map((_, at) => ({ x: width / 2 + 12 * Math.sqrt(at) * Math.cos(at * 2.4), y: height / 2 + 9 * Math.sqrt(at) * Math.sin(at * 2.4) }));
  for (let round = 0, heat = width / 8; round < 120; round++, heat *= .96) {
    const moves = points.map(() => ({ x: 0, y: 0 }));
    for (let a = 0; a < points.length; a++) for (let b = a + 1; b < points.length; b++) {
      const dx = points[a].x - points[b].x, dy = points[a].y - points[b].y, near = Math.max(1, dx * dx + dy * dy), push = ideal * ideal / near;
      moves[a].x += dx * push; moves[a].y += dy * push; moves[b].x -= dx * push; moves[b].y -= dy * push;
    }
    for (const [a, b, count] of data.ties) {
      const dx = points[a].x - points[b].x, dy = points[a].y - points[b].y, pull = Math.sqrt(dx * dx + dy * dy) / ideal * Math.min(1, .3 + count / 10);
      moves[a].x -= dx * pull; moves[a].y -= dy * pull; moves[b].x += dx * pull; moves[b].y += dy * pull;
    }
    points.forEach((point, at) => {
      // Towards the middle, so that what is tied to nothing stays in the picture.
      moves[at].x += (width / 2 - point.x) * .6;
      moves[at].y += (height / 2 - point.y) * .9;
      const long = Math.max(1, Math.hypot(moves[at].x, moves[at].y)), step = Math.min(heat, long);
      point.x = Math.min(width - 70, Math.max(10, point.x + moves[at].x / long * step));
      point.y = Math.min(height - 10, Math.max(14, point.y + moves[at].y / long * step));
    });
  }
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Entities that stand in one entry; the list below says the same" });
  for (const [a, b, count] of data.ties) drawing.append(svg("line", { class: "tie", x1: points[a].x, y1: points[a].y, x2: points[b].x, y2: points[b].y, "stroke-width": Math.min(4, .5 + count / 4) }));
  // A label is drawn where no more frequent one stands; others show when pointed at.
  const taken = [];
  names.forEach(([name, count], at) => {
    const { x, y } = points[at], radius = Math.min(9, 2.5 + Math.sqrt(count)), wide = name.length * 6 + 12;
    const free = !taken.some((box) => Math.abs(box.y - y) < 13 && x < box.x + box.wide && box.x < x + wide);
    if (free) taken.push({ x, y, wide });
    drawing.append(svg("g", { class: free ? "name" : "name minor", tabindex: free ? 0 : -1, role: "button", "aria-label": `${name}, ${count}`, on: pressed(() => ask(name)) },
      svg("circle", { cx: x, cy: y, r: radius }), svg("title", {}, `${name}: ${count}`), svg("text", { x: x + radius + 3, y: y + 4 }, name)));
  });
  $("graph").replaceChildren(drawing);
}

function ask(words) {
  $("query").value = words + " ";
  state.question = words + " ";
  update();
  $("search").scrollIntoView();
  $("query").focus();
}

// --- the rest ------------------------------------------------------------------------

function age(entry) {
  const days = Math.max(0, Math.floor((data.about.now - Date.parse(entry.created) / 1000) / 86400));
  return Number.isFinite(days) ? plural(days, "day", "days") : "";
}

function rest() {
  const places = entries.map((_, place) => place);
  const waiting = places.filter((place) => entries[place].status === "pending").sort((a, b) => (entries[a].created < entries[b].created ? -1 : 1));
  $("inbox").replaceChildren(...(waiting.length ? waiting.slice(0, 200).map((place) => element("li", {}, to(place), ` ${age(entries[place])}, ${entries[place].confidence || entries[place].kind}`)) : [element("li", { class: "dim" }, "Nothing waits.")]));
  const stale = places.filter((place) => entries[place].stale);
  $("stale").replaceChildren(...(stale.length ? stale.slice(0, 200).map((place) => element("li", {}, to(place), `: ${entries[place].stale.join("; ")}`)) : [element("li", { class: "dim" }, "Nothing is known to be out of date.")]));
  const most = places.filter((place) => entries[place].recalled).sort((a, b) => entries[b].recalled - entries[a].recalled).slice(0, 10);
  $("most").replaceChildren(...most.map((place) => element("li", {}, to(place), ` recalled ${plural(entries[place].recalled, "time", "times")}${entries[place].useful ? `, useful ${entries[place].useful}` : ""}`)));
}

function choices(id, values, first) {
  $(id).replaceChildren(...first.map(([value, text]) => element("option", { value }, text)), ...values.map((value) => element("option", { value }, value)));
  $(id).addEventListener("change", () => { state[id] = $(id).value; update(); });
}
const frequent = (values) => [...values.reduce((counts, value) => counts.set(value, (counts.get(value) || 0) + 1), new Map())].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1)).map(([value]) => value);

function start() {
  const open_ = entries.filter(shown).length;
  $("name").textContent = data.about.vault + (data.about.project ? `, project ${data.about.project}` : "");
  $("summary").textContent = `${plural(entries.length, "entry", "entries")}, ${open_.toLocaleString("en")} of them shown by recall`;
  choices("kind", kinds, [["", "all"]]);
  choices("status", frequent(entries.map((entry) => entry.status)).filter((status) => status !== "active"), [["active", "in force"], ["", "all"]]);
  choices("tag", frequent(entries.flatMap((entry) => entry.tags || [])).slice(0, 200), [["", "all"]]);
  choices("project", frequent(entries.flatMap((entry) => entry.project || [])), [["", "all"], ["everywhere", "holds everywhere"]]);
  $("query").addEventListener("input", () => { state.question = $("query").value; update(); });
  $("search").addEventListener("submit", (event) => event.preventDefault());
  $("clear").addEventListener("click", () => { Object.assign(state, { question: "", kind: "", status: "active", tag: "", project: "", month: "" }); setTimeout(update); });
  $("more").addEventListener("click", () => { state.shown += PAGE * 4; list(); });
  document.addEventListener("keydown", keys);
  update();
  timeline();
  rest();
  const id = decodeURIComponent(location.hash.slice(1));
  if (byId.has(id)) open(byId.get(id));
  document.documentElement.dataset.ready = String(Math.round(performance.now()));
  // The graph is further down, and laying it out takes a moment.
  setTimeout(graph);
}

function keys(event) {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const typing = event.target.matches("input, select");
  if (event.key === "/" && !typing) { event.preventDefault(); $("query").focus(); return; }
  if (event.key === "Escape") {
    // A search field would lose its words.
    event.preventDefault();
    const back = $("results").querySelector("[aria-current=true]") || $("results").querySelector(".row") || $("query");
    back.focus();
    return;
  }
  const down = event.key === "ArrowDown" || (event.key === "j" && !typing), up = event.key === "ArrowUp" || (event.key === "k" && !typing);
  if (!(down || up) || event.target.matches("select")) return;
  const rows = [...$("results").querySelectorAll(".row")];
  const at = rows.indexOf(document.activeElement);
  if (at < 0 && !typing && document.activeElement !== document.body) { if (!rows.length) return; }
  event.preventDefault();
  const next = at < 0 ? (down ? 0 : rows.length - 1) : Math.min(rows.length - 1, Math.max(0, at + (down ? 1 : -1)));
  if (rows[next]) rows[next].focus();
}

start();
})();
