/**
 * Notes for the endpoints with the topics calendars and connections. Each takes a number of the user's feed, in the
 * transaction of the change. Accounts that are not their user's yet get none.
 */
import type { NoteKind } from '../../webhooks/message.ts';
import type { Dialect, Statements, Values } from '../drivers/database.ts';
import { lockUser } from './user-lock.ts';

export type Note = {
  /** Such as `calendar.created`. */
  readonly eventType: string;
  /** Members of its `data`, besides those that name the account. */
  readonly data: Readonly<Record<string, unknown>>;
};

export type NotedAccount = {
  readonly clientId: string;
  readonly userId: string;
  readonly groupId: string;
  readonly provider: string;
  readonly accountId: string;
  readonly display: string;
};

const heardText = (condition: string, kind: NoteKind): string => `
  SELECT a.client_id, a.user_id, a.group_id, a.provider, a.account_id, a.display
    FROM account a JOIN account_group g ON g.group_id = a.group_id AND g.expires_at IS NULL
   WHERE ${condition}
     AND EXISTS (SELECT 1 FROM webhook_endpoint e WHERE e.client_id = a.client_id AND e.hears_${kind} = 1)
   ORDER BY a.linked_at, a.account_key`;

const OF_CALENDARS = heardText('a.account_key = :accountKey', 'calendars');
const OF_CONNECTION = heardText('a.account_key = :accountKey', 'connections');
const ofConnections = ({ oneOf }: Dialect): string =>
  heardText(`a.account_key ${oneOf('keys')}`, 'connections');

const NEXT = `
  UPDATE application_user SET feed_seq = feed_seq + 1 WHERE client_id = :clientId AND user_id = :userId
  RETURNING feed_seq AS seq`;
const ADD = `
  INSERT INTO user_note (client_id, user_id, seq, kind, event_type, group_id, provider, data, noted_at)
  VALUES (:clientId, :userId, :seq, :kind, :eventType, :groupId, :provider, :data, :now)`;
const streamsText = (kind: NoteKind): string => `
  INSERT INTO webhook_stream (stream_id, endpoint_id, client_id, user_id, told_seq, due_at)
  SELECT e.endpoint_id || ' user ' || CAST(:userId AS TEXT), e.endpoint_id, CAST(:clientId AS TEXT),
         CAST(:userId AS TEXT), CAST(:seq AS BIGINT) - 1, 0
    FROM webhook_endpoint e WHERE e.client_id = :clientId AND e.hears_${kind} = 1
  ON CONFLICT (stream_id) DO UPDATE SET
    due_at = CASE WHEN webhook_stream.message_id IS NOT NULL AND webhook_stream.lease_holder IS NULL
                  THEN webhook_stream.due_at ELSE 0 END`;
const STREAMS = { calendars: streamsText('calendars'), connections: streamsText('connections') };

type About = { readonly kind: NoteKind; readonly now: number };

/** Adds a note about an account. The caller has locked the user's row. `now` is in epoch milliseconds. */
async function addNote(tx: Statements, account: NotedAccount, note: Note & About): Promise<void> {
  const { clientId, userId, groupId, provider, accountId, display } = account;
  const { eventType, data, kind, now } = note;
  const next = await tx.get<{ seq: number }>(NEXT, { clientId, userId });
  if (next === undefined) return;
  const text = JSON.stringify({ account: accountId, accountName: display, ...data });
  const values = { clientId, userId, seq: next.seq };
  await tx.change(ADD, { ...values, groupId, provider, kind, eventType, data: text, now });
  await tx.change(STREAMS[kind], values);
}

/** Adds notes about one account; does nothing if no endpoint has the topic. */
export type Noter = (note: Note) => Promise<void>;

/** Returns a function that adds notes about calendars. Call it before anything is locked. */
export const calendarNoter = (tx: Statements, accountKey: string, now: number): Promise<Noter> =>
  createNoter(tx, OF_CALENDARS, { accountKey }, { kind: 'calendars', now });

/** Returns the same for notes about the connection. Call it before anything is locked. */
export const connectionNoter = (tx: Statements, accountKey: string, now: number): Promise<Noter> =>
  createNoter(tx, OF_CONNECTION, { accountKey }, { kind: 'connections', now });

async function createNoter(tx: Statements, text: string, values: Values, about: About): Promise<Noter> {
  const account = await tx.get<NotedAccount>(text, values);
  if (account === undefined) return async () => {};
  await lockUser(tx, account);
  return (note) => addNote(tx, account, { ...note, ...about });
}

/** Adds one note for each of several accounts of one user, whose row is locked. Call it while the accounts exist. */
export async function noteConnections(
  tx: Statements,
  keys: readonly string[],
  { eventType, now }: { readonly eventType: string; readonly now: number },
): Promise<void> {
  const accounts = await tx.all<NotedAccount>(ofConnections(tx.dialect), { keys });
  for (const account of accounts)
    await addNote(tx, account, { eventType, data: {}, kind: 'connections', now });
}
