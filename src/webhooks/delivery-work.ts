import { DueWork } from "../platform/work/due-work.ts";
import { semaphoreOf } from "../platform/limits/semaphores.ts";
import { deliver, type DeliveryDeps } from "./delivery.ts";
import { dueDeliveries, ENDPOINT_ATTEMPTS, type DueDelivery } from "./due-deliveries.ts";

interface DeliveryWorkDeps extends Omit<DeliveryDeps, "connections"> {
  /** A delivery that was taken is another worker's after this time. */
  readonly leaseSeconds: number;
}

// Attempts mostly wait for their receivers.
const CONCURRENCY = { ofAccount: ENDPOINT_ATTEMPTS, ofTenant: 128, total: 256 };
// Of a pool's eight connections, which attempts share with requests where one process does both. Very many may end within a
// second.
const CONNECTIONS = { total: 5, perKey: 3, waitingPerKey: Infinity, waitingTotal: Infinity };

/** Returns the work of a mode's deliveries. What a receiver does is recorded: faults are the service's own. */
export function deliveryWork(
  { leaseSeconds, ...deps }: DeliveryWorkDeps,
  onFault: (error: unknown) => void,
): DueWork<DueDelivery> {
  const deliveryDeps = { ...deps, connections: semaphoreOf(CONNECTIONS) };
  return new DueWork({
    clock: deps.clock,
    rows: dueDeliveries(deps.environment, deps.clock, leaseSeconds),
    concurrency: CONCURRENCY,
    run: async (due) => await deliver(due, deliveryDeps),
    isOutage: () => false,
    onLateFault: onFault,
    failure: "deliveries were not recorded",
  });
}
