import { dayAt } from "../../../contract/day.ts";
import type { Checkout } from "../../../gen/paylink/checkout/v1/checkout_pb.ts";
import { html, type Html } from "../../pages/html.ts";
import type { MessageKey } from "../messages.ts";
import type { PageContext } from "../page-context.ts";
import type { Entered } from "./payer-fields.ts";

interface CardInput {
  readonly name: "number" | "holder" | "expiry" | "cvv";
  readonly autocomplete: string;
  readonly inputMode: "numeric" | "text";
  readonly charactersMax: number;
}

const INPUTS: readonly CardInput[] = [
  { name: "number", autocomplete: "cc-number", inputMode: "numeric", charactersMax: 25 },
  { name: "holder", autocomplete: "cc-name", inputMode: "text", charactersMax: 64 },
  { name: "expiry", autocomplete: "cc-exp", inputMode: "numeric", charactersMax: 9 },
  { name: "cvv", autocomplete: "cc-csc", inputMode: "numeric", charactersMax: 4 },
];

// What each test card's issuer answers, as the sandbox's token says it. The numbers are of no card.
export const TEST_CARDS = [
  ["4000000000001000", "tok_approved"],
  ["4000000000002008", "tok_challenge"],
  ["4000000000003006", "tok_insufficient_funds"],
  ["4000000000004004", "tok_card_declined"],
  ["4000000000005001", "tok_expired_card"],
  ["4000000000006009", "tok_invalid_card"],
  ["4000000000007007", "tok_card_not_supported"],
  ["4000000000008005", "tok_authentication_failed"],
  ["4000000000009003", "tok_payment_declined"],
  ["4000000000010001", "tok_slow"],
  ["4000000000011009", "tok_silent"],
] as const;

/**
 * Returns the form of a card whose browser gets a token for it at the provider. Its inputs have no names, so that no form
 * sends them; the script shows them, and sends what is in them to the one address that the page may reach.
 */
export function typedCard(
  context: PageContext,
  checkout: Checkout,
  tokenUrl: string,
  isPixOffered: boolean,
  entered: Entered,
): Html {
  const { t, connectTo } = context;
  connectTo(tokenUrl);
  return html`<noscript>
      <p class="note">${t("card_needs_script")} ${isPixOffered ? t("card_pix_instead") : ""}</p>
    </noscript>
    <fieldset
      class="fields"
      hidden
      data-card
      data-token-url="${tokenUrl}"
      data-refused="${t("card_token_refused")}"
      data-unreachable="${t("card_token_unreachable")}"
      data-month="${monthOf(checkout)}"
    >
      <legend>${t("card_details")}</legend>
      <p class="quiet">${t("card_typed")}</p>
      ${cardInputs(context, entered)}
      <input type="hidden" name="card_token" value="" />
    </fieldset>
    ${cardScript(context)}`;
}

/**
 * Returns the same form for test mode. The script has the token of each test card's number; without it, the payer chooses
 * what the issuer answers.
 */
export function testCard(context: PageContext, checkout: Checkout, entered: Entered): Html {
  const { t } = context;
  return html`<fieldset
      class="fields"
      hidden
      data-card
      data-refused="${t("card_test_unknown")}"
      data-month="${monthOf(checkout)}"
    >
      <legend>${t("card_details")}</legend>
      <div class="field">
        <label for="test_card">${t("card_sandbox")}</label>
        <select id="test_card" aria-describedby="test_card_help">
          ${TEST_CARDS.map(([number, token]) => html`<option value="${number}" data-token="${token}">${t(token)}</option>`)}
        </select>
        <p class="quiet" id="test_card_help">${t("card_sandbox_help")}</p>
      </div>
      ${cardInputs(context, entered)}
      <input type="hidden" name="card_token" value="" />
    </fieldset>
    <noscript>
      <fieldset class="fields">
        <legend>${t("card_sandbox")}</legend>
        <label for="card_answer">${t("card_answer")}</label>
        <select id="card_answer" name="card_token">
          ${TEST_CARDS.map(([, token]) => html`<option value="${token}">${t(token)}</option>`)}
        </select>
      </fieldset>
    </noscript>
    ${cardScript(context)}`;
}

/** Returns the present month in São Paulo, YYYY-MM: the last one of some cards. */
function monthOf({ now }: Checkout): string {
  return dayAt(Number(now?.seconds ?? 0n) * 1000)
    .toPlainYearMonth()
    .toString();
}

function cardScript({ nonces, assets }: PageContext): Html {
  return html`<script defer nonce="${nonces.script}" src="${assets.cardScript.path}"></script>`;
}

/** Returns the inputs of a card, and the element that shows what is wrong with all of it. */
function cardInputs(context: PageContext, { problems }: Entered): Html {
  const problem = problems["card_token"];
  return html`${INPUTS.map((input) => cardInput(context, input))}
    <p class="problem" id="card_token" role="alert" tabindex="-1" ${problem ? "" : html` hidden`}>
      ${problem ? context.t(problem) : ""}
    </p>`;
}

/** Returns what an input's element of problems has, with what the script says in its place. */
function problemOf({ t }: PageContext, name: CardInput["name"]): Html {
  const text = t(`card_${name}_wrong` satisfies MessageKey);
  const texts = name === "expiry" ? html` data-wrong="${text}" data-past="${t("card_expiry_past")}"` : "";
  return html`<p class="problem" id="card_${name}_problem" hidden${texts}>${text}</p>`;
}

/** Returns the brands that are taken. The script shows the brand of the number in their place. */
function brands({ t }: PageContext): Html {
  const taken = t("card_brands_taken");
  // The name of a brand takes the place of "{brand}" in the script.
  const seen = t("card_brand_seen", { brand: "{brand}" });
  return html`<p class="quiet" id="card_brand" role="status" data-taken="${taken}" data-seen="${seen}">
    ${taken}
  </p>`;
}

function cardInput(context: PageContext, { name, autocomplete, inputMode, charactersMax }: CardInput): Html {
  const { t } = context;
  const id = `card_${name}`;
  const help = name === "number" ? "card_brand " : "";
  return html`<div class="field">
    <label for="${id}">${t(`card_${name}`)}</label>
    <input
      id="${id}"
      type="text"
      autocomplete="${autocomplete}"
      inputmode="${inputMode}"
      maxlength="${charactersMax}"
      autocapitalize="characters"
      spellcheck="false"
      aria-describedby="${help}${id}_problem"
    />
    ${name === "number" ? brands(context) : ""} ${problemOf(context, name)}
  </div>`;
}
