/** The first reading of a Graph request: its user, zone, form of ids, and page size. */
import { type FaultEffect, hasEffect } from '../core/faults.ts';
import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer, SandboxRequest } from '../core/sandbox-server.ts';
import type { ShownMessage } from '../core/sent-messages.page.ts';
import type { DeltaTokens } from './delta-tokens.ts';
import { type Access, type Account, addressesOf } from './directory.ts';
import type { EventView } from './event-shape.ts';
import { unknownZone, zoneOfName } from './graph-time.ts';
import type { MailboxStore } from './mailbox-store.ts';
import { mayRead, type Permission } from './permission.ts';
import type { Subscriptions } from './subscriptions.ts';

export type GraphDeps = {
  now(): number;
  origin(): string;
  /** The longest life of a subscription in minutes: 10,080 now, 4,230 by older documentation. */
  longestSubscription(): number;
  readonly store: MailboxStore;
  readonly deltas: DeltaTokens;
  readonly subscriptions: Subscriptions;
  /** The messages that were emailed so far; changed in place. */
  readonly sent: ShownMessage[];
  findAccount(email: string): Account | undefined;
};

/** A request with a valid token. */
export type GraphCall = {
  readonly request: SandboxRequest;
  readonly account: Account;
  readonly clientId: string;
  readonly permissions: readonly Permission[];
  /** The variable parts of the path, decoded. */
  readonly parts: Readonly<Record<string, string>>;
  readonly view: EventView;
  readonly prefer: Preferences;
  readonly effects: readonly FaultEffect[];
};

export type Preferences = {
  readonly timeZone: string | undefined;
  readonly immutableIds: boolean;
  readonly maxPageSize: number | undefined;
  readonly textBody: boolean;
};

export function graphCall(
  { request, access, parts, effects }: Pick<GraphCall, 'request' | 'parts' | 'effects'> & { access: Access },
  deps: GraphDeps,
): GraphCall {
  const { account, clientId, permissions } = access;
  const prefer = readPrefer(request.headers.prefer);
  if (prefer.timeZone !== undefined && zoneOfName(prefer.timeZone) === undefined)
    throw unknownZone(prefer.timeZone);
  const view: EventView = {
    zoneName: prefer.timeZone ?? 'UTC',
    idForm: prefer.immutableIds ? 'immutable' : 'default',
    basic: !mayRead(permissions),
    textBody: prefer.textBody,
    unanswered: hasEffect(effects, 'no_own_answer') ? addressesOf(account) : new Set(),
    origin: deps.origin(),
  };
  return { request, account, clientId, permissions, parts, view, prefer, effects };
}

/** Reads RFC 7240's header, on one line or several. Unknown preferences are ignored. */
function readPrefer(header: string | string[] | undefined): Preferences {
  const text = Array.isArray(header) ? header.join(', ') : (header ?? '');
  const value = (name: string) =>
    new RegExp(`(?:^|[,;\\s])${name}\\s*=\\s*"?([^",;]+)"?`, 'i').exec(text)?.[1];
  const size = Number(value('odata\\.maxpagesize'));
  return {
    timeZone: value('outlook\\.timezone'),
    immutableIds: value('IdType')?.toLowerCase() === 'immutableid',
    maxPageSize: Number.isInteger(size) && size > 0 ? size : undefined,
    textBody: value('outlook\\.body-content-type')?.toLowerCase() === 'text',
  };
}

/** Parses the JSON body. Throws a 400. */
export function jsonBody({ body }: SandboxRequest): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new SandboxRefusal(400, 'BadRequest', 'Unable to read JSON request payload.');
  }
}

/** Renders JSON with a header that lists the applied preferences of the client, as Graph does. */
export function jsonAnswer(body: object, { prefer, view }: GraphCall, status = 200): SandboxAnswer {
  const applied = [
    ...(prefer.timeZone === undefined ? [] : [`outlook.timezone="${view.zoneName}"`]),
    ...(prefer.maxPageSize === undefined ? [] : [`odata.maxpagesize=${prefer.maxPageSize}`]),
    ...(prefer.textBody ? ['outlook.body-content-type="text"'] : []),
  ];
  const headers = {
    'content-type':
      'application/json;odata.metadata=minimal;odata.streaming=true;IEEE754Compatible=false;charset=utf-8',
    ...(applied.length > 0 ? { 'preference-applied': applied.join(', ') } : {}),
  };
  return { status, headers, body: JSON.stringify(body) };
}
