"use strict";

// The pages work without this: it counts down, copies, shares, names totals, prints, writes marks and notices when something has changed.

const POLL_MS = 3000;
const SECOND_MS = 1000;

// Without a network, or while the service starts again, an error page would take the place of this one, and of a code that
// was just paid.
async function onceReached(url, go) {
  try {
    const { status } = await fetch(url, { method: "HEAD" });
    if (status < 500) return go();
  } catch {
    // It is tried again.
  }
  setTimeout(onceReached, POLL_MS, url, go);
}

function reload() {
  void onceReached(location.href, () => location.reload());
}

function startCountdown(element) {
  // performance.now() stands still while a device sleeps.
  const endsAt = Date.now() + Number(element.dataset.countdown) * SECOND_MS;
  if (element.dataset.label) element.parentElement.firstChild.textContent = `${element.dataset.label} `;
  const show = () => {
    const seconds = Math.max(0, Math.ceil((endsAt - Date.now()) / SECOND_MS));
    const minutes = Math.floor(seconds / 60);
    element.textContent = `${minutes}:${String(seconds % 60).padStart(2, "0")}`;
    if (seconds > 0) setTimeout(show, SECOND_MS / 2);
    else if (!document.querySelector("[data-watch]")) reload();
  };
  show();
}

function startCopying(button) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without the permission, or over http: what the browser always had. It copies nothing that is folded away.
      const fold = field.closest("details");
      if (fold) fold.open = true;
      field.select();
      document.execCommand("copy");
    }
    button.textContent = button.dataset.copied;
    setTimeout(() => {
      button.textContent = label;
    }, 3 * SECOND_MS);
  });
}

// How Brazilians write them. What has another form stays as it was typed: the service reads both.
const MARKS = {
  document: [
    [/^(\d{3})(\d{3})(\d{3})(\d{2})$/, "$1.$2.$3-$4"],
    [/^(\w{2})(\w{3})(\w{3})(\w{4})(\d{2})$/, "$1.$2.$3/$4-$5"],
  ],
  phone: [[/^(\d{2})(\d{4,5})(\d{4})$/, "($1) $2-$3"]],
  postal_code: [[/^(\d{5})(\d{3})$/, "$1-$2"]],
};

// Without this the button has no amount: it could not follow the choice.
function startNaming(button) {
  const name = () => {
    const price = button.form.querySelector(":checked ~ .price");
    if (price) button.textContent = button.dataset.pay.replace("{amount}", price.textContent);
  };
  button.form.addEventListener("change", name);
  name();
}

function startMarking(input) {
  input.addEventListener("change", () => {
    const bare = input.value.replaceAll(/[\s()./-]/g, "");
    const [pattern, marked] = MARKS[input.dataset.marks].find(([one]) => one.test(bare)) ?? [];
    if (pattern) input.value = bare.replace(pattern, marked);
  });
}

function startSharing(button) {
  const label = button.textContent;
  const { share: url, title, copied } = button.dataset;
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      if (navigator.share) return await navigator.share({ title, url });
    } catch ({ name }) {
      if (name === "AbortError") return;
    }
    try {
      await navigator.clipboard.writeText(url);
      button.textContent = copied;
    } catch {
      // Not allowed: the address is the page's own.
      return;
    }
    setTimeout(() => {
      button.textContent = label;
    }, 3 * SECOND_MS);
  });
}

function startPrinting(button) {
  button.hidden = false;
  forgetTyped(location.pathname.split("/")[2]);
  button.addEventListener("click", () => print());
}

// Compares with the state that the page was made from: a change before the first event counts too. Server-sent events
// bring the state; where they do not come through, the page asks every few seconds. A hidden page does neither: a browser
// has six connections to a host, which the streams of hidden tabs would use up. Shown again, it gets the state at once.
function startWatching(element) {
  const { watch: base, state: shown } = element.dataset;
  const take = (state) => {
    if (state !== shown) void onceReached(base, () => location.assign(base));
  };
  let timer;
  const poll = async (signal) => {
    try {
      const answer = await fetch(`${base}/status`, { signal });
      if (answer.ok) take(await answer.text());
    } catch {
      // The connection comes back.
    }
    if (!signal.aborted) timer = setTimeout(poll, POLL_MS, signal);
  };
  const listen = (signal) => {
    const events = new EventSource(`${base}/events`);
    signal.addEventListener("abort", () => events.close());
    events.addEventListener("message", ({ data }) => take(data));
    events.addEventListener("error", () => {
      if (events.readyState === EventSource.CLOSED && !signal.aborted) void poll(signal);
    });
  };
  let watching = new AbortController();
  const followVisibility = () => {
    watching.abort();
    clearTimeout(timer);
    if (document.hidden) return;
    watching = new AbortController();
    listen(watching.signal);
  };
  document.addEventListener("visibilitychange", followVisibility);
  followVisibility();
}

// What was typed stays in this tab, for the link's next session. It is gone with the receipt, and no card is in it.
function startKeeping({ dataset, elements, form }) {
  const key = `typed ${dataset.keep}`;
  try {
    const kept = JSON.parse(sessionStorage.getItem(key) ?? "{}");
    const isOther = new URLSearchParams(location.search).get("details") === "other";
    for (const input of elements) if (!isOther) input.value ||= kept[input.name] ?? "";
    form.addEventListener("submit", () => {
      const typed = [...elements].map(({ name, value }) => [name, value]);
      sessionStorage.setItem(key, JSON.stringify(Object.fromEntries(typed)));
    });
  } catch {
    // The browser keeps nothing.
  }
}

function forgetTyped(link) {
  try {
    sessionStorage.removeItem(`typed ${link}`);
  } catch {
    // The browser keeps nothing.
  }
}

// A payer who is back from the provider's page sees the result at once: the service asks for it, as "Check now" would.
function startReturning(link) {
  const { leave: base } = link.dataset;
  const key = `left ${base}`;
  try {
    const left = sessionStorage.getItem(key);
    link.addEventListener("click", () => sessionStorage.setItem(key, "1"));
    if (left === null) return;
    sessionStorage.removeItem(key);
  } catch {
    // The browser keeps nothing. The worker asks later.
    return;
  }
  fetch(`${base}/refresh`, { method: "POST", redirect: "manual" }).catch(() => undefined);
}

// A page that answers a form has an address of its own from here on: Back and reload would send the form again, or show
// the browser's error page.
const { readAt } = document.body.dataset;
if (readAt) history.replaceState(null, "", readAt);
for (const element of document.querySelectorAll("[data-countdown]")) startCountdown(element);
for (const button of document.querySelectorAll("[data-copy]")) startCopying(button);
for (const input of document.querySelectorAll("[data-marks]")) startMarking(input);
for (const button of document.querySelectorAll("[data-pay]")) startNaming(button);
for (const button of document.querySelectorAll("[data-share]")) startSharing(button);
for (const button of document.querySelectorAll("[data-print]")) startPrinting(button);
for (const fields of document.querySelectorAll("[data-keep]")) startKeeping(fields);
const watched = document.querySelector("[data-watch]");
if (watched) startWatching(watched);
const leaving = document.querySelector("[data-leave]");
if (leaving) startReturning(leaving);
for (const form of document.querySelectorAll("form[method=post]")) {
  form.addEventListener("submit", () => {
    // A second click sends nothing; the back button brings the form back alive.
    setTimeout(() => {
      for (const button of form.querySelectorAll("button")) button.disabled = true;
    });
  });
}
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) reload();
});
