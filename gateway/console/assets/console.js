"use strict";

// The pages work without this: it copies, asks before what cannot be undone, and sends small forms when they change.

const SECOND_MS = 1000;

/** A field with a text that no field of the page shows. */
function textField(sibling, text) {
  const field = document.createElement("textarea");
  field.className = "hidden";
  field.value = text;
  sibling.after(field);
  return field;
}

function startCopying(button) {
  const label = [...button.childNodes];
  button.hidden = false;
  button.addEventListener("click", async () => {
    const { copy, copyText } = button.dataset;
    const field = copyText === undefined ? document.getElementById(copy) : textField(button, copyText);
    try {
      await navigator.clipboard.writeText(field.value);
    } catch {
      // Without the permission, or over http: what the browser always had.
      field.select();
      document.execCommand("copy");
    }
    if (copyText !== undefined) field.remove();
    button.textContent = button.dataset.copied;
    setTimeout(() => {
      button.replaceChildren(...label);
    }, 3 * SECOND_MS);
  });
}

// Rows of a file that is small enough to be held are followed as they come; a larger one is the browser's to save.
const FOLLOWED_ROWS_MAX = 20_000;
const QUOTE = 34;
const LINE_FEED = 10;

/** Counts lines as they come; in CSV a line feed between quotes ends none. */
function lineCounter(isCsv) {
  let [count, isQuoted] = [0, false];
  return (bytes) => {
    for (const byte of bytes) {
      if (isCsv && byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LINE_FEED && !isQuoted) count++;
    }
    return count;
  };
}

async function followDownload(link, box) {
  const texts = JSON.parse(link.dataset.texts);
  const expected = Number(link.dataset.download);
  const [progress, status] = [box.querySelector("progress"), box.querySelector("[role=status]")];
  const number = new Intl.NumberFormat(link.dataset.language);
  const tell = (text, rows) => {
    status.textContent = text.replace("{rows}", number.format(rows));
  };
  const isCsv = new URL(link.href).pathname.endsWith(".csv");
  progress.hidden = false;
  try {
    const answer = await fetch(link.href);
    const type = answer.headers.get("content-type");
    if (!answer.ok || answer.redirected || !answer.body) throw new Error(`answered ${answer.status}`);
    const counted = lineCounter(isCsv);
    const chunks = [];
    let rows = 0;
    const reader = answer.body.getReader();
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      chunks.push(next.value);
      rows = Math.max(0, counted(next.value) - (isCsv ? 1 : 0));
      progress.value = rows;
      tell(texts.progress, rows);
    }
    const name = /filename="([^"]+)"/.exec(answer.headers.get("content-disposition"))[1];
    const saved = document.createElement("a");
    saved.href = URL.createObjectURL(new Blob(chunks, { type }));
    saved.download = name;
    saved.click();
    setTimeout(() => URL.revokeObjectURL(saved.href), SECOND_MS);
    tell(rows === expected ? texts.done : texts.differs, rows);
  } catch {
    // A stream that broke is no file.
    status.textContent = texts.failed;
  }
  progress.hidden = true;
}

function startDownload(link) {
  const box = link.closest(".download");
  link.addEventListener("click", (event) => {
    if (Number(link.dataset.download) > FOLLOWED_ROWS_MAX) {
      box.querySelector("[role=status]").textContent = JSON.parse(link.dataset.texts).large;
      return;
    }
    event.preventDefault();
    void followDownload(link, box);
  });
}

/** A file that is dropped on the form is as if it was chosen, and what it has is shown at once. */
function startDropping(form) {
  const field = form.querySelector("input[type=file]");
  const show = () => {
    if (field.files.length > 0) form.querySelector("button").click();
  };
  field.addEventListener("change", show);
  for (const type of ["dragover", "dragleave", "drop"]) {
    form.addEventListener(type, (event) => {
      event.preventDefault();
      form.classList.toggle("dropping", type === "dragover");
    });
  }
  form.addEventListener("drop", ({ dataTransfer }) => {
    if (dataTransfer.files.length !== 1) return;
    field.files = dataTransfer.files;
    show();
  });
}

