"use strict";

// The pages work without this: it copies, asks before what cannot be undone, and sends small forms when they change.

const SECOND_MS = 1000;

function startCopying(button) {
  const label = button.textContent;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const field = document.getElementById(button.dataset.copy);
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without the permission, or over http: what the browser always had.
      field.select();
      document.execCommand("copy");
    }
    button.textContent = button.dataset.copied;
    setTimeout(() => {
      button.textContent = label;
    }, 3 * SECOND_MS);
  });
}

function start(root) {
  for (const button of root.querySelectorAll("[data-copy]")) startCopying(button);
  for (const select of root.querySelectorAll("[data-submit]")) {
    select.addEventListener("change", () => select.form.requestSubmit());
  }
}

start(document);
document.addEventListener("htmx:after:swap", ({ target }) =>
  start(target instanceof Element ? target : document),
);
document.getElementById("problems")?.focus();

// Open on a wide window, where it is no menu but the navigation itself.
const menu = document.querySelector("[data-menu]");
const isWide = matchMedia("(min-width: 60rem)");
const fit = () => {
  if (menu) menu.open = isWide.matches;
};
isWide.addEventListener("change", fit);
fit();

document.addEventListener("submit", (event) => {
  const question = event.submitter?.dataset.confirm;
  if (question && !confirm(question)) event.preventDefault();
  const { target: form } = event;
  if (event.defaultPrevented || form.method !== "post") return;
  // A second click sends nothing; the back button brings the form back alive.
  setTimeout(() => {
    for (const button of form.querySelectorAll("button")) button.disabled = true;
  });
});
addEventListener("pageshow", ({ persisted }) => {
  if (persisted) location.reload();
});

// What is left of something's time, counted on; at its end the page says what became of it.
for (const place of document.querySelectorAll("[data-left]")) {
  const end = performance.now() + Number(place.dataset.left) * SECOND_MS;
  const timer = setInterval(() => {
    const left = Math.max(0, Math.ceil((end - performance.now()) / SECOND_MS));
    const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    place.textContent = place.dataset.leftText.replace("{time}", time);
    if (left > 0) return;
    clearInterval(timer);
    // The last second itself still counts.
    setTimeout(() => location.reload(), 2 * SECOND_MS);
  }, SECOND_MS);
}
