import { afterEach, expect } from "vitest";
import { expectError, type Refusal } from "../support/error-answer.ts";
import { readAnswers, sendRaw, type RawAnswer } from "../support/raw-http.ts";
import { startService, type TestService, type TestTenant } from "../support/service.ts";
import { forFile } from "../support/for-file.ts";

/** A gateway that is sent bytes as they are. */
export class RawClient {
  readonly service: TestService;
  readonly tenant: TestTenant;
  readonly port: number;

  private constructor(service: TestService, tenant: TestTenant, port: number) {
    this.service = service;
    this.tenant = tenant;
    this.port = port;
  }

  /** Starts what a file's tests share, and closes it after them. After whatever each sent, the server still serves. */
  static async forFile(): Promise<RawClient> {
    const on = await forFile(RawClient.#start());
    afterEach(async () => await on.expectServing());
    return on;
  }

  static async #start(): Promise<RawClient> {
    const service = await startService();
    const tenant = await service.createTenant();
    const address = await service.gateway.listen({ host: "127.0.0.1", port: 0 });
    return new RawClient(service, tenant, Number(new URL(address).port));
  }

  async ask(...parts: (string | Uint8Array)[]): Promise<RawAnswer[]> {
    return readAnswers(await sendRaw(this.port, ...parts));
  }

  /** A request for a link, its framing headers and body as given. */
  create(lines: string[], body = ""): string {
    const head = [
      "POST /v1/payment_links HTTP/1.1",
      "Host: a",
      `Authorization: Bearer ${this.tenant.testKey}`,
      "Content-Type: application/json",
      ...lines,
    ];
    return `${head.join("\r\n")}\r\n\r\n${body}`;
  }

  async expectRefused(bytes: string | Uint8Array, refusal: Refusal): Promise<RawAnswer> {
    const answer = onlyOf(await this.ask(bytes));
    expectError(answer, refusal);
    return answer;
  }

  async expectServing(): Promise<void> {
    expectHealthy(await this.ask("GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  }

  async close(): Promise<void> {
    await this.service.close();
  }
}

function onlyOf(answers: readonly RawAnswer[]): RawAnswer {
  expect(answers).toHaveLength(1);
  return answers[0] as RawAnswer;
}

function expectHealthy([answer]: readonly RawAnswer[]): void {
  expect(answer).toMatchObject({ status: 200, text: '{"status":"ok"}' });
}
