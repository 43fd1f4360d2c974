// Asks again when the server has too much to do.
import { asProblem } from './client';

const wait = (seconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, seconds * 1000);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

// Only for requests that may be sent again.
export async function patiently<T>(ask: () => Promise<T>, tries: number, signal?: AbortSignal): Promise<T> {
  for (let tried = 1; ; tried++) {
    try {
      return await ask();
    } catch (error) {
      const problem = asProblem(error);
      if ((problem.status !== 429 && problem.status !== 503) || tried >= tries) throw error;
      await wait(Math.min(problem.retryAfterSeconds ?? 2, 30), signal);
    }
  }
}
