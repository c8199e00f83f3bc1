import { createClient } from "@connectrpc/connect";
import { afterEach, describe, expect, test } from "vitest";
import { Mode } from "../../gen/paylink/identity/v1/identity_pb.ts";
import { LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import { DatabaseRows } from "../support/database-rows.ts";
import { startScene } from "../support/live-rates.ts";
import { startOlinda } from "../support/olinda.ts";
import { startService } from "../support/service.ts";

const ENDS: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ENDS.splice(0).toReversed()) await end();
});

const start = async () => await startScene(ENDS);

describe("a bulletin of the central bank", () => {
  test("is the rate at its own time, with source, bulletin and the time of fetching", async () => {
    const scene = await start();
    scene.olinda.publish("2031-03-06 13:10:20.291", "5.50000");
    scene.olinda.publish("2031-03-07 13:11:22.29", "5.43215");
    await scene.askAt("2031-03-07T14:00:30");
    const { spot, publicRateMicros, feed, heldCount } = await scene.rate();
    expect(spot).toMatchObject({
      spotMicros: 5_432_150n,
      source: "ptax",
      bulletin: "2031-03-07 13:11:22.29",
      maxAgeSeconds: 108_000n,
      publishedAt: { seconds: BigInt(Date.parse("2031-03-07T16:11:22Z") / 1000), nanos: 0 },
      fetchedAt: { seconds: BigInt(Date.parse("2031-03-07T17:00:30Z") / 1000), nanos: 0 },
      ageSeconds: 48n * 60n + 68n,
    });
    expect(publicRateMicros).toBe(5_513_633n);
    expect([feed?.source, feed?.failureCount, heldCount]).toEqual(["ptax", 0, 0]);
    expect(await scene.quoteAt("2031-03-07T14:00:31")).toBe(5.513633);
  });

  test("is asked for over ten days, and none among them is nothing new", async () => {
    const scene = await start();
    await scene.askAt("2031-03-07T14:00");
    expect(scene.olinda.asked).toHaveLength(1);
    expect(scene.olinda.asked[0]).toContain("@dataInicial='02-25-2031'&@dataFinalCotacao='03-07-2031'");
    const { spot, feed } = await scene.rate();
    expect([spot?.source, feed?.failureCount, feed?.answeredAt !== undefined]).toEqual(["manual", 0, true]);
    expect(scene.service.faults).toEqual([]);
  });

  test("that is older than the one before changes nothing, nor does the same one", async () => {
    const scene = await start();
    scene.olinda.publish("2031-03-07 13:10:20", "5.44");
    await scene.askAt("2031-03-07T14:00");
    await scene.askAt("2031-03-07T14:01");
    scene.olinda.clear();
    scene.olinda.publish("2031-03-06 13:10:20", "5.40");
    await scene.askAt("2031-03-07T14:02");
    expect(scene.olinda.asked).toHaveLength(3);
    expect((await scene.rate()).spot?.spotMicros).toBe(5_440_000n);
  });

  test("case 15: of Friday is in force on Sunday and until Monday's is six hours late", async () => {
    const scene = await start();
    scene.olinda.publish("2031-03-07 13:10:00.1", "5.44");
    await scene.askAt("2031-03-09T11:00");
    expect(await scene.quoteAt("2031-03-09T11:00")).toBe(5.5216);
    expect(await scene.quoteAt("2031-03-10T13:10")).toBe(5.5216);
    expect(await scene.quoteAt("2031-03-10T19:09:59")).toBe(5.5216);
    expect(await scene.quoteAt("2031-03-10T19:10")).toBe("quote_fx_required");
    scene.olinda.publish("2031-03-10 19:30:00.1", "5.45");
    await scene.askAt("2031-03-10T19:31");
    expect(await scene.quoteAt("2031-03-10T19:31")).toBe(5.53175);
  });

  test("of the Friday before Carnival is in force until Ash Wednesday's", async () => {
    const scene = await start();
    scene.olinda.publish("2031-02-21 13:10:00.1", "5.44");
    await scene.askAt("2031-02-25T12:00");
    expect(await scene.quoteAt("2031-02-25T12:00")).toBe(5.5216);
    expect(await scene.quoteAt("2031-02-26T13:10")).toBe(5.5216);
    expect(await scene.quoteAt("2031-02-26T19:10")).toBe("quote_fx_required");
  });

  test("ages by an override of the calendar at once", async () => {
    const scene = await start();
    scene.olinda.publish("2031-03-07 13:10:00.1", "5.44");
    await scene.askAt("2031-03-07T14:00");
    expect(await scene.quoteAt("2031-03-10T20:00")).toBe("quote_fx_required");
    const override = { mode: Mode.LIVE, day: "2031-03-10", isBusinessDay: false, reason: "strike" };
    const ledger = createClient(LedgerService, scene.service.core.transport);
    await ledger.putBusinessDay(override, scene.service.internal);
    await expect.poll(() => scene.quoteAt("2031-03-10T20:00")).toBe(5.5216);
  });

  test("stays after a former release, which knows no bulletins, has written a rate", async () => {
    const scene = await start();
    scene.olinda.publish("2031-03-07 13:10:00.1", "5.44");
    const rows = await new DatabaseRows(scene.service.databaseUrl).open();
    await rows.run(`INSERT INTO live.fx_spot (tenant_id, id, spot_micros, source, max_age_seconds, published_at)
      VALUES ('default', 'fxs_former', 5500000, 'manual', 60, '2031-03-07T12:00:00Z')`);
    await rows.close();
    await scene.askAt("2031-03-07T14:00");
    expect((await scene.rate()).spot?.spotMicros).toBe(5_440_000n);
  });

  test("is never test mode's", async () => {
    const scene = await start();
    scene.olinda.publish("2031-03-07 13:10:00.1", "5.44");
    await scene.askAt("2031-03-07T14:00");
    const { spot, feed } = await scene.rate(Mode.TEST);
    expect([spot?.source, feed]).toEqual(["manual", undefined]);
  });
});

