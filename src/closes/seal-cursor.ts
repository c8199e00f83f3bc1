import type { Environment } from "../platform/db/database.ts";
import { invalidRequest } from "../platform/rpc/errors.ts";
import { dayPeriod } from "../platform/time/period.ts";
import type { DaySealRow } from "./entities.ts";
import { findRows } from "./sealed-rows.ts";

/** A position in the order of a day's payments, sealed or current: after this one. */
export interface Place {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly id: string;
  /** Position of the chunk that holds the next sealed rows. */
  readonly position: bigint;
}

const CURSOR = /^(\d{1,11})\.(pay_\w{1,40})\.(\d{1,18})$/;

export function toCursor({ createdAt, id, position }: Place): string {
  return `${createdAt}.${id}.${position}`;
}

/** Returns the cursor's place, even if its payment has changed or is gone. Error: invalid_request on cursor. */
export async function placeOfCursor(
  environment: Environment,
  seal: DaySealRow,
  cursor: string,
): Promise<Place> {
  const [, createdAt, id, position] = CURSOR.exec(cursor) ?? [];
  if (createdAt !== undefined && id !== undefined && position !== undefined) {
    const place = { createdAt: Number(createdAt), id, position: BigInt(position) };
    if (place.position === seal.paymentCount || (await findRows(environment, seal, place.position)))
      return place;
  }
  throw invalidRequest("cursor", "cursor is not one that an answer gave.");
}

/** Returns the place of a payment of the day, sealed or current. Error: invalid_request on starting_after. */
export async function placeOfPayment(environment: Environment, seal: DaySealRow, id: string): Promise<Place> {
  const position = await sealedPosition(environment, seal, id);
  const createdAt =
    (await presentSecond(environment, seal, id)) ??
    (position === undefined ? undefined : await sealedSecond(environment, seal, id, position));
  if (createdAt === undefined) {
    throw invalidRequest("starting_after", "starting_after is not a payment of the day.");
  }
  return { createdAt, id, position: position ?? 0n };
}

async function sealedPosition(
  { pool }: Environment,
  { tenantId, day }: DaySealRow,
  id: string,
): Promise<bigint | undefined> {
  const { rows } = await pool.query<{ position: string }>(
    `SELECT position::text FROM sealed_rows WHERE tenant_id = $1 AND day = $2
      AND EXISTS (SELECT FROM unnest(states) AS state WHERE split_part(state, ' ', 1) = $3)`,
    [tenantId, day, id],
  );
  return rows[0] && BigInt(rows[0].position);
}

async function presentSecond(
  { pool }: Environment,
  { tenantId, day }: DaySealRow,
  id: string,
): Promise<number | undefined> {
  const { from, until } = dayPeriod("day", day);
  const { rows } = await pool.query<{ second: number }>(
    `SELECT date_part('epoch', created_at) AS second FROM payment
      WHERE tenant_id = $1 AND id = $2 AND created_at >= $3 AND created_at < $4`,
    [tenantId, id, from, until],
  );
  return rows[0] && Math.floor(rows[0].second);
}

async function sealedSecond(
  environment: Environment,
  seal: DaySealRow,
  id: string,
  position: bigint,
): Promise<number | undefined> {
  const chunk = await findRows(environment, seal, position);
  const rows = Buffer.from(chunk?.bytes ?? [])
    .toString()
    .split("\n")
    .slice(0, -1);
  const row = rows
    .map((text) => JSON.parse(text) as { id: string; created_at: number })
    .find((one) => one.id === id);
  return row?.created_at;
}
