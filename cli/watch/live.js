// Asks the watch each second how it is, and shows that. Everything that came from the
// stream goes into the page as text, never as markup.
"use strict";

const EVERY = 1000, PATIENCE = 4000; // milliseconds
const OPEN = 10; // findings; the others are folded away
const NARROWEST = 30; // seconds that the picture of the rates has at least
const at = (id) => document.getElementById(id);
const number = (n) => Math.round(n).toLocaleString("en");
const some = (n, one, many) => number(n) + " " + (n === 1 ? one : many);

function say(id, text) {
	if (at(id).textContent !== text) at(id).textContent = text;
}

function element(name, className, ...children) {
	const e = document.createElement(name);
	if (className) e.className = className;
	e.append(...children);
	return e;
}

// ---- figures ----

function duration(seconds) {
	if (seconds < 10) return seconds.toFixed(1) + " s";
	if (seconds < 120) return Math.round(seconds) + " s";
	if (seconds < 7200) return Math.round(seconds / 60) + " min";
	return Math.round(seconds / 3600) + " h";
}

function bytes(n) {
	for (const unit of ["B", "KiB", "MiB"]) {
		if (n < 1024) return (n < 10 && unit !== "B" ? n.toFixed(1) : Math.round(n)) + " " + unit;
		n /= 1024;
	}
	return n.toFixed(1) + " GiB";
}

function clock(seconds) {
	const then = new Date(seconds * 1000);
	const today = then.toDateString() === new Date().toDateString();
	const time = then.toLocaleTimeString("en-GB");
	return today ? time : then.toLocaleDateString("en-CA") + " " + time;
}

function spark(rates) {
	const top = Math.max(...rates, 1);
	const step = 120 / (Math.max(rates.length, NARROWEST) - 1);
	const points = rates.map((r, i) => (120 - i * step).toFixed(1) + "," + (30 - 28 * r / top).toFixed(2));
	const [area, curve] = at("spark").children;
	curve.setAttribute("points", points.join(" "));
	area.setAttribute("points", [...points, 120 - (rates.length - 1) * step + ",30", "120,30"].join(" "));
	at("spark").setAttribute("aria-label", rates.length ?
		"transactions a second in the last " + some(rates.length, "second", "seconds") + ", at most " + number(top) : "no rates yet");
	say("rate-more", rates.length ? "at most " + number(Math.max(...rates)) + " in the last " + rates.length + " s" : "");
}

function showFigures(s) {
	say("rate", number(s.rate) + " /s");
	spark(s.rates);
	say("came", s.last_transaction_age === null ? "none yet" : duration(s.last_transaction_age) + " ago");
	say("came-more", s.duplicates ? number(s.duplicates) + " came again" : "");
	say("waiting", number(s.waiting));
	say("waiting-more", s.lag === undefined ? "" : number(s.lag) + (s.fences ? " behind the newest fence" : " behind the newest timestamp"));
	say("txns", number(s.txns));
	say("txns-more", some(s.ops, "operation", "operations") + (s.aborted ? ", " + number(s.aborted) + " aborted" : "") +
		(s.unknown ? ", " + number(s.unknown) + " of unknown outcome" : ""));
	say("memory", bytes(s.resident));
	say("memory-more", some(s.keys, "key", "keys"));
	say("checkpoint", !s.has_checkpoint ? "none" : s.checkpoint_age === null ? "not yet" : duration(s.checkpoint_age) + " ago");
	say("checkpoint-more", s.has_checkpoint ? "" : "a restart begins anew");
}

// ---- the verdict ----

const VERDICTS = { valid: "All that was judged holds", violates: "Violated", unknown: "Not decided" };

function showVerdict(s) {
	const title = s.verdict === "violates" ? some(s.violations, "violation", "violations") + " of " + s.level : VERDICTS[s.verdict];
	const doubts = [];
	if (!s.committed) doubts.push("nothing has committed yet");
	if (s.undecided) doubts.push(some(s.undecided, "finding is", "findings are") + " undecided");
	if (s.unverified) doubts.push(some(s.unverified, "transaction was", "transactions were") + " not judged");
	if (s.lost_messages) doubts.push(some(s.lost_messages, "message was", "messages were") + " gone before they could be read");
	say("verdict", title);
	at("verdict").className = s.verdict;
	const also = s.verdict === "violates" ? "Besides, " : s.verdict === "valid" ? "But " : "Because ";
	say("because", doubts.length ? also + doubts.join(", ") + "." : "");
	say("stream", s.stream);
	say("since", "at level " + s.level + ", watched since " + clock(s.started));
	say("version", "Alibi " + s.version + ".");
	document.title = title + " – alibi watch";
}

// ---- findings ----

