import { join } from "node:path";
import type { Answers } from "./floor.ts";
import { headersOf, type Server } from "./server.ts";
import { HERE, type Prepared, type Stage } from "./stage.ts";
import { create, nextKey, type Rival } from "./workloads.ts";

/** Starts the services that this one is compared with, on its database. */
export async function startRivals(
  stage: Stage,
  prepared: Prepared,
  ours: Server,
): Promise<Readonly<Record<Rival, Server>>> {
  const { key } = prepared;
  const env = { DATABASE_URL: prepared.url, CHECKOUT_BASE: ours.address };
  const script = join(HERE, "tools", "bench", "plain", "server.ts");
  const plain = await stage.start("plain", [script], key, env);
  const single = await stage.start("single", [script], key, { ...env, ONE_STATEMENT: "1" });
  const own = await answersOf(ours);
  for (const rival of [plain, single]) requireSame(own, await answersOf(rival), rival.name);
  const floor = await stage.start("floor", [join(HERE, "tools", "bench", "floor.ts")], key, {
    ANSWERS: JSON.stringify(own),
    API_KEY: key,
  });
  return { plain, single, floor };
}

async function answersOf(server: Server): Promise<Answers> {
  const text = async (
    path: string,
    options: RequestInit = { headers: headersOf(server.key) },
  ): Promise<string> => await (await fetch(`${server.address}${path}`, options)).text();
  const page = async (limit: number): Promise<string> =>
    await text(`/v1/payments?from=2020-01-01&to=2099-12-31&limit=${limit}`);
  const { path, ...link } = create(server, nextKey());
  return {
    link: await text(path, link),
    payment: await text(`/v1/payments/pay_${"1".padStart(26, "0")}`),
    pages: { 20: await page(20), 100: await page(100) },
  };
}

/** They must do the same work: their answers are the same but for ids and times of a new link. */
function requireSame(own: Answers, other: Answers, name: string): void {
  if (comparable(own) !== comparable(other)) {
    throw new Error(`${name} answers in another way:\n${comparable(own)}\n${comparable(other)}`);
  }
}

function comparable({ link, ...rest }: Answers): string {
  const made = { ...(JSON.parse(link) as object), id: "", checkout_url: "", created: 0, expires_at: 0 };
  return JSON.stringify([made, rest]);
}
