/** Prints the effects of a change of switches before `client update` saves it. */

import { MOST_COUNTED } from '../administration/applications.ts';
import { checkApplicationOperation } from '../administration/operations/security-operations.ts';
import type { Members } from '../http/fields.ts';
import { SWITCH_KEYS, SWITCHES, switchField, switchTitle } from '../oauth/switches.ts';
import type { Context } from './command.ts';
import type { Operations } from './rendering.ts';
import { terminalText } from './terminal-text.ts';

/** Returns the number of living grants as text. */
export const grantsText = (count: number): string =>
  count > MOST_COUNTED ? `more than ${MOST_COUNTED} living grants` : `${count} living grant(s)`;

const SECOND_URI =
  'With several redirect URIs, a requested redirect_uri must be registered, also one that was ignored until now.';

const urisIn = (list: unknown): readonly unknown[] => (Array.isArray(list) ? list : []);

type Change = {
  /** The document of the application. */
  readonly before: Members;
  /** The fields of the update. */
  readonly change: Members;
};

/** Prints the effects on standard error, with the number of living grants if they are affected. Not with `--json`. */
export async function printEffects(
  { before, change }: Change,
  operations: Operations,
  { io, json }: Context,
): Promise<void> {
  const changed = SWITCH_KEYS.filter((key) => {
    const value = change[switchField(key)];
    return value !== undefined && value !== before[switchField(key)];
  });
  const added = urisIn(change.add_redirect_uris);
  const isSecond =
    urisIn(before.redirect_uris).length === 1 &&
    (urisIn(change.redirect_uris).length > 1 || added.length > urisIn(change.remove_redirect_uris).length);
  const lines = [
    ...changed.map((key) => `${switchTitle(key)}: ${SWITCHES[key].consequence}`),
    ...(isSecond ? [SECOND_URI] : []),
  ];
  if (json || lines.length === 0) return;
  if (isSecond || changed.some((key) => 'affectsGrants' in SWITCHES[key])) {
    const { living_grants: grants } = await operations.read(checkApplicationOperation, {
      client_id: before.client_id,
    });
    lines.unshift(`This application has ${grantsText(Number(grants))}.`);
  }
  io.stderr.write(`${terminalText(lines.join('\n'))}\n`);
}