const PLAIN_AMOUNT = /^(?:R\$\s*)?(\d{1,12})(?:[.,](\d{1,2}))?$/;

/** The button says what it will do with the amount that is typed, or nothing of it where only the service can read it. */
function startSaying(button) {
  const field = document.getElementById(button.dataset.amountOf);
  const plain = button.textContent.trim();
  const { amountText, amountWhole } = button.dataset;
  const format = new Intl.NumberFormat(document.documentElement.lang, { style: "currency", currency: "BRL" });
  const amountOf = (text) => {
    if (text === "") return amountWhole;
    const [, whole, cents = ""] = PLAIN_AMOUNT.exec(text) ?? [];
    return whole && format.format(`${whole}.${cents.padEnd(2, "0")}`);
  };
  const say = () => {
    const amount = amountOf(field.value.trim());
    button.textContent = amount ? amountText.replace("{amount}", amount) : plain;
  };
  field.addEventListener("input", say);
  say();
}

/** Shares by what the device offers. Whoever closes its sheet has shared nothing, which is no fault. */
function startSharing(button) {
  const { share, shareTitle } = button.dataset;
  if (!navigator.share) return;
  button.hidden = false;
  button.addEventListener("click", () => {
    navigator.share({ title: shareTitle, text: share }).catch(() => undefined);
  });
}

