import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { Leg, MatchRule } from "../../gen/paylink/reconciliation/v1/reconciliation_pb.ts";
import { forFile } from "../support/for-file.ts";
import { startService } from "../support/service.ts";
import { Books, ofx } from "./books.ts";

const service = await forFile(startService());

test("lines of our books, imports and decisions are listed in pages, with who made them and when", async () => {
  const books = await Books.of(service);
  const bankAccountId = await books.sandboxBank();
  const day = books.nextDay();
  const ids = [await books.pay(10_000), await books.pay(20_000)];
  books.nextDay();
  await books.work();
  const [first, second] = await books.statementLines();
  const files = [ofx([[day, 1n, "RENDIMENTO", "1"]]), ofx([[day, 2n, "RENDIMENTO", "2"]])];
  for (const [index, file] of files.entries()) await books.import(bankAccountId, file, `${index}.ofx`);
  const { client, as } = books;

  const all = await client.listBookLines({ accountId: "sandbox", from: day, to: day }, as);
  expect(new Set(all.lines.map(({ paymentId }) => paymentId))).toEqual(new Set(ids));
  expect(all.lines.map(({ rule, matchId }) => [rule, matchId?.slice(0, 4)])).toEqual([
    [MatchRule.REFERENCE, "rcm_"],
    [MatchRule.REFERENCE, "rcm_"],
  ]);
  const page = await client.listBookLines({ accountId: "sandbox", limit: 1 }, as);
  expect(page).toMatchObject({ lines: [all.lines[0]], hasMore: true, nextCursor: all.lines[0]?.key });
  const rest = await client.listBookLines(
    { accountId: "sandbox", limit: 1, startingAfter: page.nextCursor ?? "" },
    as,
  );
  expect(rest).toMatchObject({ lines: [all.lines[1]], hasMore: false });
  await expect(client.listBookLines({ accountId: "sandbox", startingAfter: "ours x" }, as)).rejects.toThrow(
    "starting_after",
  );
  expect(first).toMatchObject({
    booksRule: MatchRule.REFERENCE,
    rawSha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  expect(first?.bankRule).toBeUndefined();

  const imports = await client.listBankImports({ bankAccountId }, as);
  expect(
    imports.imports.map(({ fileName, sha256, importedBy }) => ({ fileName, sha256, importedBy })),
  ).toEqual(
    [1, 0].map((index) => ({
      fileName: `${index}.ofx`,
      sha256: createHash("sha256")
        .update(files[index] ?? "")
        .digest("hex"),
      importedBy: "core",
    })),
  );
  const [latest] = imports.imports;
  const earlier = await client.listBankImports({ bankAccountId, startingAfter: latest?.id ?? "" }, as);
  expect(earlier.imports).toEqual([imports.imports[1]]);
  await expect(client.listBankImports({ bankAccountId: "bac_none" }, as)).rejects.toThrow(
    "no such bank account",
  );

  const decide = async (key = "", reason = "") =>
    (await client.decide({ leg: Leg.BANK, lineKeys: [key], reason }, as)).decision;
  const made = [await decide(first?.key, "one"), await decide(second?.key, "two")];
  await client.undoDecision({ id: made[1]?.id ?? "" }, as);
  const { decisions } = await client.listDecisions({ from: books.today(), to: books.today() }, as);
  expect(decisions.map(({ reason, madeBy, undoneBy }) => [reason, madeBy, undoneBy])).toEqual([
    ["two", "core", "core"],
    ["one", "core", undefined],
  ]);
  expect((await client.listDecisions({ to: day }, as)).decisions).toEqual([]);
  expect(await client.listDecisions({ startingAfter: made[1]?.id ?? "", limit: 1 }, as)).toMatchObject({
    decisions: [made[0]],
    hasMore: false,
  });
  const { differences } = await books.day(day);
  expect(differences.find(({ decisionId }) => decisionId === made[0]?.id)).toMatchObject({
    reason: "one",
    decidedBy: "core",
    decidedAt: made[0]?.madeAt,
  });
});
