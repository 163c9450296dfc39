/** `--pushed-requests` and the like: how an application lets its users connect and refreshes their tokens. */
import { PROVIDER_KINDS, type ProviderKind, parseProviderKind } from '../calendars/provider-facts.ts';
import {
  type ClientChange,
  type ClientSettings,
  PUSHED_REQUESTS,
  REFRESH_REPLAY_WINDOW,
  RETURNING_USERS,
} from '../oauth/client.ts';
import { type CommandOption, type Input, usageError } from './command.ts';
import { oneOf } from './option-values.ts';

export const FLOW_OPTIONS: readonly CommandOption[] = [
  {
    name: 'pushed-requests',
    value: PUSHED_REQUESTS.join('|'),
    doc: 'Whether users can be sent to `/authorize` with the parameters in the address (`accepted`, the default), or only with a request that the application pushed to `/par`.',
  },
  {
    name: 'returning-users',
    value: RETURNING_USERS.join('|'),
    doc: '`prove`, the default: a returning user whose browser is not known signs in to an account again. `continue`: nobody needs to, which lets whoever knows a user id go on with its accounts.',
  },
  {
    name: 'providers',
    value: 'KIND,…',
    doc: `Which providers it offers, of ${PROVIDER_KINDS.join(', ')}; all that the instance offers by default.`,
  },
  { name: REFRESH_REPLAY_WINDOW.option, value: 'SECONDS', doc: REFRESH_REPLAY_WINDOW.about },
];

type FlowChange = Pick<ClientChange, keyof ClientSettings>;

/** Reads the options; an absent one is undefined. Throws a usage error about the first that cannot be. */
export function readFlowChange(options: Input['options']): FlowChange {
  return {
    pushedRequests: oneOf(options, 'pushed-requests', PUSHED_REQUESTS),
    returningUsers: oneOf(options, 'returning-users', RETURNING_USERS),
    providers: readProviders(options.providers),
    refreshReplayWindow: readReplayWindow(options[REFRESH_REPLAY_WINDOW.option]),
  };
}

/** The sentences that a change of these settings calls for. */
export function flowNotices({ returningUsers }: FlowChange): string[] {
  return returningUsers === 'continue'
    ? [
        'Returning users now continue without proof: whoever knows a user id can go on with that user’s accounts, at any scope, without proving that they are theirs.',
      ]
    : [];
}

function readReplayWindow(value: Input['options'][string] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const seconds = REFRESH_REPLAY_WINDOW.parse(value);
  if (seconds !== undefined) return seconds;
  throw usageError(`--${REFRESH_REPLAY_WINDOW.option} ${REFRESH_REPLAY_WINDOW.problem}.`);
}

/** An empty text takes the limit away. */
function readProviders(
  value: Input['options'][string] | undefined,
): readonly ProviderKind[] | null | undefined {
  if (typeof value !== 'string') return undefined;
  if (value === '') return null;
  const named = value.split(',').map((name) => {
    const kind = parseProviderKind(name);
    if (kind !== undefined) return kind;
    throw usageError(`--providers names "${name.trim()}": it takes ${PROVIDER_KINDS.join(', ')}.`);
  });
  return PROVIDER_KINDS.filter((kind) => named.includes(kind));
}
