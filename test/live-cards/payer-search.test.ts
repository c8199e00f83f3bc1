import { describe, expect, test } from "vitest";
import { shortName } from "../../src/checkout/payer-names.ts";
import { ConsoleClient, createUser } from "../support/console.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { forFile } from "../support/for-file.ts";
import { PASSWORD } from "../support/users.ts";
import { connectCards, pass, PERSON, startCards } from "./card-merchant.ts";

const cards = await forFile(startCards());
const { service, asaas } = cards;
const rows = await forFile(new DatabaseRows(service.databaseUrl).open());
const merchant = await connectCards(cards);
const clientOf = async (role: "owner" | "finance" | "viewer") =>
  new ConsoleClient(service, await createUser(service, merchant.tenant.id, role));
const [finance, viewer] = [await clientOf("finance"), await clientOf("viewer")];

const PAGES = "/console/live/payments";
const PERIOD = "from=2026-01-01&to=2030-01-01";
const LIST = `${PAGES}?${PERIOD}`;
const TITLE = "Tênis de corrida · Ana S.";
const { paymentId } = await merchant.start(1, { description: "Tênis de corrida" });
const found = async (client: ConsoleClient, typed: string) =>
  (await client.get(`${LIST}&q=${encodeURIComponent(typed)}`)).body.includes(`title="${paymentId}"`);

describe("a payment whose payer gave a name", () => {
  test("is named by product and short name for those who may see payers, and by product for others", async () => {
    for (const [client, isNamed] of [
      [finance, true],
      [viewer, false],
    ] as const) {
      for (const path of [LIST, `${PAGES}/${paymentId}`]) {
        const { body } = await client.get(path);
        expect(body.includes(TITLE)).toBe(isNamed);
        expect(body).toContain("Tênis de corrida");
        expect(body).not.toContain(PERSON.name);
      }
    }
    const { body } = await finance.get(`${PAGES}/export.excel.csv?${PERIOD}`);
    expect(body).toContain(";Tênis de corrida;Ana S.;");
  });

  test.each(["ana", "SOUZA", "souza ana", "Ána", "Ana S.", "S. Ana", PERSON.document, "52998224725"])(
    "is found by %s, by those who may see payers",
    async (typed) => {
      expect(await found(finance, typed)).toBe(true);
      expect(await found(viewer, typed)).toBe(false);
    },
  );

  test.each(["an", "S.", "Bia S.", "ana silva", "ana@example.com"])("is not found by %s", async (typed) => {
    expect(await found(finance, typed)).toBe(false);
  });

  test("keeps no name beside the encrypted one, and none of another tenant is found by the same words", async () => {
    const [row] = await rows.read(
      "SELECT to_jsonb(c)::text AS text FROM live.charge c WHERE payment_id = $1",
      [paymentId],
    );
    expect(String(row?.["text"])).not.toMatch(/ana|souza|529982/i);
    const other = await connectCards(cards);
    const second = await other.start();
    const words = await rows.read(
      "SELECT unnest(payer_words) AS word FROM live.charge WHERE payment_id = ANY ($1)",
      [[paymentId, second.paymentId]],
    );
    expect(words).toHaveLength(6);
    expect(new Set(words.map(({ word }) => word)).size).toBe(6);
  });

  test("is not found by its payer any more, and has no name, once the details are erased", async () => {
    await pass(cards, 86_400);
    asaas.clock.set(new Date(service.clock.nowMs()));
    await rows.run("UPDATE live.charge SET is_open = false WHERE payment_id = $1", [paymentId]);
    const owner = await clientOf("owner");
    const page = `${PAGES}/${paymentId}`;
    const { statusCode } = await owner.post(`${page}/erase-payer`, `${page}/erase-payer`, {
      password: PASSWORD,
    });
    expect(statusCode).toBe(303);
    expect(
      await rows.count("live.charge WHERE payment_id = $1 AND payer_words IS NOT NULL", [paymentId]),
    ).toBe(0);
    expect((await owner.get(page)).body).not.toContain("Ana S.");
  });
});

test.each([
  ["Ana Souza", "Ana S."],
  ["Ana Beatriz de Oliveira", "Ana O."],
  ["  Ana  ", "Ana"],
  ["ana élan", "ana É."],
  ["", ""],
])("the short name of %j is %j", (name, short) => {
  expect(shortName(name)).toBe(short);
});
