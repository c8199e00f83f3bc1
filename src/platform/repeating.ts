/** A task that is done again and again. */
export interface Repeating {
  /** Waits for the round under way; there is none after it. */
  stop(): Promise<void>;
}

/** Does the task at once, and again so long after each time that it ended. A fault ends that round only. */
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
