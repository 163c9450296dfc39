/** The guards of webhooks and of watches at providers. */
import type { Guard } from './known-guards.ts';

const USE = `client_id, CASE own_webhook_keys WHEN 1 THEN 'own' ELSE 'instance' END AS keys, COALESCE(webhook_keys_overlap_until, 0) AS overlap_until`;
const OWN_KEYS =
  'an application without messages has own keys once a developer is given it, unless it was switched';
const KEYS: readonly Guard[] = [
  ...[
    'each of ten concurrent rotations of an application’s keys is a whole one',
    'of ten that switch at once, one leaves an entry in the audit log',
  ].map(
    (fails): Guard => ({
      store: 'webhook-key',
      without: `UPDATE application SET updated_at = updated_at WHERE client_id = :clientId RETURNING ${USE}=>SELECT ${USE} FROM application WHERE client_id = :clientId`,
      fails,
      on: 'PostgreSQL',
    }),
  ),
  {
    store: 'webhook-key',
    without:
      "WHERE status = 'active' AND client_id = :clientId=>WHERE status = 'active' AND CAST(:clientId AS TEXT) <> ''",
    fails: 'a rotation of an application’s keys leaves the keys of all others as they are',
  },
  ...[
    ' AND own_webhook_keys = 0 AND webhook_keys_overlap_until IS NULL=>',
    " AND EXISTS (SELECT 1 FROM person WHERE person_id = :personId AND role = 'developer')=> AND CAST(:personId AS TEXT) <> ''",
    ' AND NOT EXISTS (SELECT 1 FROM webhook_message WHERE client_id = :clientId)=>',
  ].map((without): Guard => ({ store: 'person', without, fails: OWN_KEYS })),
];

const ENDPOINTS: readonly Guard[] = [
  {
    store: 'webhook-endpoint',
    without:
      'UPDATE application SET updated_at = updated_at WHERE client_id = :clientId=>SELECT client_id FROM application WHERE client_id = :clientId',
    fails: 'of ten listeners that are added at once as many are as an application may have',
    on: 'PostgreSQL',
  },
  {
    store: 'webhook-endpoint',
    without: ' AND expires_at > CAST(:createdAt AS BIGINT)=>',
    fails: 'a listener that has ended, another application’s and an endpoint take no room of listeners',
  },
  {
    store: 'webhook-endpoint',
    without: 'client_id = :clientId AND expires_at IS NOT NULL=>client_id = :clientId',
    fails: 'a listener is removed once, by its own application',
  },
  {
    store: 'webhook-endpoint',
    without:
      " AND client_id = :clientId AND expires_at IS=> AND CAST(:clientId AS TEXT) <> '' AND expires_at IS",
    fails: 'a listener is removed once, by its own application',
  },
  {
    store: 'webhook-endpoint',
    without: 'expires_at > :now AND endpoint_id=>CAST(:now AS BIGINT) > 0 AND endpoint_id',
    fails: 'a listener lives on when its own application asks in time',
  },
  {
    store: 'webhook-endpoint',
    without: 'expires_at < :now ORDER=>CAST(:now AS BIGINT) > 0 ORDER',
    fails: 'listeners that have ended are removed, and nothing else is',
  },
  {
    store: 'webhook-endpoint',
    without: ' AND due_at IS NOT NULL AND lease_holder=> AND lease_holder',
    fails: 'resuming an endpoint makes what waits for it due at once, and leaves alone what is being worked',
  },
  {
    store: 'webhook-endpoint',
    without: ' AND lease_holder IS NULL=>',
    fails: 'resuming an endpoint makes what waits for it due at once, and leaves alone what is being worked',
  },
  {
    store: 'webhook-endpoint',
    without: ' AND is_first = 0=>',
    fails: 'an endpoint is removed once, with what waits for it; that of the webhook URL is not',
  },
  {
    store: 'webhook-endpoint',
    without:
      'UPDATE webhook_endpoint SET url = url WHERE endpoint_id = :endpointId RETURNING client_id, url, private_network, is_first, state, paused_reason, failures, secrets, hears_events AS events, hears_calendars AS calendars, hears_connections AS connections, hears_own AS own=>SELECT client_id, url, private_network, is_first, state, paused_reason, failures, secrets, hears_events AS events, hears_calendars AS calendars, hears_connections AS connections, hears_own AS own FROM webhook_endpoint WHERE endpoint_id = :endpointId',
    fails: 'of ten who change the secrets at once each sees what the one before made',
    on: 'PostgreSQL',
  },
  {
    store: 'webhook-endpoint',
    without: " WHERE client_id <> :clientId=> WHERE CAST(:clientId AS TEXT) <> ''",
    fails: 'an address is elsewhere if an endpoint of another application has it, in any spelling',
  },
];

