"use strict";

// A card goes from here to its provider alone, which gives a token for it. The form sends the token: the card's inputs
// have no names. In test mode there is no provider: the page has the numbers of test cards with their tokens, and nothing
// else that is typed leaves the browser.

const WAIT_MS = 30_000;

const card = document.querySelector("[data-card]");
const samples = document.getElementById("test_card");
const form = card.closest("form");
const token = form.elements.namedItem("card_token");
const outcome = document.getElementById("card_token");
const inputs = Object.fromEntries(
  ["number", "holder", "expiry", "cvv"].map((name) => [name, document.getElementById(`card_${name}`)]),
);
let isAsking = false;

function digitsOf(text) {
  return text.replaceAll(/\D/g, "");
}

function hasCheckDigit(number) {
  let sum = 0;
  for (let index = 0; index < number.length; index++) {
    const digit = Number(number.at(-1 - index)) * (index % 2 === 0 ? 1 : 2);
    sum += digit > 9 ? digit - 9 : digit;
  }
  return sum % 10 === 0;
}

// Returns the card as its provider takes it, and the inputs in which something is wrong.
function readCard() {
  const number = digitsOf(inputs.number.value);
  const holder = inputs.holder.value.trim();
  const [, month = "", year = ""] =
    /^\s*(\d{1,2})\s*\/?\s*(?:20)?(\d{2})\s*$/.exec(inputs.expiry.value) ?? [];
  const cvv = inputs.cvv.value.trim();
  const isRight = {
    number: number.length >= 13 && number.length <= 19 && hasCheckDigit(number),
    holder: holder !== "",
    expiry: Number(month) >= 1 && Number(month) <= 12,
    cvv: /^\d{3,4}$/.test(cvv),
  };
  const wrong = Object.keys(isRight).filter((name) => !isRight[name]);
  return {
    card: { number, holder_name: holder, exp_month: Number(month), exp_year: 2000 + Number(year), cvv },
    wrong,
  };
}

function showWrong(wrong) {
  for (const [name, input] of Object.entries(inputs)) {
    const isWrong = wrong.includes(name);
    document.getElementById(`card_${name}_problem`).hidden = !isWrong;
    if (isWrong) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
  inputs[wrong[0]]?.focus();
}

function setBusy(isBusy) {
  isAsking = isBusy;
  // After the page's other script, which disables them at each submission.
  setTimeout(() => {
    for (const button of form.querySelectorAll("button")) button.disabled = isBusy;
  });
}

function fail(text) {
  outcome.textContent = text;
  outcome.hidden = false;
  outcome.focus();
  setBusy(false);
}

// Fills in a test card, grouped as on a card.
function fillSample() {
  inputs.number.value = samples.value.replaceAll(/(.{4})(?=.)/g, "$1 ");
  inputs.holder.value = "PAGADOR DE TESTE";
  inputs.expiry.value = "12/39";
  inputs.cvv.value = "123";
}

// Groups digits while they are typed at the end. It holds nothing up: any other text is left as it is.
function group(input, pattern, separator) {
  input.addEventListener("input", ({ inputType }) => {
    const isAtEnd = input.selectionStart === input.value.length;
    if (!isAtEnd || inputType?.startsWith("delete") || /[^\d\s]/.test(input.value)) return;
    input.value = digitsOf(input.value).replaceAll(pattern, `$1${separator}`);
  });
}

async function tokenOf(typed) {
  if (samples) {
    const sample = [...samples.options].find(({ value }) => value === typed.number);
    return sample ? { token: sample.dataset.token } : { problem: card.dataset.refused };
  }
  const { tokenUrl, refused, unreachable } = card.dataset;
  const answer = await fetch(tokenUrl, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ type: "card", card: typed }),
    credentials: "omit",
    redirect: "error",
    signal: AbortSignal.timeout(WAIT_MS),
  });
  if (answer.status >= 400 && answer.status < 500) return { problem: refused };
  const { id } = await answer.json();
  // What the form sends must not be the card itself, whatever the answer says.
  if (!answer.ok || typeof id !== "string" || id.includes(typed.number)) return { problem: unreachable };
  return { token: id };
}

async function pay() {
  const { card: typed, wrong } = readCard();
  showWrong(wrong);
  outcome.hidden = true;
  // A payer would have to type the card again if the form came back for another field.
  if (wrong.length > 0 || !form.reportValidity()) return setBusy(false);
  setBusy(true);
  try {
    const { token: given, problem } = await tokenOf(typed);
    if (problem) return fail(problem);
    token.value = given;
  } catch {
    return fail(card.dataset.unreachable);
  }
  for (const input of Object.values(inputs)) input.value = "";
  form.submit();
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  if (!isAsking) void pay();
});
group(inputs.number, /(\d{4})(?=\d)/g, " ");
group(inputs.expiry, /^(\d{2})(?=\d)/g, "/");
if (samples) {
  samples.addEventListener("change", fillSample);
  fillSample();
}
card.hidden = false;
setBusy(false);
