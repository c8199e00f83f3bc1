import { createClient } from "@connectrpc/connect";
import { beforeAll, describe, expect, test } from "vitest";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { Api } from "../support/api.ts";
import { expectError } from "../support/error-answer.ts";
import { forFile } from "../support/for-file.ts";
import { createMerchant } from "../support/merchant.ts";
import { startService } from "../support/service.ts";

const service = await forFile(startService());
service.clock.set(new Date("2026-01-01T12:00:00-03:00"));
const merchant = await createMerchant(service);
const other = await createMerchant(service);
const ledger = createClient(LedgerService, service.core.transport);
const DAYS = ["2026-01-03", "2026-01-02", "2026-01-01"];

const get = async (path: string, by: { api: Api } = merchant) => await by.api.get(path);
const daysIn = ({ body }: { body: { data: { day: string }[] } }) => body.data.map(({ day }) => day);

beforeAll(async () => {
  await merchant.pay();
  service.clock.set(new Date("2026-01-05T12:00:00-03:00"));
  for (const day of DAYS.toReversed()) await ledger.sealDay({ day }, merchant.as);
  await ledger.sealDay({ day: "2026-01-04" }, other.as);
});

describe("GET /v1/closes", () => {
  test("lists the closed days, the latest first, page by page", async () => {
    const all = await get("/v1/closes");
    expect(daysIn(all)).toEqual(DAYS);
    expect(all.body).toMatchObject({ has_more: false, next_cursor: null });
    const first = await get("/v1/closes?limit=2");
    expect([daysIn(first), first.body]).toMatchObject([
      DAYS.slice(0, 2),
      { has_more: true, next_cursor: DAYS[1] },
    ]);
    expect(daysIn(await get(`/v1/closes?starting_after=${DAYS[1]}`))).toEqual(DAYS.slice(2));
    expect(daysIn(await get("/v1/closes", other))).toEqual(["2026-01-04"]);
  });

  test("lists those of a span of days", async () => {
    expect(daysIn(await get("/v1/closes?from=2026-01-02"))).toEqual(DAYS.slice(0, 2));
    expect(daysIn(await get("/v1/closes?from=2026-01-02&to=2026-01-02"))).toEqual(DAYS.slice(1, 2));
    expect(daysIn(await get("/v1/closes?to=2026-01-02&starting_after=2026-01-03"))).toEqual(DAYS.slice(1));
  });

  test.each([
    ["from=2026-02-30", { param: "from" }],
    ["from=2026-1-1", { param: "from" }],
    ["from=2026-01-02&to=2026-01-01", { param: "from" }],
    ["to=x", { param: "to" }],
    ["limit=101", { param: "limit" }],
    ["starting_after=2026-01-04", { param: "starting_after" }],
    ["starting_after=2026-02-30", { param: "starting_after" }],
    ["starting_after=x", { param: "starting_after" }],
    ["status=open", { code: "unknown_parameter", param: "status" }],
  ])("refuses ?%s", async (query, refusal) => {
    expectError(await get(`/v1/closes?${query}`), refusal);
  });
});

describe("GET /v1/closes/{day}", () => {
  test("answers a closed day with its sums and the hashes of its seal", async () => {
    const { seal } = await ledger.getSeal({ day: "2026-01-01" }, merchant.as);
    const [{ gross_amount, fee_amount, net_amount }] = (
      await get("/v1/payments?from=2026-01-01&to=2026-01-01")
    ).body.data;
    expect((await get("/v1/closes/2026-01-01")).body).toEqual({
      day: "2026-01-01",
      payment_count: 1,
      totals: [
        {
          gross_currency: "BRL",
          net_currency: "BRL",
          fee_currency: "BRL",
          status: "succeeded",
          payment_count: 1,
          gross_amount,
          fee_amount,
          net_amount,
        },
      ],
      format_version: 3,
      byte_count: Number(seal?.byteCount),
      rows_sha256: seal?.rowsSha256,
      head_sha256: seal?.headSha256,
      closed_at: Number(seal?.sealedAt?.seconds),
    });
    expect((await get("/v1/closes")).body.data.at(-1)).toEqual((await get("/v1/closes/2026-01-01")).body);
  });

  test("a day that is not closed, another tenant's and the other mode's are seal_not_found", async () => {
    const live = { api: new Api(service, merchant.tenant.liveKey) };
    for (const answer of [await get("/v1/closes/2026-01-04"), await get("/v1/closes/2026-01-01", live)])
      expectError(answer, { status: 404, code: "seal_not_found" });
    for (const day of ["2026-02-30", "x"]) expectError(await get(`/v1/closes/${day}`), { param: "day" });
    expectError(await get("/v1/closes/2026-01-01?x=1"), { code: "unknown_parameter", param: "x" });
  });
});
