/** `--pushed-requests` and similar options: how users connect, and how the application refreshes tokens. */
import { PROVIDER_KINDS, type ProviderKind, parseProviderKind } from '../calendars/provider-facts.ts';
import {
  type ClientChange,
  type ClientSettings,
  PUSHED_REQUESTS,
  REFRESH_REPLAY_WINDOW,
  RETURNING_USERS,
} from '../oauth/client.ts';
import { type CommandOption, type Input, usageError } from './command.ts';
import { choiceIn } from './option-values.ts';

export const FLOW_OPTIONS: readonly CommandOption[] = [
  {
    name: 'pushed-requests',
    value: PUSHED_REQUESTS.join('|'),
    doc: '`accepted`, the default: `/authorize` takes its parameters from the URL or from a request pushed to `/par`. `required`: only from a pushed request.',
  },
  {
    name: 'returning-users',
    value: RETURNING_USERS.join('|'),
    doc: '`prove`, the default: a returning user in an unknown browser signs in to an account again. `continue`: no sign-in is needed, so everyone who knows a user id can use its accounts.',
  },
  {
    name: 'providers',
    value: 'KIND,…',
    doc: `The providers that it offers, of ${PROVIDER_KINDS.join(', ')}; by default all providers of the instance.`,
  },
  { name: REFRESH_REPLAY_WINDOW.option, value: 'SECONDS', doc: REFRESH_REPLAY_WINDOW.about },
];

type FlowChange = Pick<ClientChange, keyof ClientSettings>;

/** Reads the options; an absent one is undefined. Throws a usage error for the first invalid one. */
export function readFlowChange(options: Input['options']): FlowChange {
  return {
    pushedRequests: choiceIn(options, 'pushed-requests', PUSHED_REQUESTS),
    returningUsers: choiceIn(options, 'returning-users', RETURNING_USERS),
    providers: readProviders(options.providers),
    refreshReplayWindow: readReplayWindow(options[REFRESH_REPLAY_WINDOW.option]),
  };
}

/** Returns the notices for a change of these settings. */
export function flowNotices({ returningUsers }: FlowChange): string[] {
  return returningUsers === 'continue'
    ? [
        'Returning users now continue without proof: everyone who knows a user id can use the accounts of that user, at any scope.',
      ]
    : [];
}

function readReplayWindow(value: Input['options'][string] | undefined): number | undefined {
  if (typeof value !== 'string') return undefined;
  const seconds = REFRESH_REPLAY_WINDOW.parse(value);
  if (seconds !== undefined) return seconds;
  throw usageError(`--${REFRESH_REPLAY_WINDOW.option} ${REFRESH_REPLAY_WINDOW.problem}.`);
}

/** Parses a list of providers. Null, for an empty text, removes the limit. */
function readProviders(
  value: Input['options'][string] | undefined,
): readonly ProviderKind[] | null | undefined {
  if (typeof value !== 'string') return undefined;
  if (value === '') return null;
  const kinds = value.split(',').map((name) => {
    const kind = parseProviderKind(name);
    if (kind !== undefined) return kind;
    throw usageError(`--providers must be a list of ${PROVIDER_KINDS.join(', ')}, not "${name.trim()}".`);
  });
  return PROVIDER_KINDS.filter((kind) => kinds.includes(kind));
}
