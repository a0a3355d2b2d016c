// What a page of its own can add to the text: one anomaly at a time, arrows that
// explain themselves, search, and copying. Without it the page is still complete.
"use strict";

const root = document.documentElement;
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
root.classList.add("js");

// ---- one anomaly at a time ----

const articles = all("article.anomaly");

function show(article) {
	for (const other of articles) other.hidden = other !== article;
	for (const link of all("nav ol a, .lattice a")) {
		if (link.getAttribute("href") === "#" + article.id) link.setAttribute("aria-current", "true");
		else link.removeAttribute("aria-current");
	}
	for (const stage of all(".stage", article)) offerFullSize(stage);
}

// A picture that had to be scaled down can be seen at its full size.
function offerFullSize(stage) {
	const svg = stage.querySelector("svg"), caption = stage.nextElementSibling;
	const scaled = svg.getBoundingClientRect().width < 0.9 * svg.viewBox.baseVal.width;
	if (!scaled || caption.querySelector("button")) return;
	const button = document.createElement("button");
	button.type = "button";
	button.textContent = "Full size";
	button.setAttribute("aria-pressed", "false");
	button.addEventListener("click", () => {
		const full = stage.classList.toggle("full");
		button.setAttribute("aria-pressed", String(full));
		if (full) stage.tabIndex = 0; // it is scrolled with the keyboard
		else stage.removeAttribute("tabindex");
	});
	caption.append(" ", button);
}

function showAddressed() {
	const target = document.getElementById(location.hash.slice(1));
	const article = target && target.closest("article.anomaly");
	if (article || articles.length) show(article || articles[0]);
}

addEventListener("hashchange", showAddressed);
showAddressed();

// ---- arrows and annotations explain themselves ----

const tip = document.createElement("div");
tip.className = "tip";
tip.setAttribute("aria-hidden", "true"); // it repeats the label of what it is about
let explained = null;

function stepOf(element) {
	return document.querySelector('[data-of="' + element.id + '"]');
}

function light(element, on) {
	element.classList.toggle("lit", on);
	const step = stepOf(element);
	if (step) step.classList.toggle("lit", on);
}

function silence() {
	if (explained) light(explained, false);
	explained = null;
	tip.remove();
}

function explain(element) {
	silence();
	explained = element;
	light(element, true);
	const figure = element.closest("figure");
	tip.textContent = element.getAttribute("aria-label");
	figure.append(tip);
	const sign = element.querySelector("circle, rect").getBoundingClientRect();
	const frame = figure.getBoundingClientRect();
	const left = sign.left - frame.left + sign.width / 2 - tip.offsetWidth / 2;
	tip.style.left = Math.max(0, Math.min(left, frame.width - tip.offsetWidth)) + "px";
	// Below the picture it hides nothing of it; but it must be seen.
	const below = figure.querySelector(".stage").getBoundingClientRect().bottom + 4;
	const seen = below + tip.offsetHeight < innerHeight;
	tip.style.top = (seen ? below : sign.top - tip.offsetHeight - 8) - frame.top + "px";
}

for (const element of all(".figure .arrow, .figure .note")) {
	for (const title of all("title", element)) title.remove(); // else there were two tips
	element.addEventListener("pointerenter", () => explain(element));
	element.addEventListener("focus", () => explain(element));
	element.addEventListener("pointerleave", () => document.activeElement !== element && silence());
	element.addEventListener("blur", silence);
}
addEventListener("keydown", (event) => event.key === "Escape" && silence());
for (const step of all("[data-of]")) {
	const element = document.getElementById(step.dataset.of);
	if (!element) continue;
	step.addEventListener("pointerenter", () => light(element, true));
	step.addEventListener("pointerleave", () => light(element, false));
}

// ---- search ----

const field = document.getElementById("find");
const found = document.getElementById("found");
const count = document.getElementById("found-count");
const MOST = 12;

function goTo(item) {
	show(item.closest("article"));
	for (const lit of all(".txn.lit, .txns > .lit")) lit.classList.remove("lit");
	const box = document.getElementById(item.dataset.box);
	item.classList.add("lit");
	if (box) box.classList.add("lit");
	const target = box || item;
	target.scrollIntoView({ block: "center", inline: "center" });
	target.focus({ preventScroll: true });
}

function search() {
	const wanted = field.value.trim().toLowerCase();
	const hits = wanted ? all(".txns > li").filter((li) => li.dataset.id.toLowerCase().includes(wanted)) : [];
	found.replaceChildren(...hits.slice(0, MOST).map((li) => {
		const item = document.createElement("li");
		const button = document.createElement("button");
		const title = li.closest("article").querySelector("h2").textContent;
		button.type = "button";
		button.textContent = li.dataset.id + " in " + title + (articles.length > 1 ?
			", anomaly " + (articles.indexOf(li.closest("article")) + 1) : "");
		button.addEventListener("click", () => goTo(li));
		item.append(button);
		return item;
	}));
	count.textContent = !wanted ? "" : !hits.length ? "No transaction of this report has such an id." :
		hits.length > MOST ? hits.length + " found; the first " + MOST + " are shown." : hits.length + " found.";
}

if (field) {
	field.addEventListener("input", search);
	field.addEventListener("keydown", (event) => {
		const first = found.querySelector("button");
		if (event.key === "Enter" && first) first.click();
	});
}

// ---- copying ----

async function copy(text, area) {
	try {
		await navigator.clipboard.writeText(text);
		return true;
	} catch {
		const range = document.createRange();
		range.selectNodeContents(area);
		getSelection().removeAllRanges();
		getSelection().addRange(range);
		return document.execCommand("copy");
	}
}

for (const button of all("button[data-copy]")) {
	const area = document.getElementById(button.dataset.copy);
	const label = button.textContent;
	button.addEventListener("click", async () => {
		const done = await copy(area.textContent, area);
		button.textContent = done ? "Copied" : "Selected: press Ctrl+C";
		setTimeout(() => { button.textContent = label; }, 2000);
	});
}