describe("a rate that a person publishes", () => {
  test("is in force while it is younger than the bulletin, and ages by the clock", async () => {
    const scene = await start();
    scene.olinda.publish("2031-03-07 13:10:00.1", "5.44");
    scene.at("2031-03-07T13:30");
    await scene.publish(5_500_000n);
    await scene.askAt("2031-03-07T14:00");
    expect((await scene.rate()).spot).toMatchObject({ source: "manual", ageSeconds: 1800n });
    expect(await scene.quoteAt("2031-03-08T13:29:59")).toBe(5.5825);
    // The older bulletin does not come back.
    expect(await scene.quoteAt("2031-03-08T13:30")).toBe("quote_fx_required");
    scene.olinda.publish("2031-03-10 13:10:00.1", "5.45");
    await scene.askAt("2031-03-10T13:11");
    expect((await scene.rate()).spot?.source).toBe("ptax");
  });

  test("is the only one without FX_SOURCE=ptax: nothing is asked", async () => {
    const olinda = await startOlinda();
    ENDS.push(() => olinda.close());
    const service = await startService();
    ENDS.push(() => service.close());
    await service.core.tasks.fetchRate();
    expect(olinda.asked).toEqual([]);
  });
});

describe("a jump", () => {
  test("case 15: of 20 % is held, and the rate before stays until it is too old", async () => {
    const scene = await start();
    scene.olinda.publish("2031-03-06 13:10:00.1", "5.00");
    scene.at("2031-03-06T13:00");
    await scene.publish(5_000_000n);
    await scene.askAt("2031-03-06T14:00");
    scene.olinda.publish("2031-03-07 13:10:00.1", "6.00");
    await scene.askAt("2031-03-07T14:00");
    expect(scene.service.faults.splice(0)).toMatchObject([{ spot: "6.000000", last_spot: "5.000000" }]);
    expect(await scene.quoteAt("2031-03-07T14:01")).toBe(5.075);
    const [held] = await scene.held();
    expect(held).toMatchObject({ spotMicros: 6_000_000n, lastMicros: 5_000_000n, source: "ptax" });
    expect((await scene.rate()).heldCount).toBe(1);
    // It is held once, however often it is seen.
    await scene.askAt("2031-03-07T14:02");
    expect([await scene.held(), scene.service.faults]).toEqual([[held], []]);
    expect(await scene.quoteAt("2031-03-07T20:00")).toBe("quote_fx_required");
    expect(await scene.release(held?.id ?? "")).toMatchObject({ id: held?.id });
    expect(await scene.quoteAt("2031-03-07T20:01")).toBe(6.09);
    expect((await scene.rate()).spot).toMatchObject({ id: held?.id, bulletin: "2031-03-07 13:10:00.1" });
    expect(await scene.held()).toEqual([]);
    expect(await scene.release(held?.id ?? "")).toContain("No such rate is held");
  });

  test("is over 5 % in either direction", async () => {
    const scene = await start();
    scene.at("2031-03-03T09:00");
    await scene.publish(5_000_000n);
    scene.olinda.publish("2031-03-03 13:10:00", "5.25");
    await scene.askAt("2031-03-03T14:00");
    expect((await scene.rate()).spot?.spotMicros).toBe(5_250_000n);
    scene.olinda.publish("2031-03-04 13:10:00", "4.9875");
    await scene.askAt("2031-03-04T14:00");
    expect((await scene.rate()).spot?.spotMicros).toBe(4_987_500n);
    scene.olinda.publish("2031-03-05 13:10:00", "4.7381");
    await scene.askAt("2031-03-05T14:00");
    expect([(await scene.rate()).spot?.spotMicros, (await scene.held()).length]).toEqual([4_987_500n, 1]);
    scene.service.faults.splice(0);
  });

  test("that a newer bulletin takes back is held no more, and cannot be released", async () => {
    const scene = await start();
    scene.at("2031-03-03T09:00");
    await scene.publish(5_000_000n);
    scene.olinda.publish("2031-03-03 13:10:00", "50.1");
    await scene.askAt("2031-03-03T14:00");
    const [held] = await scene.held();
    scene.olinda.publish("2031-03-03 13:40:00", "5.01");
    await scene.askAt("2031-03-03T14:01");
    expect((await scene.rate()).spot?.spotMicros).toBe(5_010_000n);
    expect(await scene.held()).toEqual([]);
    expect(await scene.release(held?.id ?? "")).toContain("a newer rate has superseded it");
    scene.service.faults.splice(0);
  });

  test("is released once by two people at the same time", async () => {
    const scene = await start();
    scene.at("2031-03-03T09:00");
    await scene.publish(5_000_000n);
    scene.olinda.publish("2031-03-03 13:10:00", "6");
    await scene.askAt("2031-03-03T14:00");
    const [held] = await scene.held();
    const id = held?.id ?? "";
    const ends = await Promise.all([scene.release(id), scene.release(id)]);
    expect(ends.filter((end) => typeof end === "string")).toHaveLength(1);
    scene.service.faults.splice(0);
  });

  test("in steps of less than 5 % is held as well, until a person publishes one", async () => {
    const scene = await start();
    scene.at("2031-03-06T09:00");
    await scene.publish(5_000_000n);
    scene.olinda.publish("2031-03-06 13:10:00", "5.2");
    await scene.askAt("2031-03-06T14:00");
    // 17 hours of bank-open time later. The rate of the day before is 5.0, and 5.3 is 6 % above it.
    scene.olinda.publish("2031-03-07 06:10:00", "5.3");
    await scene.askAt("2031-03-07T07:00");
    const [held] = await scene.held();
    expect(held).toMatchObject({ spotMicros: 5_300_000n, lastMicros: 5_000_000n });
    scene.service.faults.splice(0);
    scene.at("2031-03-07T08:00");
    await scene.publish(5_300_000n);
    scene.olinda.publish("2031-03-07 09:00:00", "5.5");
    await scene.askAt("2031-03-07T10:00");
    expect((await scene.rate()).spot).toMatchObject({ spotMicros: 5_500_000n, source: "ptax" });
  });

  test("has no part in it that a second rate of one bank day is held", async () => {
    const scene = await start();
    for (const [minute, rate] of ["5.44", "5.50", "5.45"].entries()) {
      scene.olinda.publish(`2031-03-07 13:1${minute}:00`, rate);
      await scene.askAt(`2031-03-07T14:0${minute}`);
    }
    expect((await scene.rate()).spot?.bulletin).toBe("2031-03-07 13:10:00");
    const messages = scene.service.faults.splice(0).length;
    expect([messages, (await scene.held()).length]).toEqual([2, 2]);
    const [newest] = await scene.held();
    await scene.release(newest?.id ?? "");
    expect((await scene.rate()).spot?.spotMicros).toBe(5_450_000n);
    // Sunday belongs to Friday, and Monday is another day.
    scene.olinda.publish("2031-03-09 13:10:00", "5.46");
    await scene.askAt("2031-03-09T14:00");
    expect((await scene.rate()).spot?.spotMicros).toBe(5_450_000n);
    scene.olinda.publish("2031-03-10 13:10:00", "5.47");
    await scene.askAt("2031-03-10T14:00");
    expect((await scene.rate()).spot?.spotMicros).toBe(5_470_000n);
    scene.service.faults.splice(0);
  });
});