const LOG: readonly Guard[] = [
  {
    store: 'webhook-message-log',
    without: 'IS NULL OR client_id = :clientId)=>IS NULL OR client_id <> :clientId OR client_id = :clientId)',
    fails: 'a message is shown to its own application, with its body and its attempts in order',
  },
  {
    store: 'webhook-message-log',
    without: 'replay_at <= =>replay_at - 90000 <= ',
    fails: 'a replay that is asked for is given to exactly one of ten callers, with what it takes to send it',
  },
  {
    store: 'webhook-message-log',
    without: "AND e.state = 'active'=>",
    fails: 'a replay of a paused endpoint waits until it is resumed',
  },
  {
    store: 'webhook-message-log',
    without: 'WHERE replay_at IS NULL AND message_id IN=>WHERE message_id IN',
    fails: 'of ten who ask for replays of a range at once each message is counted by one',
    on: 'PostgreSQL',
  },
  {
    store: 'webhook-message-log',
    without: ' AND replay_at IS NULL ORDER=> ORDER',
    fails: 'of a range the oldest are asked for, as many as may be, and of the application alone',
  },
  {
    store: 'webhook-message-log',
    without: 'COALESCE(replay_at, CAST(:now AS BIGINT))=>CAST(:now AS BIGINT)',
    fails: 'one that is asked for again while it is being sent is not given to another',
  },
  {
    store: 'webhook-message-log',
    without: " AND state <> 'pending'=>",
    fails: 'a replay of what its stream is still trying leaves that to its stream',
  },
  {
    store: 'webhook-message-log',
    without: "state IN ('delivered', 'dead', 'withheld') AND (created_at + 0)=>(created_at + 0)",
    fails: 'what is older is deleted with its attempts, but for what is being tried',
  },
  {
    store: 'webhook-message-log',
    without:
      'UPDATE webhook_message SET replay_at = NULL WHERE message_id = :messageId=>SELECT message_id FROM webhook_message WHERE message_id = :messageId',
    fails: 'of ten attempts that are logged at once each has a number of its own',
    on: 'PostgreSQL',
  },
];

const DELETED_CHANGES =
  'a stream waits since the deletion of changes that it has not delivered, and no other stream does';
const STREAMS: readonly Guard[] = [
  {
    store: 'webhook-stream',
    without: 'c.noted_at < :before AND (c.seq=>(c.seq',
    fails: DELETED_CHANGES,
  },
  {
    store: 'webhook-stream',
    without: 'AND (c.seq > s.told_seq OR (c.seq = s.told_seq AND s.told_id IS NOT NULL))=>',
    fails: DELETED_CHANGES,
  },
  {
    store: 'webhook-stream',
    without: ' OR (c.seq = s.told_seq AND s.told_id IS NOT NULL)=>',
    fails: DELETED_CHANGES,
  },
  {
    store: 'webhook-stream',
    without: ' OR pending_since > :before)=> OR pending_since > 0)',
    fails: DELETED_CHANGES,
  },
  {
    store: 'webhook-stream',
    without: ' AND lease_holder = :holder=>',
    fails: 'a stream whose lease expired is taken over, and its former holder changes nothing',
  },
  {
    store: 'webhook-stream',
    without:
      'due_at = CAST(:leaseUntil AS BIGINT) AND CAST(:more=>CAST(:leaseUntil AS BIGINT) > 0 AND CAST(:more',
    fails: 'a change that comes while a stream is worked makes it due again',
  },
  {
    store: 'webhook-stream',
    without:
      'due_at = CAST(:leaseUntil AS BIGINT) AND calendar_key=>CAST(:leaseUntil AS BIGINT) > 0 AND calendar_key',
    fails: 'a change after a worker found no grant is not skipped when that worker withholds the stream',
  },
  {
    store: 'webhook-stream',
    without: ' AND lease_holder = {holder} RETURNING=> RETURNING',
    fails: 'a stream whose lease expired is taken over, and its former holder changes nothing',
  },
  {
    store: 'webhook-stream',
    without: ' AND lease_holder = {holder} AND message_id=> AND message_id',
    fails: 'the former holder of a lease also settles its delivery, and the lease stays with the new holder',
  },
  {
    store: 'webhook-stream',
    without: 'due_at = {leaseUntil} AND=>{leaseUntil} > 0 AND',
    fails: 'a change that comes while a message is sent makes the stream due again',
  },
  {
    store: 'webhook-stream',
    without: ' AND lease_until <= :dueAt ORDER BY stream_id=> ORDER BY stream_id',
    fails: 'a change that comes while a stream is worked waits until it is given back',
  },
  {
    store: 'webhook-stream',
    without: 'gate_at <= =>gate_at - 1000 <= ',
    fails: 'takes one only while the circuit is open, and none before its time or while it is paused',
  },
  {
    store: 'webhook-stream',
    without: "state = 'active'=>state <> 'none'",
    fails: 'takes one only while the circuit is open, and none before its time or while it is paused',
  },
  {
    store: 'webhook-stream',
    without: ' AND e.hears_events = 1=>',
    fails: 'nothing is noted of a calendar that is of an endpoint that hears of other things',
  },
  {
    store: 'webhook-stream',
    without: ' AND c.synced_at IS NOT NULL=>',
    fails: 'nothing is noted of a calendar that was never synced',
  },
  {
    store: 'webhook-stream',
    without: ' AND c.left_out = 0=>',
    fails: 'nothing is noted of a calendar that was left out by its user',
  },
  {
    store: 'webhook-stream',
    without: ' AND s.ended = 1=> AND s.ended = 2',
    fails: 'nothing is noted of a calendar that was unsubscribed',
  },
  {
    store: 'webhook-stream',
    without: ' AND g.expires_at IS NULL=>',
    fails: 'nothing is noted of a calendar that is of a transaction that is not finished',
  },
  {
    store: 'webhook-stream',
    without: '= {calendarKey} AND c.left_out = 0=>= {calendarKey}',
    fails: 'a calendar that is left out, unsubscribed, or not yet its user’s is not delivered',
  },
  {
    store: 'webhook-stream',
    without: ' AND s.ended = 1=> AND s.ended = 3',
    fails: 'a calendar that is left out, unsubscribed, or not yet its user’s is not delivered',
  },
  {
    store: 'webhook-stream',
    without: 'a.group_id AND g.expires_at IS NULL=>a.group_id',
    fails: 'a calendar that is left out, unsubscribed, or not yet its user’s is not delivered',
  },
  {
    store: 'webhook-stream',
    without: ' AND f.ended_at IS NULL=>',
    fails: 'shows a calendar by the widest living grant, and to nobody without one',
  },
  {
    store: 'webhook-stream',
    without: 'CASE WHEN f.scope < o.scope THEN f.scope ELSE o.scope END=>o.scope',
    fails: 'shows a calendar by the widest living grant, and to nobody without one',
  },
];

