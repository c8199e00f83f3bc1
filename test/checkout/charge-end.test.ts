import { describe, expect, test } from "vitest";
import { failedBy, isEndDue, isOver, isWatchOver, type ChargeState } from "../../src/checkout/charge-end.ts";
import { exceptionReason } from "../../src/checkout/receipt.ts";

const NOW = new Date("2026-03-02T12:00:00Z");

function at(seconds: number): Date {
  return new Date(NOW.getTime() + seconds * 1000);
}

/** A charge that was made now and ends in ten minutes, of a payment and a link that are open. */
function state(changes: { charge?: object; payment?: object; link?: object; now?: Date }): ChargeState {
  return {
    charge: { challengeUrl: null, createdAt: NOW, expiresAt: at(600), absentCount: 2, ...changes.charge },
    payment: { status: "pending", method: "pix", ...changes.payment },
    link: { status: "active", expiresAt: null, ...changes.link },
    now: changes.now ?? NOW,
  } as ChargeState;
}

describe("a payment is to be ended", () => {
  test("from a minute after its charge's end on", () => {
    expect(isEndDue(state({ now: at(659.999) }))).toBe(false);
    expect(isEndDue(state({ now: at(660) }))).toBe(true);
  });

  test("when its link is closed, and only then", () => {
    const statuses = ["active", "expired", "completed", "canceled"];
    expect(statuses.map((status) => isEndDue(state({ link: { status } })))).toEqual([
      false,
      false,
      true,
      true,
    ]);
  });

  test("two minutes after a card was sent and nothing answered, unless its holder is challenged", () => {
    const payment = { status: "processing", method: "card" };
    const challenged = { challengeUrl: "https://issuer.example" };
    expect(isEndDue(state({ payment, now: at(119.999) }))).toBe(false);
    expect(isEndDue(state({ payment, now: at(120) }))).toBe(true);
    expect(isEndDue(state({ payment, charge: challenged, now: at(120) }))).toBe(false);
    expect(isEndDue(state({ now: at(120) }))).toBe(false);
    expect(isEndDue(state({ payment, charge: { absentCount: 1 }, now: at(599) }))).toBe(false);
    expect(isEndDue(state({ payment, charge: { cardStyle: "redirect" }, now: at(599) }))).toBe(false);
  });

  test("four days after its provider began to review it, whatever its charge's end", () => {
    const reviewed = { payment: { status: "processing", method: "card" }, charge: { reviewedAt: at(500) } };
    expect(isEndDue(state({ ...reviewed, now: at(500 + 345_599) }))).toBe(false);
    expect(isEndDue(state({ ...reviewed, now: at(500 + 345_600) }))).toBe(true);
    expect(isEndDue(state({ ...reviewed, link: { status: "canceled" }, now: at(501) }))).toBe(true);
  });

  test("but not once more", () => {
    for (const status of ["succeeded", "failed", "expired"])
      expect(isEndDue(state({ payment: { status }, now: at(9999) }))).toBe(false);
  });
});

test("a payment is over unless it waits or is being worked on", () => {
  const statuses = ["pending", "processing", "succeeded", "failed", "expired"] as const;
  const over = statuses.map((status) => isOver(state({ payment: { status } }).payment));
  expect(over).toEqual([false, false, true, true, true]);
});

test("a charge is watched for two days after its end, and as long as its payment is open", () => {
  const payment = { status: "expired" };
  expect(isWatchOver(state({ payment, now: at(600 + 172_799) }))).toBe(false);
  expect(isWatchOver(state({ payment, now: at(600 + 172_800) }))).toBe(true);
  expect(isWatchOver(state({ now: at(600 + 172_800) }))).toBe(false);
});

test("a payment fails by the code of the provider's reason", () => {
  expect(failedBy({ source: "own", brand: null, code: "3ds_timeout" }).status).toBe("failed");
});

