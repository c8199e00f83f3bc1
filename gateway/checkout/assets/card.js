"use strict";

// A card goes from here to its provider alone, which gives a token for it. The form sends the token: the card's inputs
// have no names. In test mode there is no provider: the page has the numbers of test cards with their tokens, and nothing
// else that is typed leaves the browser.

const WAIT_MS = 30_000;
// No brand's card lasts longer.
const YEARS_MAX = 20;
const DIGITS_OF_BRAND = 6;
// Ranges of the first six digits. Elo and Hipercard come first: they have numbers in the others' ranges.
const BRANDS = [
  [
    "Elo",
    "401178-401179 431274 438935 451416 457393 457631-457632 504175 506699-506778 509000-509999 627780 636297 636368 " +
      "650031-650033 650035-650051 650405-650439 650485-650538 650541-650598 650700-650718 650720-650727 " +
      "650901-650978 651652-651679 655000-655019 655021-655058",
  ],
  ["Hipercard", "384100 384140 384160 606282 637095 637568 637599 637609 637612"],
  ["American Express", "340000-349999 370000-379999"],
  ["Mastercard", "222100-272099 510000-559999"],
  ["Visa", "400000-499999"],
].map(([name, ranges]) => [name, ranges.split(" ").map((range) => range.split("-"))]);

const card = document.querySelector("[data-card]");
const samples = document.getElementById("test_card");
const form = card.closest("form");
const token = form.elements.namedItem("card_token");
const outcome = document.getElementById("card_token");
const inputs = Object.fromEntries(
  ["number", "holder", "expiry", "cvv"].map((name) => [name, document.getElementById(`card_${name}`)]),
);
const brand = document.getElementById("card_brand");
const expiryProblem = document.getElementById("card_expiry_problem");
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

// Returns the brand of a number whose first six digits are there, or undefined if they are of no brand here.
function brandOf(number) {
  const start = number.slice(0, DIGITS_OF_BRAND);
  if (start.length < DIGITS_OF_BRAND) return undefined;
  const isOf = ([first, last = first]) => start >= first && start <= last;
  return BRANDS.find(([, ranges]) => ranges.some(isOf))?.[0];
}

// Says the brand while the number is typed, in place of the brands that are taken.
function showBrand() {
  const name = brandOf(digitsOf(inputs.number.value));
  const text = name ? brand.dataset.seen.replace("{brand}", name) : brand.dataset.taken;
  if (brand.textContent !== text) brand.textContent = text;
}

// Counts the months from the service's present one to a card's last: a payer's clock may be wrong.
function monthsLeft(month, year) {
  const [nowYear, nowMonth] = card.dataset.month.split("-").map(Number);
  return (2000 + Number(year) - nowYear) * 12 + Number(month) - nowMonth;
}

// Returns the card as its provider takes it, and the inputs in which something is wrong.
function readCard() {
  const number = digitsOf(inputs.number.value);
  const holder = inputs.holder.value.trim();
  const [, month = "", year = ""] =
    /^\s*(\d{1,2})\s*\/?\s*(?:20)?(\d{2})\s*$/.exec(inputs.expiry.value) ?? [];
  const cvv = inputs.cvv.value.trim();
  const isMonth = Number(month) >= 1 && Number(month) <= 12;
  const left = monthsLeft(month, year);
  const isRight = {
    number: number.length >= 13 && number.length <= 19 && hasCheckDigit(number),
    holder: holder !== "",
    expiry: isMonth && left >= 0 && left <= YEARS_MAX * 12,
    cvv: /^\d{3,4}$/.test(cvv),
  };
  const { wrong: unreadable, past } = expiryProblem.dataset;
  expiryProblem.textContent = isMonth && left < 0 ? past : unreadable;
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
  showBrand();
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
inputs.number.addEventListener("input", showBrand);
group(inputs.number, /(\d{4})(?=\d)/g, " ");
group(inputs.expiry, /^(\d{2})(?=\d)/g, "/");
if (samples) {
  samples.addEventListener("change", fillSample);
  fillSample();
}
card.hidden = false;
setBusy(false);
