import { html, type Html } from "../../pages/html.ts";
import type { MessageKey } from "../messages.ts";
import type { PageContext } from "../page.ts";
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

/**
 * Returns the form of a card whose browser gets a token for it at the provider. Its inputs have no names, so that no form
 * sends them; the script shows them, and sends what is in them to the one address that the page may reach.
 */
export function typedCard(
  context: PageContext,
  tokenUrl: string,
  isPixOffered: boolean,
  { problems }: Entered,
): Html {
  const { t, assets, nonces, connectTo } = context;
  connectTo(tokenUrl);
  const problem = problems["card_token"];
  return html`<noscript>
      <p class="note">${t("card_needs_script")} ${isPixOffered ? t("card_pix_instead") : ""}</p>
    </noscript>
    <fieldset
      class="fields"
      hidden
      data-token-url="${tokenUrl}"
      data-refused="${t("card_token_refused")}"
      data-unreachable="${t("card_token_unreachable")}"
    >
      <legend>${t("card_details")}</legend>
      <p class="quiet">${t("card_typed")}</p>
      ${INPUTS.map((input) => cardInput(context, input))}
      <p class="problem" id="card_token" role="alert" tabindex="-1" ${problem ? "" : html` hidden`}>
        ${problem ? t(problem) : ""}
      </p>
      <input type="hidden" name="card_token" value="" />
    </fieldset>
    <script defer nonce="${nonces.script}" src="${assets.cardScript.path}"></script>`;
}

function cardInput({ t }: PageContext, { name, autocomplete, inputMode, charactersMax }: CardInput): Html {
  const id = `card_${name}`;
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
      aria-describedby="${id}_problem"
    />
    <p class="problem" id="${id}_problem" hidden>${t(`card_${name}_wrong` satisfies MessageKey)}</p>
  </div>`;
}
