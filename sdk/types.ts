import type { operations } from "../gen/sdk/api.ts";
import type { OPERATIONS } from "../gen/sdk/operations.ts";

/** The name of an operation in the API's document. */
export type OperationId = keyof typeof OPERATIONS;

type Parameters<Id extends OperationId> = operations[Id]["parameters"];

type PathOf<Id extends OperationId> = Parameters<Id> extends { path: infer Path } ? Path : unknown;

type QueryOf<Id extends OperationId> =
  Parameters<Id> extends { query?: infer Query }
    ? [Query] extends [undefined]
      ? unknown
      : Exclude<Query, undefined>
    : unknown;

type BodyOf<Id extends OperationId> = operations[Id] extends {
  requestBody: { content: { "application/json": infer Body } };
}
  ? Body
  : unknown;

/** What an operation takes: its path's, query's and body's fields in one object. */
export type Input<Id extends OperationId> = PathOf<Id> & QueryOf<Id> & BodyOf<Id>;

type Responses<Id extends OperationId> = operations[Id]["responses"];

type Success<Id extends OperationId> = Responses<Id>[keyof Responses<Id> & (200 | 201)];

/** What an operation answers. */
export type Answer<Id extends OperationId> =
  Success<Id> extends { content: { "application/json": infer Body } } ? Body : never;

/** The operations that answer page by page. */
export type ListId = {
  [Id in OperationId]: Answer<Id> extends { data: unknown[]; next_cursor: unknown } ? Id : never;
}[OperationId];

/** An item of a list. */
export type Item<Id extends ListId> = Answer<Id> extends { data: (infer Data)[] } ? Data : never;

/** What differs from one call to another. */
export interface CallOptions {
  /**
   * Names what is wanted, such as "order-17": the same in every retry, also after a crash of the caller. Absent: a new
   * one for each call that takes a key, the same in all its tries.
   */
  readonly idempotencyKey?: string;
  /** Ends the call, and the pauses between its tries. */
  readonly signal?: AbortSignal;
}

/** One function for each operation. An operation that needs no input may be called without. */
export type Methods = {
  readonly [Id in OperationId]: object extends Input<Id>
    ? (input?: Input<Id>, options?: CallOptions) => Promise<Answer<Id>>
    : (input: Input<Id>, options?: CallOptions) => Promise<Answer<Id>>;
};
