import { createClient, type Client } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { lookup } from "node:dns";
import {
  CallbackProofKind,
  ProviderKind,
  ProvidersService,
  type CallbackProofSchema,
  type PixConfigSchema,
} from "../../gen/paylink/providers/v1/providers_pb.ts";
import { KEY, CLIENT, testBank, type TestBank } from "../api-pix/connected.ts";
import type { BankOptions } from "../../tools/bank/options.ts";
import { createMerchant, type Merchant } from "../support/merchant.ts";
import { Payer } from "../support/payer.ts";
import { startService, type ServiceSettings, type TestService } from "../support/service.ts";

const DAY_SECONDS = 86_400;
// Of UTC.
const NOON_SECONDS = 15 * 3600;

type Config = Extract<MessageInitShape<typeof PixConfigSchema>, { readonly $typeName?: never }>;

/** A service whose live mode can reach a bank on this machine. */
export interface LiveService extends TestBank {
  readonly service: TestService;
  readonly providers: Client<typeof ProvidersService>;
  close(): Promise<void>;
}

export async function startLive(
  settings: ServiceSettings = {},
  bank: Partial<BankOptions> = {},
  start: (settings: ServiceSettings) => Promise<TestService> = async (given) =>
    await startService("direct", given),
): Promise<LiveService> {
  const made = await testBank(bank);
  const service = await start({
    allowLoopbackProviders: true,
    // The bank's name has an IPv6 address too, where it does not listen.
    lookup: (name, options, callback) => lookup(name, { ...options, family: 4 }, callback),
    ...settings,
  });
  service.clock.stop();
  made.bank.clock.set(new Date(service.clock.nowMs()));
  return {
    ...made,
    service,
    providers: createClient(ProvidersService, service.core.transport),
    close: async () => {
      await service.close();
      await made.bank.stop();
    },
  };
}

/** Returns the config of an account at the bank. */
export function configAt({ bank, authority, identity }: TestBank, given: Config = {}): Config {
  return {
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    pixKey: KEY,
    certificate: identity.cert,
    privateKey: identity.key,
    ca: authority.cert,
    baseUrl: bank.baseUrl,
    tokenUrl: bank.tokenUrl,
    callback: { kind: CallbackProofKind.HMAC },
    ...given,
  };
}

/** A PIX payment that waits for its money. */
export interface Started {
  readonly paymentId: string;
  /** Its txid at the bank. */
  readonly reference: string;
  readonly payer: Payer;
}

/** A merchant whose live mode has an account at the bank. */
export interface LiveMerchant extends Merchant {
  readonly accountId: string;
  /** The path of its callbacks. */
  readonly path: string;
  /** Opens a link, and starts a PIX payment. */
  readonly start: (link?: object) => Promise<Started>;
  readonly status: (paymentId: string) => Promise<string>;
}

export async function connectMerchant(
  live: LiveService,
  proof: MessageInitShape<typeof CallbackProofSchema> = { kind: CallbackProofKind.HMAC },
  given: Config = {},
): Promise<LiveMerchant> {
  const merchant = await createMerchant(live.service, {}, "live");
  const config = configAt(live, { ...given, callback: proof });
  const request = { kind: ProviderKind.PIX, profile: "bacen", config };
  const { account, callbackUrl } = await live.providers.putProviderAccount(request, merchant.as);
  return {
    ...merchant,
    accountId: account?.id ?? "",
    path: new URL(callbackUrl).pathname,
    start: async (link = {}) => {
      const payer = new Payer(live.service, await merchant.newLink({ payment_methods: ["pix"], ...link }));
      await payer.open();
      const { paymentId } = await payer.start();
      return { paymentId, reference: paymentId.replace("_", ""), payer };
    },
    status: async (paymentId) => (await merchant.api.get(`/v1/payments/${paymentId}`)).body.status,
  };
}

/** Lets time pass until the next noon in São Paulo: a day then ends in none of a test's next hours. */
export function passUntilNoon(live: LiveService): void {
  const nowSeconds = Math.floor(live.service.clock.nowMs() / 1000);
  advance(live, DAY_SECONDS - ((nowSeconds - NOON_SECONDS) % DAY_SECONDS));
}

/** Moves the service's clock and the bank's. */
export function advance({ service, bank }: LiveService, seconds: number): void {
  service.clock.advance(seconds);
  bank.clock.advance(seconds);
}
