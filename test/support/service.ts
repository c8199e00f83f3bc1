import { createClient, type Transport } from "@connectrpc/connect";
import type { FastifyInstance } from "fastify";
import { coreTransport } from "../../cli/core/core-transport.ts";
import { IdentityService, Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { PUBLIC_SERVICES } from "../../contract/public-services.ts";
import { PricingService } from "../../gen/paylink/pricing/v1/pricing_pb.ts";
import { seedPricing } from "../../cli/serve/seed.ts";
import { createGateway, type GatewayOptions } from "../../gateway/app.ts";
import { createCore, type Core } from "../../src/app.ts";
import { createCoreHttpServer } from "../../src/listeners.ts";
import { coreOptions, CORE_TOKEN, MEDIA_BASE, type CoreSettings } from "./core-options.ts";
import { cloneDatabase } from "./database.ts";
import { DocumentedAnswers } from "./documented-answers.ts";
import { MovableClock } from "./clock.ts";

/** A tenant with a key of each mode. */
export interface TestTenant {
  readonly id: string;
  readonly legalEntityId: string;
  readonly testKey: string;
  readonly liveKey: string;
}

interface TenantOptions {
  readonly payoutCurrency?: "BRL" | "USD";
  readonly paymentMethods?: string[];
  readonly maxInstallments?: number;
  readonly settlementDays?: number;
  readonly collectFields?: string[];
}

/** The whole service on a database of its own. The network variant puts a real socket between gateway and core. */
export interface TestService {
  readonly gateway: FastifyInstance;
  readonly core: Core;
  readonly transport: Transport;
  readonly clock: MovableClock;
  readonly databaseUrl: string;
  /** Headers of an internal caller. */
  readonly internal: { headers: Record<string, string> };
  createTenant(options?: TenantOptions): Promise<TestTenant>;
  readonly createKey: (
    tenantId: string,
    mode: "live" | "test",
    scopes?: string[],
  ) => Promise<{ id: string; key: string }>;
  /** What the core logged as faults of ours; a test that causes some takes them out, else `close` throws. */
  readonly faults: unknown[];
  /** What the gateway answered, held against the OpenAPI document; `close` throws what was not as it says. */
  readonly answers: DocumentedAnswers;
  close(): Promise<void>;
}

/** What a test sets otherwise than the service does. */
export type ServiceSettings = CoreSettings &
  Pick<GatewayOptions, "rateLimits" | "trustedProxies" | "certificateProxies">;

const PUBLIC_URL = "http://127.0.0.1:8080";

async function startGateway(
  transport: Transport,
  core: Core,
  answers: DocumentedAnswers,
  settings: ServiceSettings,
): Promise<FastifyInstance> {
  const gateway = createGateway({
    transport,
    services: PUBLIC_SERVICES,
    coreToken: CORE_TOKEN,
    versions: [{ name: "v1" }],
    logger: false,
    publicUrl: settings.checkoutBase ?? PUBLIC_URL,
    allowsHttpConsole: true,
    ...(settings.rateLimits ? { rateLimits: settings.rateLimits } : {}),
    ...(settings.trustedProxies ? { trustedProxies: settings.trustedProxies } : {}),
    ...(settings.certificateProxies ? { certificateProxies: settings.certificateProxies } : {}),
    mediaBase: settings.mediaBase ?? MEDIA_BASE,
    ...(settings.sessionsPerAddress ? { sessionsPerAddress: settings.sessionsPerAddress } : {}),
    // A test that waits for a page's change waits for a read.
    watchPollMs: 200,
    isReady: core.isReady,
  });
  answers.watch(gateway);
  await gateway.ready();
  return gateway;
}

/** One more core and gateway on the same database, as a second machine or a restart would be. */
export async function secondService(
  first: TestService,
  settings: CoreSettings = {},
): Promise<{ gateway: FastifyInstance; core: Core; close: () => Promise<void> }> {
  const faults: unknown[] = [];
  const core = await createCore(coreOptions(first.databaseUrl, first.clock, faults, settings));
  const answers = new DocumentedAnswers();
  const gateway = await startGateway(core.transport, core, answers, settings);
  return {
    gateway,
    core,
    close: async () => {
      await gateway.close();
      await core.close();
      if (faults.length > 0) throw new Error("the second core reported faults", { cause: faults });
      if (answers.count > 0) answers.expectNone();
    },
  };
}

/** Starts the service with the rules, policies and rates of the pricing page's vectors in both modes. */
export async function startService(
  kind: "direct" | "network" = "direct",
  settings: ServiceSettings = {},
  /** The way by which the service reaches its database. */
  wayTo: (databaseUrl: string) => Promise<string> = (url) => Promise.resolve(url),
): Promise<TestService> {
  const { url } = await cloneDatabase();
  return await startServiceOn(url, kind, settings, wayTo);
}

/** As `startService`, on a migrated database. */
export async function startServiceOn(
  databaseUrl: string,
  kind: "direct" | "network",
  { rateLimits, trustedProxies, certificateProxies, ...settings }: ServiceSettings = {},
  wayTo: (databaseUrl: string) => Promise<string> = (url) => Promise.resolve(url),
): Promise<TestService> {
  const clock = new MovableClock();
  const faults: unknown[] = [];
  const core = await createCore(coreOptions(await wayTo(databaseUrl), clock, faults, settings));
  const http = kind === "network" ? await createCoreHttpServer(core) : undefined;
  const transport = http
    ? coreTransport([await http.listen({ host: "127.0.0.1", port: 0 })])
    : core.transport;
  const answers = new DocumentedAnswers();
  const gateway = await startGateway(transport, core, answers, {
    ...settings,
    ...(rateLimits ? { rateLimits } : {}),
    ...(trustedProxies ? { trustedProxies } : {}),
    ...(certificateProxies ? { certificateProxies } : {}),
  });
  const internal = { headers: { authorization: `Bearer ${CORE_TOKEN}` } };
  const identity = createClient(IdentityService, core.transport);
  await seedPricing(createClient(PricingService, core.transport), internal.headers);

  const createKey: TestService["createKey"] = async (tenantId, mode, scopes = []) =>
    await identity.createApiKey(
      { tenantId, mode: mode === "live" ? Mode.LIVE : Mode.TEST, scopes },
      internal,
    );
  return {
    gateway,
    core,
    transport,
    clock,
    internal,
    faults,
    answers,
    createKey,
    databaseUrl,
    createTenant: async (options = {}) => {
      const { id, legalEntityId } = await identity.createTenant(
        {
          name: "Test",
          payoutCurrency: "BRL",
          paymentMethods: ["pix", "card", "ted"],
          ...options,
        },
        internal,
      );
      const [test, live] = [await createKey(id, "test"), await createKey(id, "live")];
      return {
        id,
        legalEntityId,
        testKey: test.key,
        liveKey: live.key,
      };
    },
    close: async () => {
      await gateway.close();
      await http?.close();
      await core.close();
      if (faults.length > 0) throw new Error("the core reported faults", { cause: faults });
      answers.expectNone();
    },
  };
}
