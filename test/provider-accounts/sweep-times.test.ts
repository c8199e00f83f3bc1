import { describe, expect, test } from "vitest";
import { daysText } from "../../contract/day.ts";
import {
  cursorAfter,
  dueAfter,
  dueAfterFailure,
  firstSweeps,
  partsOf,
  partsToRead,
  periodOfSweep,
  statementOf,
  unreadDays,
  unreadOf,
} from "../../src/provider-accounts/sweep-times.ts";
import type { SweepKind } from "../../src/provider-accounts/entities.ts";

const DAY_MS = 86_400_000;
// 12:30 in São Paulo.
const NOW = new Date("2026-03-10T15:30:00Z");
const DAY_START = new Date("2026-03-10T03:00:00Z");
const periodOf = (kind: SweepKind, sweptTo: Date, now: Date, failureCount = 0) =>
  periodOfSweep({ kind, sweptTo, failureCount }, now);
const time = (text: string) => new Date(text);

describe("the sweep of received money", () => {
  test("reads from 900 seconds before its cursor up to 60 seconds before now", () => {
    const period = periodOf("received", time("2026-03-10T14:29:00Z"), NOW);
    expect(period).toEqual({ from: time("2026-03-10T14:14:00Z"), to: time("2026-03-10T15:29:00Z") });
  });

  test("leaves its cursor where its period ended, and is due an hour later", () => {
    expect(cursorAfter("received", NOW)).toEqual(time("2026-03-10T15:29:00Z"));
    expect(dueAfter("received", NOW)).toEqual(time("2026-03-10T16:30:00Z"));
  });

  test("has nothing to read if its cursor is far ahead of the clock", () => {
    expect(periodOf("received", new Date(NOW.getTime() + 900_000), NOW)).toBeNull();
  });
});

describe("the sweep of whole days", () => {
  test("reads from its cursor to the last millisecond of yesterday in São Paulo", () => {
    const period = periodOf("day", time("2026-03-08T03:00:00Z"), NOW);
    expect(period).toEqual({ from: time("2026-03-08T03:00:00Z"), to: time("2026-03-10T02:59:59.999Z") });
  });

  test("leaves no instant between two days", () => {
    const first = periodOf("day", new Date(DAY_START.getTime() - DAY_MS), NOW);
    const next = periodOf("day", cursorAfter("day", NOW), new Date(NOW.getTime() + DAY_MS));
    expect((next?.from.getTime() ?? 0) - (first?.to.getTime() ?? 0)).toBe(1);
  });

  test("is due one hour after the next midnight, and has nothing to read before", () => {
    expect(cursorAfter("day", NOW)).toEqual(DAY_START);
    expect(dueAfter("day", NOW)).toEqual(time("2026-03-11T04:00:00Z"));
    expect(periodOf("day", DAY_START, NOW)).toBeNull();
  });
});

describe("the sweep of returns", () => {
  test("is due two hours after the next midnight", () => {
    expect(dueAfter("returns", NOW)).toEqual(time("2026-03-11T05:00:00Z"));
  });

  test("reads money whose return of its 91st day came after that day's sweep", () => {
    const returnedAt = new Date(dueAfter("returns", NOW).getTime() + 1000);
    const receivedAt = new Date(returnedAt.getTime() - 91 * DAY_MS);
    const next = dueAfter("returns", returnedAt);
    const period = periodOf("returns", NOW, next);
    expect(period?.from.getTime()).toBeLessThan(receivedAt.getTime());
    expect(period?.to).toEqual(new Date(next.getTime() - 60_000));
  });
});

