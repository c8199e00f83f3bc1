import { createClient, type Client } from "@connectrpc/connect";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { Format } from "../../gateway/pages/format.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { pictureFolder } from "../support/media.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { startService, type TestService } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";
import { textOf } from "../support/page-text.ts";

export const LIST = "/console/test/quotes";
export const NEW = `${LIST}/new`;
const format = new Format("pt-BR");

/** An amount as a page shows it. */
export const written = (minor: bigint, currency: string): string => textOf(format.money(minor, currency));

/** An owner who is signed in at the pages of a merchant's quotes; the merchant is paid in USD. */
export class QuotePages {
  readonly service: TestService;
  readonly merchant: Merchant;
  readonly owner: ConsoleClient;
  readonly pricing: Client<typeof PricingService>;
  readonly #pictures: Awaited<ReturnType<typeof pictureFolder>>;

  private constructor(
    { service, merchant, owner }: Pick<QuotePages, "service" | "merchant" | "owner">,
    pictures: Awaited<ReturnType<typeof pictureFolder>>,
  ) {
    this.service = service;
    this.merchant = merchant;
    this.owner = owner;
    this.pricing = createClient(PricingService, service.core.transport);
    this.#pictures = pictures;
  }

  /** Starts what a file's tests share, and closes it after them. */
  static async forFile(): Promise<QuotePages> {
    return await forFile(QuotePages.#start());
  }

  static async #start(): Promise<QuotePages> {
    const pictures = await pictureFolder();
    const service = await startService("direct", pictures);
    const merchant = await createMerchant(service, { payoutCurrency: "USD" });
    const owner = new ConsoleClient(service, await createUser(service, merchant.tenant.id, "owner"));
    return new QuotePages({ service, merchant, owner }, pictures);
  }

  /** Sends the form of a new quote. */
  async create(form: Record<string, string>, client = this.owner) {
    const answer = await client.post(NEW, NEW, { currency: "BRL", ...form });
    const id = /\/quotes\/(qt_\w+)\?done=made$/.exec(answer.headers.location ?? "")?.[1] ?? "";
    return { answer, id };
  }

  async stored(id: string) {
    const { quote } = await this.pricing.getQuote({ id }, this.merchant.as);
    if (!quote?.quote || !quote.details) throw new Error(`no quote ${id}`);
    return { quote: quote.quote, details: quote.details };
  }

  async close(): Promise<void> {
    await this.service.close();
    await this.#pictures.remove();
  }
}
