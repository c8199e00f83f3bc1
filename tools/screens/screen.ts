import type { PayerPage } from "../../test/support/browser.ts";

/** Who looks: a payer or a guest of the console without a session, a user of the company, one who may only read, or of a new company. */
export type Who = "payer" | "guest" | "owner" | "viewer" | "newcomer";

/** A page in one of its states. */
export interface Screen {
  /** Its name in a file's: letters, digits and hyphens, with a "/" behind the part of the service. */
  readonly name: string;
  readonly who: Who;
  readonly address: string;
  /** True: the page's own script does a part of it. */
  readonly isScripted?: boolean;
  /** What is done there before it is looked at. */
  readonly act?: (page: PayerPage) => Promise<void>;
}
