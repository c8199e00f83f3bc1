import type { ServiceImpl } from "@connectrpc/connect";
import { PaymentSchema, type LedgerService } from "../../gen/paylink/ledger/v1/ledger_pb.ts";
import type { Identity } from "../identity/service.ts";
import type { Clock } from "../platform/time/clock.ts";
import { keysetPage } from "../platform/db/keyset-page.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import type { Operations } from "../platform/rpc/operation.ts";
import type { JsonWriter } from "../webhooks/event.ts";
import { toClose, toDaySeal, toSealDelta } from "./mapping.ts";
import { placeOfCursor, placeOfPayment, toCursor, type Place } from "./seal-cursor.ts";
import { sealDeltas, type SealDelta } from "./seal-deltas.ts";
import { closedSpan, findClosedDay, listClosed } from "./closed-days.ts";
import { listOpenDays } from "./open-days.ts";
import { findRows, listSeals, rehash, requireHead, requireSeal } from "./sealed-rows.ts";
import { firstDayOf, lastSealable, sealDay } from "./sealing.ts";

type Rpcs = Pick<
  ServiceImpl<typeof LedgerService>,
  | "listCloses"
  | "getClose"
  | "sealDay"
  | "getSeal"
  | "listSeals"
  | "listOpenDays"
  | "listSealedRows"
  | "verifySeal"
  | "listSealDeltas"
>;

export interface ClosesDeps {
  readonly clock: Clock;
  readonly operations: Operations;
  readonly identity: Pick<Identity, "settingsOf">;
  /** The API's serialiser: a sealed row shows a payment as the API does. */
  readonly jsonWriter: JsonWriter;
}

const LIMIT_DEFAULT = 100;
const OPEN_DAYS_DEFAULT = 31;
const CLOSES_DEFAULT = 20;
const SHOWN_MAX = 100;
// Rows have up to 64 KB of metadata each. An answer with more has fewer deltas than it was asked for.
const ANSWER_CHARACTERS_MAX = 4 * 1024 * 1024;

/** The RPCs that seal days, read seals, and compare them with the current payments. */
export function closeRpcs({ operations, clock, identity, jsonWriter }: ClosesDeps): Rpcs {
  const writePayment = jsonWriter(PaymentSchema);
  return {
    sealDay: operations.run(async ({ day }, { mode, tenantId, actor = null, audit, environment }) => {
      const { tenant } = await identity.settingsOf(tenantId);
      const request = { mode, tenantId, day, sealedBy: actor, audit, tenantSince: tenant.createdAt };
      const { seal, isNew } = await sealDay(environment, clock, writePayment, request);
      return { seal: toDaySeal(seal), isNew };
    }),
    getSeal: operations.run(async ({ day }, { tenantId, environment }) => ({
      seal: toDaySeal(await requireSeal(environment, tenantId, day)),
    })),
    listSeals: operations.run(async ({ from, to }, { tenantId, environment }) => {
      const { tenant } = await identity.settingsOf(tenantId);
      const [seals, firstDay] = await Promise.all([
        listSeals(environment, tenantId, from, to),
        firstDayOf(environment, tenantId, tenant.createdAt),
      ]);
      return {
        seals: seals.map(({ seal, changedCount }) => ({ seal: toDaySeal(seal), changedCount })),
        firstDay,
      };
    }),
    listCloses: operations.run(async (request, { tenantId, environment }) => {
      const { limit = CLOSES_DEFAULT, startingAfter, from, to } = request;
      const span = closedSpan(from, to);
      const { rows, hasMore, nextCursor } = await keysetPage({
        limit,
        startingAfter,
        what: "a day that is closed",
        find: (day) => findClosedDay(environment, tenantId, day),
        read: async (after, rowCount) =>
          (await listClosed(environment, tenantId, span, rowCount, after)).map((seal) => ({
            id: seal.day,
            seal,
          })),
      });
      return { data: rows.map(({ seal }) => toClose(seal)), hasMore, nextCursor };
    }),
    getClose: operations.run(async ({ day }, { tenantId, environment }) => ({
      close: toClose(await requireSeal(environment, tenantId, day)),
    })),
    listOpenDays: operations.run(async ({ limit = OPEN_DAYS_DEFAULT }, { tenantId, environment }) =>
      listOpenDays(environment, tenantId, lastSealable(clock), limit),
    ),
    listSealedRows: operations.show(async ({ day, position }, { tenantId, environment }) => {
      const seal = await requireSeal(environment, tenantId, day);
      if (position === seal.paymentCount) {
        const response = { rows: new Uint8Array(), nextPosition: position, hasMore: false };
        return { response, audit: { objectId: "" } };
      }
      const chunk = await findRows(environment, seal, position);
      if (!chunk) throw invalidRequest("position", "position is not one that an answer gave.");
      const nextPosition = position + BigInt(chunk.rowCount);
      return {
        response: {
          rows: new Uint8Array(chunk.bytes),
          nextPosition,
          hasMore: nextPosition < seal.paymentCount,
        },
        audit: { objectId: day, details: { row_count: chunk.rowCount } },
      };
    }),
    verifySeal: operations.run(async ({ day }, { mode, tenantId, environment }) => {
      const seal = await requireSeal(environment, tenantId, day);
      const kept = await rehash(environment, mode, seal);
      const deltas: SealDelta[] = [];
      let [deltaCount, characters] = [0n, 0];
      // If the stored rows are not the sealed ones, a comparison with them shows no changes since the seal.
      const found = kept.isIntact ? sealDeltas(environment, seal, writePayment) : [];
      for await (const delta of found) {
        if (deltas.length < SHOWN_MAX && characters < ANSWER_CHARACTERS_MAX) deltas.push(delta);
        characters += charactersOf(delta);
        deltaCount += 1n;
      }
      return { seal: toDaySeal(seal), ...kept, deltaCount, deltas: deltas.map(toSealDelta) };
    }),
    listSealDeltas: operations.show(async (request, { mode, tenantId, environment }) => {
      const { day, limit = LIMIT_DEFAULT, startingAfter, cursor } = request;
      const seal = await requireSeal(environment, tenantId, day);
      requireHead(mode, seal);
      let begin: Place | undefined;
      if (cursor !== undefined) begin = await placeOfCursor(environment, seal, cursor);
      else if (startingAfter !== undefined) begin = await placeOfPayment(environment, seal, startingAfter);
      const deltas: SealDelta[] = [];
      let [characters, hasMore] = [0, false];
      for await (const delta of sealDeltas(environment, seal, writePayment, begin)) {
        characters += charactersOf(delta);
        hasMore = deltas.length === limit || (deltas.length > 0 && characters > ANSWER_CHARACTERS_MAX);
        if (hasMore) break;
        deltas.push(delta);
      }
      const last = hasMore ? deltas.at(-1) : undefined;
      return {
        response: {
          deltas: deltas.map(toSealDelta),
          hasMore,
          nextCursor: last && toCursor(last.place),
        },
        audit: { objectId: day, details: { row_count: deltas.length } },
      };
    }),
  };
}

function charactersOf({ sealedRow = "", currentRow = "" }: SealDelta): number {
  return sealedRow.length + currentRow.length;
}
