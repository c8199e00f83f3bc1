/**
 * Loaded before the service (node --import): its clock is the machine's plus the milliseconds in the file that
 * CHAOS_CLOCK_FILE names, read at the start and on SIGUSR2.
 */
import { readFileSync } from "node:fs";

const file = process.env["CHAOS_CLOCK_FILE"] ?? "";
const MachineDate = Date;
let shiftMs = 0;

function read(): void {
  shiftMs = Number(readFileSync(file, "utf8"));
}

class ShiftedDate extends MachineDate {
  constructor(...given: readonly unknown[]) {
    super(...((given.length === 0 ? [ShiftedDate.now()] : given) as [number]));
  }

  static override now(): number {
    return MachineDate.now() + shiftMs;
  }
}

globalThis.Date = ShiftedDate as DateConstructor;
read();
process.on("SIGUSR2", read);
