// Zooming into the chart of a run (overview.h): by buttons, by keys, and by dragging across it. The
// chart is there without it; this draws the finer bins that the page has.
"use strict";

(() => {
	const chart = document.querySelector(".chart");
	if (!chart) return;
	const BARS = 192, TALL = 1000, THIN = 14, CLOSEST = 8; // CLOSEST: bins shown at least
	const kinds = ["committed", "aborted", "uncertain"];
	const counts = kinds.map((kind) => chart.dataset[kind].split(",").map(Number));
	const bins = counts[0].length, length = Number(chart.dataset.length);
	const plot = chart.querySelector(".plot"), svg = chart.querySelector("svg");
	let from = 0, to = 1; // shares of the run

	function label(units) {
		if (chart.dataset.unit !== "ns") return Math.floor(units).toLocaleString("en");
		return units < 1e9 ? (units / 1e6).toFixed(1) + " ms" : (units / 1e9).toFixed(1) + " s";
	}

	function drawAreas() {
		const low = Math.floor(from * bins), high = Math.min(bins, Math.ceil(to * bins));
		const size = Math.max(1, Math.ceil((high - low) / BARS));
		const bars = [];
		for (let i = low; i < high; i += size)
			bars.push(counts.map((c) => c.slice(i, Math.min(i + size, high)).reduce((a, b) => a + b, 0)));
		const peak = Math.max(1, ...bars.map((bar) => bar[0] + bar[1] + bar[2]));
		kinds.forEach((kind, top) => {
			const heights = bars.map((bar) => bar.slice(0, top + 1).reduce((sum, n) =>
				sum + (n ? THIN + Math.floor((TALL - 3 * THIN) * n / peak) : 0), 0));
			plot.querySelector("." + kind).setAttribute("d",
				"M" + low + " " + TALL + heights.map((h) => "V" + (TALL - h) + "h" + size).join("") + "V" + TALL + "Z");
		});
		plot.setAttribute("viewBox", from * bins + " 0 " + (to - from) * bins + " " + TALL);
		svg.querySelector(".peak").textContent = peak.toLocaleString("en") + " in " + label(length * size / bins);
	}

	function show(newFrom, newTo) {
		const least = Math.min(1, CLOSEST / bins);
		const width = Math.min(1, Math.max(newTo - newFrom, least));
		from = Math.min(Math.max(0, (newFrom + newTo - width) / 2), 1 - width);
		to = from + width;
		drawAreas();
		for (const e of svg.querySelectorAll("[data-x]")) {
			e.setAttribute("x", 100 * (e.dataset.x - from) / width + "%");
			if (e.dataset.w) e.setAttribute("width", 100 * e.dataset.w / width + "%");
		}
		const axis = svg.querySelectorAll(".axis:not(.peak)");
		axis.forEach((text, i) => { text.textContent = label((from + width * i / (axis.length - 1)) * length); });
		for (const button of buttons) button.disabled = button.useless();
	}

	const middle = () => (from + to) / 2, width = () => to - from;
	const zoom = (factor) => show(middle() - width() * factor / 2, middle() + width() * factor / 2);
	const move = (share) => show(from + width() * share, to + width() * share);
	const buttons = [
		["+", "Zoom in", () => zoom(0.5), () => width() <= CLOSEST / bins],
		["−", "Zoom out", () => zoom(2), () => width() >= 1],
		["Whole run", "Whole run", () => show(0, 1), () => width() >= 1],
	].map(([text, name, act, useless]) => {
		const button = document.createElement("button");
		button.type = "button";
		button.textContent = text;
		button.setAttribute("aria-label", name);
		button.useless = useless;
		button.addEventListener("click", act);
		return button;
	});
	document.querySelector(".zoom").append(...buttons);
	for (const button of buttons) button.disabled = button.useless();

	chart.tabIndex = 0;
	chart.setAttribute("role", "group");
	chart.setAttribute("aria-label", "Chart of the run. Plus and minus zoom, arrow keys move, Home shows all.");
	const keys = {
		"+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), Home: () => show(0, 1),
		ArrowLeft: () => move(-0.25), ArrowRight: () => move(0.25),
	};
	chart.addEventListener("keydown", (event) => {
		if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		keys[event.key]();
	});

	// Dragging selects what is shown next.
	const shareAt = (event) => {
		const box = svg.getBoundingClientRect();
		return from + width() * Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
	};
	const chosen = document.createElementNS("http://www.w3.org/2000/svg", "rect");
	chosen.setAttribute("class", "chosen");
	chosen.setAttribute("height", "100%");
	let start = null;
	svg.addEventListener("pointerdown", (event) => {
		if (!event.target.closest("a")) start = shareAt(event);
	});
	addEventListener("pointermove", (event) => {
		if (start === null) return;
		const low = Math.min(start, shareAt(event)), high = Math.max(start, shareAt(event));
		chosen.setAttribute("x", 100 * (low - from) / width() + "%");
		chosen.setAttribute("width", 100 * (high - low) / width() + "%");
		svg.append(chosen);
	});
	addEventListener("pointerup", (event) => {
		if (start === null) return;
		const low = Math.min(start, shareAt(event)), high = Math.max(start, shareAt(event));
		start = null;
		chosen.remove();
		if (high - low > width() / 100) show(low, high);
	});
	addEventListener("pointercancel", () => {
		start = null;
		chosen.remove();
	});
	svg.addEventListener("dblclick", () => show(0, 1));
})();