/** A picker and the text of a colour follow each other. */
function startPicking(picker) {
  const field = document.getElementById(picker.dataset.colorOf);
  picker.hidden = false;
  picker.addEventListener("input", () => {
    field.value = picker.value;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  field.addEventListener("input", () => {
    if (COLOR.test(field.value.trim())) picker.value = field.value.trim().toLowerCase();
  });
}

const COLOR = /^#[\da-f]{6}$/i;

/** The head of the payer's page as it is typed. */
function startBrand(head) {
  const [name, color] = ["display_name", "color"].map((key) => document.getElementById(`field-${key}`));
  if (!name || !color) return;
  const rect = head.querySelector("rect");
  const own = rect.getAttribute("fill");
  const show = () => {
    head.querySelector("span").textContent = name.value.trim() || head.dataset.brand;
    rect.setAttribute("fill", COLOR.test(color.value.trim()) ? color.value.trim() : own);
  };
  name.addEventListener("input", show);
  color.addEventListener("input", show);
  show();
}

/** Shows a day's values, which are in the chart's table, at the pointer and by the arrow keys. */
function startChart(chart) {
  const [plot, tip] = [chart.querySelector("[data-plot]"), chart.querySelector("[data-tip]")];
  const titles = [...chart.querySelectorAll("thead th")].map((cell) => cell.textContent.trim());
  const days = [...chart.querySelectorAll("tbody tr")].map((row) =>
    [...row.children].map((cell) => cell.textContent.trim()),
  );
  if (days.length === 0) return;
  const rects = [...plot.querySelectorAll("rect")];
  let now = days.length - 1;
  const textsOf = ([day, ...values]) => [
    day,
    ...values.map((value, index) => `${titles[index + 1]}: ${value}`),
  ];
  const tell = () => {
    plot.setAttribute("aria-valuenow", String(now + 1));
    plot.setAttribute("aria-valuetext", textsOf(days[now]).join(", "));
  };
  const hide = () => {
    tip.hidden = true;
    for (const rect of rects) rect.classList.remove("now");
  };
  const show = (index) => {
    now = Math.min(days.length - 1, Math.max(0, index));
    tell();
    tip.replaceChildren(
      ...textsOf(days[now]).map((text) => {
        const line = document.createElement("p");
        line.textContent = text;
        return line;
      }),
    );
    tip.hidden = false;
    rects.forEach((rect, place) => rect.classList.toggle("now", place % days.length === now));
    const middle = ((now + 0.5) / days.length) * plot.clientWidth;
    const left = Math.min(plot.clientWidth - tip.offsetWidth, Math.max(0, middle - tip.offsetWidth / 2));
    tip.style.left = `${left}px`;
  };
  const showAt = ({ clientX }) => {
    const { left, width } = plot.getBoundingClientRect();
    show(Math.floor(((clientX - left) / width) * days.length));
  };
  const keys = {
    ArrowLeft: () => now - 1,
    ArrowDown: () => now - 1,
    ArrowRight: () => now + 1,
    ArrowUp: () => now + 1,
    Home: () => 0,
    End: () => days.length - 1,
  };
  plot.tabIndex = 0;
  plot.setAttribute("role", "slider");
  plot.setAttribute("aria-label", plot.dataset.name);
  plot.setAttribute("aria-valuemin", "1");
  plot.setAttribute("aria-valuemax", String(days.length));
  tell();
  plot.addEventListener("pointerdown", showAt);
  plot.addEventListener("pointermove", showAt);
  plot.addEventListener("pointerleave", ({ pointerType }) => {
    if (pointerType === "mouse" && document.activeElement !== plot) hide();
  });
  plot.addEventListener("focus", () => show(now));
  plot.addEventListener("blur", hide);
  plot.addEventListener("keydown", (event) => {
    if (event.key === "Escape") hide();
    const next = keys[event.key];
    if (!next) return;
    event.preventDefault();
    show(next());
  });
}

const STARTS = [
  ["[data-chart]", startChart],
  ["[data-color-of]", startPicking],
  ["[data-brand]", startBrand],
  ["[data-share]", startSharing],
  ["[data-amount-of]", startSaying],
  ["[data-drop]", startDropping],
  ["[data-download]", startDownload],
  ["[data-copy], [data-copy-text]", startCopying],
  ["[data-submit]", (select) => select.addEventListener("change", () => select.form.requestSubmit())],
];
const started = new WeakSet();

/** Wakes what has come onto the page since. */
function start() {
  for (const [selector, startOne] of STARTS) {
    for (const element of document.querySelectorAll(selector)) {
      if (started.has(element)) continue;
      started.add(element);
      startOne(element);
    }
  }
}

start();
// It is told of whoever asked, which need not be where the answer stands.
document.addEventListener("htmx:after:swap", start);
document.getElementById("problems")?.focus();

// Folded in a pocket alone: on a wide window they are no folds but the page itself.
const isWide = matchMedia("(min-width: 60rem)");
const fit = () => {
  for (const fold of document.querySelectorAll("[data-fold]")) {
    fold.open = isWide.matches || fold.dataset.fold === "open";
  }
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

// What was searched for stays in the address, for whoever reloads or comes back.
document.addEventListener("htmx:after:swap", ({ detail }) => {
  const { sourceElement, request } = detail.ctx ?? {};
  if (!sourceElement?.matches("[data-keeps-address]")) return;
  history.replaceState(null, "", request.action);
  // What was wrong with an earlier search is not said of this one: that stands in the list.
  for (const problem of sourceElement.querySelectorAll(".problem")) problem.remove();
  for (const field of sourceElement.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
  }
});

// What is left of something's time, counted on; at its end the page says what became of it.
for (const countdown of document.querySelectorAll("[data-left]")) {
  const end = Date.now() + Number(countdown.dataset.left) * SECOND_MS;
  const timer = setInterval(() => {
    const left = Math.max(0, Math.ceil((end - Date.now()) / SECOND_MS));
    const time = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")}`;
    countdown.textContent = countdown.dataset.leftText.replace("{time}", time);
    if (left > 0) return;
    clearInterval(timer);
    // The last second itself still counts.
    setTimeout(() => location.reload(), 2 * SECOND_MS);
  }, SECOND_MS);
}