const SUBSCRIPTIONS: readonly Guard[] = [
  {
    store: 'webhook-subscription',
    without:
      'UPDATE application_user SET last_seen_at = last_seen_at WHERE=>SELECT user_id FROM application_user WHERE',
    fails: 'gives one channel id to exactly one of ten calendars',
    on: 'PostgreSQL',
  },
  {
    store: 'webhook-subscription',
    without: " AND a.user_id = :userId=> AND CAST(:userId AS TEXT) <> ''",
    fails: "does nothing to a calendar that is gone or another user's",
  },
  {
    store: 'webhook-subscription',
    without: " AND calendar_key <> :calendarKey=> AND CAST(:calendarKey AS TEXT) <> ''",
    fails: 'a channel id stays with its calendar when that chooses it again',
  },
];

const WATCHES: readonly Guard[] = [
  {
    store: 'watch',
    without: 'calendar_key = :calendarKey AND account_key = :accountKey)=>calendar_key = :calendarKey)',
    fails: 'nothing is watched of a calendar in the name of another account',
  },
  {
    store: 'watch',
    without: "CASE WHEN state = 'live' AND :state = 'made' THEN state ELSE :state END=>:state",
    fails: 'a watch that sent a push notification before its provider responded stays live',
  },
  {
    store: 'watch',
    without: "CASE WHEN state IN ('asked', 'made') THEN 'live' ELSE state END=>'live'",
    fails: 'a push notification does not revive a watch that was refused',
  },
  {
    store: 'watch',
    without: 'ELSE expires_at END=>ELSE 0 END',
    fails: 'one that its provider ended is renewed at once, and one that ends soon still counts',
  },
  {
    store: 'watch',
    without: ' AND w.expires_at > :now=> AND CAST(:now AS BIGINT) > 0',
    fails: 'an account is pushed when each of its calendars that can be watched is',
  },
  {
    store: 'watch',
    without: "(w.state = 'unsupported' OR=>(",
    fails: 'an account is pushed when each of its calendars that can be watched is',
  },
  {
    store: 'watch',
    without: " AND a.user_id = :userId=> AND CAST(:userId AS TEXT) <> ''",
    fails: 'an account is pushed when each of its calendars that can be watched is',
  },
];

export const WEBHOOK_GUARDS: readonly Guard[] = [
  ...KEYS,
  ...ENDPOINTS,
  ...LOG,
  ...STREAMS,
  ...SUBSCRIPTIONS,
  ...WATCHES,
];
