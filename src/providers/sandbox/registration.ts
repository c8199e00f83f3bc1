import type { Registration } from "../registration.ts";

/** The simulated provider of test mode, which has no accounts. Its tokens decline for these reasons. */
export const sandbox: Pick<Registration, "name" | "declineCodes"> = {
  name: "sandbox",
  // Merchants' tests rely on them, so they stay as they are.
  declineCodes: {
    "05": { code: "card_declined", isReversible: true },
    "14": { code: "invalid_card", isReversible: false },
    "51": { code: "insufficient_funds", isReversible: true },
    "54": { code: "expired_card", isReversible: false },
    "57": { code: "card_not_supported", isReversible: false },
    "3ds_n": { code: "authentication_failed", isReversible: true },
  },
};
