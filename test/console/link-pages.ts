import { ConsoleClient, createUser } from "../support/console.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { forFile } from "../support/for-file.ts";
import { startService, type TestService } from "../support/service.ts";

export const LIST = "/console/test/links";
export const NEW = `${LIST}/new`;

/** An owner who is signed in at the pages of a merchant's links. */
export class LinkPages {
  readonly service: TestService;
  readonly merchant: Merchant;
  readonly owner: ConsoleClient;

  private constructor(service: TestService, merchant: Merchant, owner: ConsoleClient) {
    this.service = service;
    this.merchant = merchant;
    this.owner = owner;
  }

  /** Starts what a file's tests share, and closes it after them. */
  static async forFile(): Promise<LinkPages> {
    const service = await forFile(startService());
    const merchant = await createMerchant(service);
    const user = await createUser(service, merchant.tenant.id, "owner");
    return new LinkPages(service, merchant, new ConsoleClient(service, user));
  }

  /** Sends the form of a new link. */
  async create(form: Record<string, string | string[]>, client = this.owner) {
    const answer = await client.post(NEW, NEW, { currency: "BRL", payment_methods: "pix", ...form });
    const id = /\/links\/(pl_\w+)\?done=made$/.exec(answer.headers.location ?? "")?.[1] ?? "";
    return { answer, id };
  }

  async read(id: string) {
    return await this.merchant.links.getPaymentLink({ id }, this.merchant.as);
  }
}