describe("money that came in is the payment's success", () => {
  const reason = (
    paidAt: Date,
    changes: Parameters<typeof state>[0] = {},
    amountMinor = 100n,
    isLinkPaid = false,
  ) => {
    const { charge, payment, link } = state(changes);
    const receipt = { providerPaymentId: "E2E", amountMinor, paidAt };
    const price = { payerTotalMinor: 100n } as Parameters<typeof exceptionReason>[2];
    return exceptionReason(receipt, payment, price, charge, link, isLinkPaid);
  };

  test("up to and with a minute after the charge ends, and of a card whenever", () => {
    expect(reason(at(660))).toBeNull();
    expect(reason(at(660.001))).toBe("late");
    expect(reason(at(660.001), { payment: { method: "card" } })).toBeNull();
  });

  test("after we ended the payment, if it came in time", () => {
    const expired = { status: "expired", updatedAt: at(661) } as const;
    expect(reason(at(660), { payment: expired })).toBeNull();
    expect(reason(at(660.001), { payment: expired })).toBe("late");
    expect(reason(at(660), { payment: expired }, 99n)).toBe("wrong_amount");
    expect(reason(at(660), { payment: expired }, 100n, true)).toBe("duplicate");
    const endedEarly = { status: "expired", updatedAt: at(300) } as const;
    expect(reason(at(299), { payment: endedEarly })).toBeNull();
    expect(reason(at(300), { payment: endedEarly })).toBe("late");
  });

  test("before the instant at which its link ends, unless that is canceled", () => {
    expect(reason(at(299.999), { link: { expiresAt: at(300) }, payment: { method: "ted" } })).toBeNull();
    expect(reason(at(300), { link: { expiresAt: at(300) }, payment: { method: "ted" } })).toBe("late");
    expect(reason(at(300), { link: { expiresAt: at(300) }, payment: { method: "card" } })).toBe("late");
    expect(reason(NOW, { link: { status: "canceled" } })).toBe("late");
  });

  test("of a card that was under review before its link's end, whenever it is approved", () => {
    const of = (reviewedAt: Date) => ({
      link: { expiresAt: at(300) },
      payment: { method: "card" },
      charge: { reviewedAt },
    });
    expect(reason(at(9000), of(at(299)))).toBeNull();
    expect(reason(at(9000), of(at(300)))).toBe("late");
  });

  test("of a card that was sent to its issuer before its link's end, unless its holder was challenged", () => {
    const of = (charge: object) => ({
      link: { expiresAt: at(300) },
      payment: { method: "card" },
      charge: { cardStyle: "token", createdAt: at(299), ...charge },
    });
    expect(reason(at(303), of({}))).toBeNull();
    expect(reason(at(303), of({ challengeUrl: "https://issuer.example" }))).toBe("late");
    expect(reason(at(303), of({ cardStyle: "redirect" }))).toBe("late");
  });

  test("of PIX, though its link was canceled, if it came before the cancellation", () => {
    const canceled = { status: "canceled", updatedAt: at(300) } as const;
    expect(reason(at(299.999), { link: canceled })).toBeNull();
    expect(reason(at(300), { link: canceled })).toBe("late");
    expect(reason(at(299.999), { link: canceled }, 99n)).toBe("wrong_amount");
    expect(reason(at(299.999), { link: canceled }, 100n, true)).toBe("duplicate");
    for (const method of ["card", "ted"] as const) {
      expect(reason(at(299.999), { link: canceled, payment: { method } })).toBe("late");
    }
    const ended = { status: "expired", updatedAt: at(301) } as const;
    expect(reason(at(299), { link: canceled, payment: ended })).toBeNull();
  });

  test("when it is the payer's total, to the cent, and the first", () => {
    expect(reason(NOW, {}, 99n)).toBe("wrong_amount");
    expect(reason(NOW, {}, 101n)).toBe("wrong_amount");
    expect(reason(NOW, { link: { status: "completed" } }, 100n, true)).toBe("duplicate");
    expect(reason(NOW, { link: { status: "expired" } }, 100n, true)).toBe("duplicate");
    expect(reason(NOW, { payment: { status: "succeeded" } }, 99n)).toBe("duplicate");
    expect(reason(NOW, { payment: { status: "failed" } }, 99n)).toBe("late");
    expect(reason(NOW, { payment: { status: "processing" } })).toBeNull();
  });
});