describe("the sweeps of cards", () => {
  test("read what went back by its own time once a day and a day more, also from the first hours of a day on", () => {
    for (let halfHour = 0; halfHour < 48; halfHour++) {
      const last = new Date(DAY_START.getTime() + halfHour * 1_800_000);
      const due = dueAfter("returns", last);
      expect(due.getTime() - last.getTime()).toBeLessThanOrEqual(26 * 3_600_000);
      const cursor = { kind: "returns", sweptTo: cursorAfter("returns", last), failureCount: 0 } as const;
      const period = periodOfSweep(cursor, due, "card_returns");
      expect(period?.from).toEqual(new Date(last.getTime() - DAY_MS - 60_000));
      expect(period?.to).toEqual(new Date(due.getTime() - 60_000));
    }
  });

  test("read what was made in 400 days for its returns, in 14 parts", () => {
    const kind = { kind: "returns", sweptTo: NOW, failureCount: 0 } as const;
    const period = periodOfSweep(kind, NOW, "card");
    expect(period?.from).toEqual(new Date(NOW.getTime() - 400 * DAY_MS));
    const parts = period ? partsOf(period, 0, "card") : [];
    expect(parts).toHaveLength(14);
    expect(parts.at(-1)?.to).toEqual(period?.to);
  });
});

describe("the sweep of a card account whose provider lists returns by their own time", () => {
  const account = { tenantId: "ten", id: "acc", kind: "card", profile: "pagarme" } as const;
  const from = (sweptTo: Date, failureCount = 0) =>
    periodOfSweep({ kind: "returns", sweptTo, failureCount }, NOW, statementOf(account))?.from;

  test("is the only one of it, and begins now", () => {
    expect(firstSweeps(account, NOW)).toMatchObject([{ kind: "returns", sweptTo: NOW }]);
  });

  test("reads from a day before its cursor, after a failure from there, and 400 days at most", () => {
    const yesterday = new Date(NOW.getTime() - DAY_MS);
    expect(from(yesterday)).toEqual(new Date(NOW.getTime() - 2 * DAY_MS));
    expect(from(yesterday, 1)).toEqual(yesterday);
    expect(from(new Date(0))).toEqual(new Date(NOW.getTime() - 400 * DAY_MS));
  });

  test("goes on after the days that it has read", () => {
    const parts = partsOf({ from: new Date(NOW.getTime() - 30 * DAY_MS), to: NOW }, 0, statementOf(account));
    expect(parts.slice(0, 2).map(({ to }) => to)).toEqual(
      [29, 28].map((days) => new Date(NOW.getTime() - days * DAY_MS - 1)),
    );
  });
});

describe("a sweep after a failure", () => {
  test("of returns goes on where that one ended, but not before the 100 days", () => {
    const { from } = periodOf("returns", NOW, NOW) ?? {};
    expect(from).toEqual(new Date(NOW.getTime() - 100 * DAY_MS));
    const ended = time("2026-02-01T00:00:00Z");
    expect(periodOf("returns", ended, NOW, 1)?.from).toEqual(ended);
    expect(periodOf("returns", time("2025-11-01T00:00:00Z"), NOW, 1)?.from).toEqual(from);
  });

  test.each([
    [0, 24],
    [1, 24],
    [2, 12],
    [4, 3],
    [60, 1],
  ])("after %i failures without a part reads in parts of %i hours, without a gap", (count, hours) => {
    const period = { from: new Date(NOW.getTime() - 2 * DAY_MS - 1), to: NOW };
    const parts = partsOf(period, count);
    expect(parts).toHaveLength(48 / hours + 1);
    expect([parts[0]?.from, parts.at(-1)?.to]).toEqual([period.from, NOW]);
    for (const [index, { from }] of parts.entries()) {
      expect(from.getTime()).toBe(period.from.getTime() + index * hours * 3_600_000);
      if (index > 0) expect(from.getTime() - (parts[index - 1]?.to.getTime() ?? 0)).toBe(1);
    }
  });
});

