/** The demo application as a server of its own on loopback. */
import { createServer } from '../../src/http/server.ts';
import { type DemoDeps, demoRoutes } from './demo.route.ts';

export type RunningDemo = { readonly origin: string; close(): Promise<void> };

/** Rejects when the port is taken. */
export async function startDemo(deps: DemoDeps & { readonly port: number }): Promise<RunningDemo> {
  const app = createServer({ log: CONSOLE_LOG, trustProxy: undefined, secure: false });
  app.register(demoRoutes(deps));
  const origin = await app.listen({ host: '127.0.0.1', port: deps.port });
  return { origin, close: () => app.close() };
}

/** Only what went wrong is worth a line beside what the sandbox prints. */
export const CONSOLE_LOG = {
  debug() {},
  info() {},
  warn: (fields: object, message: string) => console.error(message, fields),
  error: (fields: object, message: string) => console.error(message, fields),
};