const KINDS = {
	EXT: "A read does not find what was there",
	INT: "A transaction does not see its own work",
	NOCONFLICT: "Two transactions wrote one key at the same time",
	SESSION: "A session went back in time",
	ORDER: "No order explains these transactions",
	TIE: "Equal timestamps",
	LATE: "A transaction came too late",
	LONG: "A transaction ran too long",
	STAMPS: "A transaction without proper timestamps",
	TIMES: "A transaction without proper times",
	OUTCOME: "It is not known what took effect",
	FENCE: "No fence says when a transaction was",
	GONE: "Messages were gone before they could be read",
};

function rowsOf(f) {
	const read = f.found !== undefined || f.expected !== undefined;
	return [
		["Transaction", f.txn],
		[f.kind === "SESSION" ? "After, in its session" : "And transaction", read ? undefined : f.other],
		["Transactions", f.txns],
		["Key", f.key],
		["Read", f.found, "wrong"],
		["Should have read", f.expected, "right"],
		["Last written by", read ? f.other : undefined],
		["Keys that it wrote", f.keys],
		[f.kind === "GONE" ? "Messages from" : "Not verified from", f.from],
		["Until", f.until],
	].filter((row) => row[1] !== undefined);
}

function articleOf(f) {
	const list = element("dl");
	for (const [label, value, tone] of rowsOf(f))
		list.append(element("div", tone || "", element("dt", "", label), element("dd", "", element("code", "", value))));
	const time = element("time", "soft", clock(f.time));
	time.dateTime = new Date(f.time * 1000).toISOString();
	const title = element("h3", "", f.title || KINDS[f.kind] || f.what);
	if (f.name) title.append(" ", element("span", "kind", f.name));
	const article = element("article", "finding " + f.what, element("header", "", title, time));
	if (f.summary) article.append(element("p", "", f.summary));
	article.append(element("p", f.summary ? "soft" : "", f.text), list);
	if (f.picture) {
		const picture = element("img", "");
		picture.src = "picture/" + f.number;
		picture.alt = "The transactions, and why they contradict each other: " + f.summary;
		picture.loading = "lazy";
		article.append(picture);
	}
	if (f.lines) {
		const lines = element("pre", "", element("code", "", f.lines));
		lines.tabIndex = 0;
		article.append(element("details", "", element("summary", "", "The transactions as they came"), lines));
	}
	return article;
}

const shown = {};

function showList(id, findings, started) {
	const state = started + " " + (findings.length ? findings[0].number : 0);
	if (shown[id] === state) return; // else what somebody has selected were lost
	shown[id] = state;
	const articles = findings.map(articleOf), earlier = articles.slice(OPEN);
	const unfolded = at(id).querySelector("details[open]");
	at(id).replaceChildren(...articles.slice(0, OPEN));
	if (!earlier.length) return;
	const fold = element("details", "earlier", element("summary", "", some(earlier.length, "earlier one", "earlier ones")), ...earlier);
	fold.open = Boolean(unfolded);
	at(id).append(fold);
}

function noteOf(count, shownNow, what) {
	if (!count) return "None so far.";
	if (!shownNow) return "The " + number(count) + " were found before the watch was last started; a log (--log) has them.";
	return shownNow < count ? "The latest " + number(shownNow) + " of " + number(count) + "; a log (--log) has all." : "All " + what + ", the latest first.";
}

function showFindings(s) {
	const violations = s.latest_violations, others = s.latest_others;
	showList("violation-list", violations, s.started);
	say("violations-note", noteOf(s.violations, violations.length, "violations"));
	at("others").hidden = !(s.undecided + s.unverified);
	showList("other-list", others, s.started);
	say("others-note", noteOf(s.undecided + s.unverified, others.length, "of them"));
}

// ---- asking ----

let answered = null; // when the watch last did, by our clock

function condition(tone, text) {
	at("condition").className = "condition " + tone;
	say("condition", text);
}

function show(s) {
	answered = Date.now();
	document.body.classList.remove("stale");
	showVerdict(s);
	showFigures(s);
	showFindings(s);
	if (s.ok) condition("good", "The stream is being read.");
	else condition("bad", "Not checking: " + s.reason + ". It goes on when that is over.");
}

function lost() {
	document.body.classList.add("stale");
	document.title = "No connection – alibi watch";
	condition("bad", "Connection lost: the watch does not answer. " + (answered ?
		"What is shown here is as of " + clock(answered / 1000) + ". " : "") + "Trying again each second.");
}

async function ask() {
	try {
		const answer = await fetch("state", { cache: "no-store", signal: AbortSignal.timeout(PATIENCE) });
		if (!answer.ok) throw new Error(answer.statusText);
		show(await answer.json());
	} catch {
		lost();
	}
	setTimeout(ask, EVERY);
}

ask();
