import { DatabaseRows } from "../support/database-rows.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService, type TestService } from "../support/service.ts";

export const FORM = { "content-type": "application/x-www-form-urlencoded" };

/** A service with a merchant, and requests for its payers' pages without a browser. */
export class PageCaller {
  readonly service: TestService;
  readonly merchant: Merchant;
  readonly rows: DatabaseRows;

  private constructor(service: TestService, merchant: Merchant, rows: DatabaseRows) {
    this.service = service;
    this.merchant = merchant;
    this.rows = rows;
  }

  static async start(): Promise<PageCaller> {
    const service = await startService();
    const rows = await new DatabaseRows(service.databaseUrl).open();
    return new PageCaller(service, await createMerchant(service), rows);
  }

  async close(): Promise<void> {
    await this.rows.close();
    await this.service.close();
  }

  readonly get = async (url: string, headers: Record<string, string> = {}) =>
    await this.service.gateway.inject({ url, headers });

  readonly post = async (url: string, form: Record<string, string> | string = {}) =>
    await this.service.gateway.inject({
      method: "POST",
      url,
      headers: FORM,
      payload: typeof form === "string" ? form : new URLSearchParams(form).toString(),
    });

  /** Sends a form as a browser does: returns the page to which it leads, read with the cookies that it set. */
  readonly submit = async (url: string, form: Record<string, string> | string = {}) => {
    const { statusCode, headers } = await this.post(url, form);
    if (statusCode !== 303) throw new Error(`the form was answered ${statusCode}`);
    const cookie = [headers["set-cookie"] ?? []].flat().map((one) => one.split(";")[0]);
    return await this.get(String(headers.location), { cookie: cookie.join("; ") });
  };

  /** Returns the path of a new session of a new link. */
  readonly opened = async (link: object = {}): Promise<string> => {
    const id = await this.merchant.newLink(link);
    return String((await this.post(`/pay/${id}/sessions`)).headers.location);
  };
}
