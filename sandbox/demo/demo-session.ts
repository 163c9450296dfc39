/** The demo's data of one browser, stored on the server; the browser has only a random name for it. */
import { randomBytes } from 'node:crypto';

import type { Tokens } from './kalends-client.ts';

export type DemoSession = {
  /** The demo's own id of its user: each browser is a new user. */
  readonly userId: string;
  /** The `state` of the flow in progress. */
  state: string | undefined;
  tokens: Tokens | undefined;
  /** Displayed once, on the next page. */
  notice: Notice | undefined;
};

export type Notice = { readonly kind: 'done' | 'trouble'; readonly text: string };

export interface DemoSessions {
  find(name: string | undefined): DemoSession | undefined;
  /** Creates a session and its name. */
  start(): { readonly name: string; readonly session: DemoSession };
}

const MOST_SESSIONS = 1000;

/** Returns the sessions. `sessions` has the existing ones; the map is changed in place. */
export function demoSessions(sessions: Map<string, DemoSession>): DemoSessions {
  return {
    find: (name) => (name === undefined ? undefined : sessions.get(name)),
    start() {
      const [oldest] = sessions.keys();
      if (oldest !== undefined && sessions.size >= MOST_SESSIONS) sessions.delete(oldest);
      const name = randomBytes(24).toString('base64url');
      const userId = `demo-${randomBytes(4).toString('hex')}`;
      const session: DemoSession = { userId, state: undefined, tokens: undefined, notice: undefined };
      sessions.set(name, session);
      return { name, session };
    },
  };
}
