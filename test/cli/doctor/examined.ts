import { expect } from "vitest";
import { examine } from "../../../cli/operate/doctor/examine.ts";
import type { Finding } from "../../../cli/operate/doctor/finding.ts";
import { freePorts } from "../../support/process.ts";

/** Variables for four ports that are free now. */
export async function ports(): Promise<Record<string, string>> {
  const [port, core, http, metrics] = await freePorts(4);
  return {
    PORT: String(port),
    CORE_PORT: String(core),
    CORE_HTTP_PORT: String(http),
    METRICS_PORT: String(metrics),
  };
}

/** All that the doctor finds. */
export async function examined(env: Readonly<Record<string, string>>): Promise<Finding[]> {
  return await Array.fromAsync(examine(env));
}

export function notOk(findings: readonly Finding[]): Finding[] {
  return findings.filter(({ status }) => status !== "ok");
}

/** What a finding must look like. */
export function finding(check: string, status: string, found: RegExp, advice: RegExp) {
  return { check, status, found: expect.stringMatching(found), advice: expect.stringMatching(advice) };
}
