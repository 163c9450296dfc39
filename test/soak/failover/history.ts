/** The history of a run: one line of JSON for each operation of a client, as the clients saw it. */
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';

export type Line = {
  readonly client: string;
  readonly object: string;
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly output?: Readonly<Record<string, unknown>> & { readonly status: number };
  /** Milliseconds since the start of the process; `end` is absent if the outcome is unknown. */
  readonly start: number;
  readonly end?: number;
};

export type Output = { readonly status: number; readonly token?: string; readonly id?: string };
type Request = Pick<Line, 'client' | 'object' | 'operation' | 'input'>;

/** Statuses that tell the outcome. After all others, and without a response, an operation may have taken effect. */
const CERTAIN = new Set([200, 201, 400, 401]);

export class History {
  readonly lines: Line[] = [];
  readonly #file: ReturnType<typeof createWriteStream>;

  constructor(file: string) {
    this.#file = createWriteStream(file);
  }

  /** Runs a request and writes its line. Returns the response, or undefined if the outcome is unknown. */
  async record<T extends Output>(request: Request, send: () => Promise<T>): Promise<T | undefined> {
    const start = performance.now();
    const output = await send().catch(() => undefined);
    const isCertain = output !== undefined && CERTAIN.has(output.status);
    const line = { ...request, start, ...(isCertain ? { output, end: performance.now() } : {}) };
    this.lines.push(line);
    this.#file.write(`${JSON.stringify(line)}\n`);
    return isCertain ? output : undefined;
  }

  async close(): Promise<void> {
    this.#file.end();
    await finished(this.#file);
  }
}
