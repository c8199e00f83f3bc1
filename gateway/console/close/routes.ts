import { PaymentFilterSchema } from "../../../gen/paylink/ledger/v1/ledger_pb.ts";
import { create } from "@bufbuild/protobuf";
import { FORMATS, sendDownload } from "../export/download.ts";
import { deltaLines, sealedLines } from "../export/lines.ts";
import { today } from "../payments/filter.ts";
import { codeOf } from "../problems.ts";
import { Refused } from "../refused.ts";
import type { ConsoleRoutes } from "../routes.ts";
import type { Visit } from "../visit.ts";
import { dayPage, type SealedDay } from "./day-page.ts";
import { deltaWord } from "./deltas.ts";
import { monthPage } from "./month-page.ts";

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const DELTAS = 100;

/** The close: days by the month, their seals, and what changed since. */
export function closeRoom(routes: ConsoleRoutes): void {
  routes.page("/close", "payments.read", async (visit) => await visit.show(await month(visit)));
  routes.page("/close/:day", "payments.read", async (visit) => {
    const day = dayOf(visit);
    const sealed = await sealedDay(visit, day);
    const filter = create(PaymentFilterSchema, { from: day, to: day });
    const summary = sealed?.seal ?? (await visit.core.ledger.summarizePayments({ filter }, visit.as));
    return await visit.show(dayPage(visit, day, summary, sealed));
  });
  routes.change("/close/:day/seal", "close.seal", {
    act: async (visit) => {
      const day = dayOf(visit);
      await visit.core.ledger.sealDay({ day }, visit.as);
      return visit.goTo(`${visit.path(`/close/${day}`)}?done=sealed`);
    },
  });
  for (const format of FORMATS) {
    routes.page(`/close/:day/sealed.${format}`, "payments.export", async (visit) => {
      const day = dayOf(visit);
      const { seal } = await visit.core.ledger.getSeal({ day }, visit.as);
      if (!seal) throw new Refused("unknown", visit);
      return sendDownload(visit, {
        name: `sealed-${visit.mode}-${day}`,
        format,
        lines: sealedLines(visit, day),
        rowCount: seal.paymentCount,
        ...(format === "jsonl" ? { sha256: seal.rowsSha256 } : {}),
      });
    });
  }
  routes.page("/close/:day/changes.jsonl", "payments.export", async (visit) => {
    const day = dayOf(visit);
    const { deltaCount, isIntact } = await visit.core.ledger.verifySeal({ day }, visit.as);
    if (!isIntact) throw new Error(`the seal of ${day} is not intact: nothing can be compared with it`);
    return sendDownload(visit, {
      name: `changes-${visit.mode}-${day}`,
      format: "jsonl",
      lines: deltaLines(visit, day, deltaWord),
      rowCount: deltaCount,
    });
  });
}

async function month(visit: Visit) {
  const asked = visit.query["month"] ?? "";
  const now = today();
  const first = MONTH.test(asked) ? Temporal.PlainDate.from(`${asked}-01`) : now.with({ day: 1 });
  const end = first.add({ months: 1 }).subtract({ days: 1 });
  const last = Temporal.PlainDate.compare(end, now) > 0 ? now : end;
  const count = Math.max(0, first.until(last).days + 1);
  if (count === 0) return monthPage(visit, { first, days: [], totals: [], seals: [] });
  const span = { from: first.toString(), to: last.toString() };
  const { core, as } = visit;
  const [{ totals }, { seals }] = await Promise.all([
    core.ledger.summarizePayments({ filter: span, byDay: true }, as),
    core.ledger.listSeals(span, as),
  ]);
  const days = Array.from({ length: count }, (_, index) => last.subtract({ days: index }));
  return monthPage(visit, { first, days, totals, seals });
}

/** What there is to show of a sealed day; undefined when it is not sealed. */
async function sealedDay(visit: Visit, day: string): Promise<SealedDay | undefined> {
  const { core, as } = visit;
  try {
    const { seal } = await core.ledger.getSeal({ day }, as);
    if (!seal) return undefined;
    const after = visit.query["after"] ?? "";
    const [verified, { members }] = await Promise.all([
      core.ledger.verifySeal({ day }, as),
      core.users.listMembers({ tenantId: visit.tenantId }, as),
    ]);
    const { deltas: first, deltaCount } = verified;
    const deltas =
      after === ""
        ? { deltas: first, hasMore: deltaCount > BigInt(first.length) }
        : await core.ledger.listSealDeltas({ day, limit: DELTAS, startingAfter: after }, as);
    const sealer = members.find(({ userId }) => userId === seal.sealedBy);
    return { seal, verified, deltas, sealer: sealer?.name || sealer?.email || (seal.sealedBy ?? "") };
  } catch (error) {
    if (codeOf(error) === "seal_not_found") return undefined;
    throw error;
  }
}

/** The day in the address. What is no day of the calendar is unknown. */
function dayOf(visit: Visit): string {
  const day = visit.part("day");
  try {
    if (DAY.test(day)) return Temporal.PlainDate.from(day, { overflow: "reject" }).toString();
  } catch {
    // No such day.
  }
  throw new Refused("unknown", visit);
}
