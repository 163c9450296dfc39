import type { Guard } from './known-guards.ts';

/** Guards of what only one of several callers may do once: keys, sign-ins, requests, counts. */
export const ONCE_GUARDS: readonly Guard[] = [
  {
    store: 'master-key',
    without:
      " VALUES ('master_key_next', :next) ON CONFLICT (name) DO NOTHING=> VALUES ('master_key_next', :next) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    fails: 'ten concurrent announcements all return the same key, which can be withdrawn',
  },
  {
    store: 'master-key',
    without: ' AND secrets = :before=> AND CAST(:before AS TEXT) IS NOT NULL',
    fails: 'a value that is written during resealing stays as it was written',
  },
  {
    store: 'sign-in',
    without: ' AND kept IS NOT NULL=>',
    fails: 'a sign-in goes to exactly one of ten who ask at once',
    on: 'PostgreSQL',
  },
  {
    store: 'pushed-request',
    without: ' AND spent_for IS NULL AND created_at >= :createdSince=> AND created_at >= :createdSince',
    fails: 'a pushed request is spent once: ten who ask at once get it once, and the others its transaction',
  },
  {
    store: 'pushed-request',
    without: ' AND client_id = :clientId AND issuer = :issuer=> AND client_id = :clientId',
    fails: 'a pushed request is unknown at another issuer, before and after its use',
  },
  {
    store: 'passkey',
    without: ' AND (counter < :counter OR (counter = 0 AND :counter = 0))=>',
    fails: 'one of ten calls with the same higher counter succeeds; a counter that stays at 0 is not checked',
  },
  {
    store: 'test-user',
    without: ' AND session_id = :sessionId=> AND CAST(:sessionId AS TEXT) IS NOT NULL',
    fails: 'one of ten ends a flow, and only in the session that began it',
  },
  {
    store: 'activity',
    without:
      "WHERE column1 = '' OR EXISTS (SELECT 1 FROM application AS a WHERE a.client_id = column1)=>WHERE 1 = 1",
    fails: 'an application takes its counts with it, and none are added after',
  },
  {
    store: 'link-creators',
    without: " = created_by AND p.role = 'owner'=> = created_by",
    fails: 'a link of a member whom an older version made a viewer does not work',
  },
  {
    store: 'link-creators',
    without: "p.role = 'owner' AND s.session_id=>s.session_id",
    fails: 'a link of a member whom an older version made a viewer does not work',
  },
  {
    store: 'link-creators',
    without: 's.session_id = CAST(:sessionId AS TEXT)=>CAST(:sessionId AS TEXT) IS NOT NULL',
    fails: 'a link is created in a session of its creator that has not ended',
  },
  {
    store: 'link-creators',
    without: ' ON CONFLICT (name) DO UPDATE SET value = excluded.value=> ON CONFLICT (name) DO NOTHING',
    fails: 'a link is not created by somebody who becomes a developer meanwhile',
    on: 'PostgreSQL',
  },
  {
    store: 'link-creators',
    without: ' OR person_id = :personId)=> OR person_id <> :personId OR person_id = :personId)',
    fails: 'a member withdraws the reset links of their own account alone',
  },
];
