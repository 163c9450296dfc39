import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { AUDIT_ACTIONS, type AuditAction, type AuditEntry } from '../../audit/audit-entry.ts';
import en from '../messages/en.json' with { type: 'json' };
import { renderSentence } from './audit.page.ts';

const ADA = { kind: 'person', id: 'p1', name: 'Ada' } as const;
const NAMES = new Map([
  ['acme', 'Tideline'],
  ['p2', 'Grace'],
  ['we_1', 'hook.example'],
]);
/** Subjects by the first part of the action. */
const SUBJECTS: Readonly<Record<string, string>> = { person: 'p2', endpoint: 'we_1', provider_app: 'google' };

const entryOf = (action: AuditAction, change: Partial<AuditEntry> = {}): AuditEntry => ({
  ...{ number: 1, at: 1, actor: ADA, address: '192.0.2.1', action },
  ...{ clientId: 'acme', subject: SUBJECTS[action.split('.')[0] ?? ''], before: {}, after: {} },
  ...change,
});
const sentenceOf = (entry: AuditEntry, names = NAMES): string =>
  renderSentence(entry, names).markup.replace(/<[^>]*>/g, '');

describe('the sentence of an audit entry', () => {
  it('exists for each action, with the words of that action alone', () => {
    const keys = Object.keys(en).filter((key) => key.startsWith('audit.did.'));
    const rest = ['admin_key', 'command_line', 'other'];

    assert.deepEqual(
      keys.toSorted(),
      [...AUDIT_ACTIONS, ...rest].map((action) => `audit.did.${action}`).toSorted(),
    );
    const sentences = AUDIT_ACTIONS.map((action) => sentenceOf(entryOf(action)));
    assert.equal(new Set(sentences).size, AUDIT_ACTIONS.length);
    assert.deepEqual(
      sentences.filter((sentence) => /undefined|NaN|[{}]/.test(sentence)),
      [],
    );
  });

  it('names the member, the application, the endpoint, the provider and the other member', () => {
    const sentences = (
      [
        'client.secret_rotated',
        'endpoint.paused',
        'provider_app.set',
        'person.role_changed',
        'user.deleted',
      ] as const
    ).map((action) => sentenceOf(entryOf(action)));

    assert.deepEqual(sentences, [
      'Ada rotated the client secret of Tideline',
      'Ada paused the endpoint hook.example of Tideline',
      'Ada set the Google provider app of Tideline',
      'Ada changed the role or applications of Grace',
      'Ada deleted a user of Tideline',
    ]);
  });

  it('reads naturally for the command line, Kalends, an application, and a member who changes themselves', () => {
    const system = { kind: 'system' } as const;
    const root = { kind: 'command_line', name: 'root' } as const;

    assert.deepEqual(
      [
        entryOf('master_key.rotated', { actor: root }),
        entryOf('webhook_keys.rotated', { actor: root, clientId: undefined }),
        entryOf('endpoint.paused', { actor: system }),
        entryOf('user.deleted', { actor: system, after: { requested_by: 'application' } }),
        entryOf('person.password_set', { subject: 'p1' }),
        entryOf('person.sign_in_refused', { actor: system, after: { count: 3 } }),
        entryOf('delivery.replayed', { after: { count: 12 } }),
      ].map((entry) => sentenceOf(entry)),
      [
        'root (command line) rotated the master key',
        'root (command line) rotated the webhook keys of this deployment',
        'Kalends paused the endpoint hook.example of Tideline',
        'Tideline deleted one of its users through the API',
        'Ada set a new password',
        '3 sign-ins as Grace failed',
        'Ada resent 12 deliveries of Tideline',
      ],
    );
  });

  it('has the id of what was deleted, or the name that the entry itself has', () => {
    const none = new Map<string, string>();

    assert.deepEqual(
      [
        sentenceOf(entryOf('branding.updated'), none),
        sentenceOf(entryOf('person.removed'), none),
        sentenceOf(entryOf('endpoint.resumed'), none),
        sentenceOf(entryOf('client.deleted', { before: { name: 'Booking' } }), none),
        sentenceOf(entryOf('endpoint.deleted', { before: { url: 'https://old.example/in?…' } }), none),
        sentenceOf(entryOf('person.invited', { after: { email: null } }), none),
      ],
      [
        'Ada changed the branding of acme',
        'Ada removed the member p2',
        'Ada resumed the endpoint we_1 of acme',
        'Ada deleted the application Booking',
        'Ada removed the endpoint old.example of acme',
        'Ada created an invitation for anyone with the link',
      ],
    );
  });

  it('escapes names, shows their invisible characters, and keeps the id as a title', () => {
    const { markup } = renderSentence(
      entryOf('client.updated', { actor: { ...ADA, name: '<b>\u202eAda' } }),
      NAMES,
    );

    assert.match(markup, /<bdi title="p1">&#60;b&#62;\\u202eAda<\/bdi>/);
    assert.match(markup, /<bdi title="acme">Tideline<\/bdi>/);
  });
});