describe("what was left unread", () => {
  const day = (date: string) => ({ from: `${date}T03:00:00.000Z`, to: `${date}T23:59:59.999Z` });
  const at = (parts: readonly { from: Date }[]) => parts.map(({ from }) => from.toISOString().slice(0, 10));
  const period = { from: time("2026-03-09T03:00:00Z"), to: NOW };

  test("is read after the period, the newest part first, and as far back as money may go back", () => {
    const unread = [day("2025-10-01"), day("2026-02-01"), day("2026-03-01")];
    const parts = partsToRead({ failureCount: 0, unread }, period, NOW);
    expect(at(parts)).toEqual(["2026-03-10", "2026-03-09", "2026-03-01", "2026-02-01"]);
    expect(at(partsToRead({ failureCount: 0, unread }, null, NOW))).toEqual(["2026-03-01", "2026-02-01"]);
  });

  test("is read once where the period has it too", () => {
    const unread = [{ from: "2026-03-08T03:00:00.000Z", to: "2026-03-10T00:00:00.000Z" }];
    const parts = partsToRead({ failureCount: 0, unread }, period, NOW);
    expect(at(parts)).toEqual(["2026-03-10", "2026-03-09", "2026-03-08"]);
    expect(parts.at(-1)?.to).toEqual(new Date(period.from.getTime() - 1));
  });

  test("is stored as periods, adjacent parts as one", () => {
    const parts = partsOf({ from: time("2026-03-01T03:00:00Z"), to: time("2026-03-05T02:59:59.999Z") }, 0);
    const [first, , third, fourth] = parts;
    expect(unreadOf(parts.toReversed())).toEqual([
      { from: "2026-03-01T03:00:00.000Z", to: "2026-03-05T02:59:59.999Z" },
    ]);
    expect(unreadOf([fourth, third, first].flatMap((part) => part ?? []))).toEqual([
      { from: "2026-03-01T03:00:00.000Z", to: "2026-03-02T02:59:59.999Z" },
      { from: "2026-03-03T03:00:00.000Z", to: "2026-03-05T02:59:59.999Z" },
    ]);
  });

  test("is told by its days, and so is what three readings in a row did not get", () => {
    const sweptTo = time("2026-03-09T15:00:00Z");
    const unread = [day("2026-03-01"), { from: "2026-03-01T05:00:00.000Z", to: "2026-03-02T12:00:00.000Z" }];
    expect(unreadDays([{ sweptTo, failureCount: 2, unread }], NOW)).toEqual(["2026-03-01", "2026-03-02"]);
    expect(unreadDays([{ sweptTo, failureCount: 3, unread: [] }], NOW)).toEqual(["2026-03-09", "2026-03-10"]);
  });
});

test("days are told as ranges", () => {
  expect(daysText([])).toBe("");
  expect(daysText(["2026-02-28"])).toBe("2026-02-28");
  expect(daysText(["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-03"], (day) => day.slice(5))).toBe(
    "02-27 – 03-01, 03-03",
  );
});

test("a new account's sweeps begin now, those of days with the present day", () => {
  const made = firstSweeps({ tenantId: "ten", id: "acc", kind: "pix", profile: "efi" }, NOW);
  expect(made.map(({ kind, sweptTo, dueAt }) => [kind, sweptTo, dueAt])).toEqual([
    ["received", NOW, dueAfter("received", NOW)],
    ["day", DAY_START, dueAfter("day", NOW)],
    ["returns", NOW, dueAfter("returns", NOW)],
  ]);
});

test.each([
  [1, 60],
  [2, 120],
  [6, 1920],
  [7, 3600],
  [60, 3600],
])("after %i failures in a row a sweep is due in %i seconds", (count, seconds) => {
  expect(dueAfterFailure(count, NOW, null)).toEqual(new Date(NOW.getTime() + seconds * 1000));
});

test.each([
  [30, 60],
  [7200, 7200],
])("a provider that asks for %i seconds is asked again in %i", (asked, seconds) => {
  expect(dueAfterFailure(1, NOW, asked)).toEqual(new Date(NOW.getTime() + seconds * 1000));
});
