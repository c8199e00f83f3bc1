import { randomBytes, randomUUID } from "node:crypto";
import { ConnectError } from "@connectrpc/connect";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { startBank, type Bank } from "../../tools/bank/bank.ts";
import { newAuthority } from "../../tools/bank/certificates.ts";
import { openCounter } from "../../tools/bank/counter.ts";
import type { CertificatePair } from "../../tools/bank/options.ts";
import type { ClientOptions } from "../../tools/bank/state.ts";
import {
  CallbackProofKind,
  ProviderAccountState,
  ProviderKind,
  ProvidersService,
  type PixConfigSchema,
} from "../../gen/paylink/providers/v1/providers_pb.ts";
import { tenantClient, type CoreClient } from "../core/client.ts";

type Config = MessageInitShape<typeof PixConfigSchema>;

const LABEL = "Demo bank";
const PROFILE = "bacen";
const PIX_KEY = "demo@example.com";
const SECRET_BYTES = 24;
const REFUSED_ADDRESS = /does not lead to the public internet/;

/**
 * Starts a bank on this machine and connects the tenant's live mode to it. A signal ends it. Throws Error if the service
 * does not allow it, or if the tenant has an account at a real provider, or one for PIX of another profile.
 */
export async function startDemoBank(
  tenantId: string,
  port: number,
): Promise<{ readonly accountId: string; readonly payUrl: string }> {
  const authority = newAuthority("paylink demo bank");
  const client: ClientOptions = {
    id: `demo-${randomUUID()}`,
    secret: randomBytes(SECRET_BYTES).toString("base64url"),
    // A rotation keeps it.
    keys: [PIX_KEY],
  };
  const bank = await startBank({
    server: authority.issue("localhost"),
    clientAuthority: authority.cert,
    clients: [client],
    callbacks: { isHttpAllowed: true },
  });
  try {
    const counter = await openCounter(bank, port).catch((error: unknown) => {
      throw isTaken(error)
        ? new Error(`Port ${port} is taken: name another by --port.`, { cause: error })
        : error;
    });
    const config = configAt(bank, client, authority.issue("paylink demo client"), authority.cert);
    const accountId = await connect(
      await tenantClient(ProvidersService, { tenant: tenantId, mode: "live" }),
      config,
    );
    const end = (): void => {
      void Promise.all([counter.close(), bank.stop()]).finally(() => process.exit(0));
    };
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, end);
    return { accountId, payUrl: counter.url };
  } catch (error) {
    await bank.stop();
    throw error;
  }
}

function configAt(bank: Bank, client: ClientOptions, identity: CertificatePair, ca: string): Config {
  return {
    clientId: client.id,
    clientSecret: client.secret,
    pixKey: client.keys[0] ?? "",
    certificate: identity.cert,
    privateKey: identity.key,
    ca,
    baseUrl: bank.baseUrl,
    tokenUrl: bank.tokenUrl,
    callback: { kind: CallbackProofKind.HMAC },
  };
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EADDRINUSE";
}

/** Gives the tenant's demo account this bank, or makes one. Returns its id. Throws Error. */
async function connect(
  { client, options }: CoreClient<typeof ProvidersService>,
  config: Config,
): Promise<string> {
  const { accounts } = await client.listProviderAccounts({}, options);
  const active = accounts.filter(({ state }) => state === ProviderAccountState.ACTIVE);
  const real = active.find(({ isDemo }) => !isDemo);
  if (real) throw new Error(`The tenant's live mode has the account ${real.id} at a real provider.`);
  const pix = active.find(({ kind }) => kind === ProviderKind.PIX);
  if (pix && pix.profile !== PROFILE) {
    throw new Error(
      `The tenant's live mode takes PIX by ${pix.id} of the profile ${pix.profile}: retire it first.`,
    );
  }
  let id = pix?.id;
  try {
    if (id !== undefined) await client.rotateProviderAccount({ id, config }, options);
    else {
      const request = { kind: ProviderKind.PIX, profile: PROFILE, label: LABEL, config };
      id = (await client.putProviderAccount(request, options)).account?.id ?? "";
    }
  } catch (error) {
    if (!(error instanceof ConnectError) || !REFUSED_ADDRESS.test(error.rawMessage)) throw error;
    throw new Error(
      "The service does not allow a bank on its own machine: start it with PROVIDER_ALLOW_LOOPBACK=true npm start.",
      { cause: error },
    );
  }
  const { isAccepted, problem } = await client.verifyProviderAccount({ id, isRegistered: true }, options);
  if (!isAccepted) throw new Error(`The service does not reach the demo bank: ${problem ?? "no reason"}.`);
  return id;
}
