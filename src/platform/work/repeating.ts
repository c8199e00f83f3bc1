/** A task that repeats. */
export interface Repeating {
  /** Waits for the current round, and starts no other. */
  stop(): Promise<void>;
}

/** Runs the task at once, and again this long after each end. An error ends only its round. */
export function repeat(
  milliseconds: number,
  task: () => Promise<unknown>,
  onFault: (error: unknown) => void,
): Repeating {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const round = async (): Promise<void> => {
    await task().catch(onFault);
    if (isStopped) return;
    timer = setTimeout(() => {
      running = round();
    }, milliseconds);
  };
  let running = round();
  return {
    stop: async () => {
      isStopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
