/** Alerts of workers with a virtual clock, at a real mail server and a real receiver of webhooks. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { Webhook } from 'standardwebhooks';

import { DatabaseAwayError } from '../../src/lib/database-away-error.ts';
import { lazyEgress } from '../../src/lib/egress/lazy-egress.ts';
import { parseMailSender, parseMailServer } from '../../src/lib/mail/mail-server.ts';
import { MailError, type Mailer, smtpMailer } from '../../src/lib/mail/mailer.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { openStores } from '../../src/store/open-stores.ts';
import { type AlertSettings, alertChannels } from '../../src/system/alert-channels.ts';
import { alertsDue } from '../../src/system/alert-schedule.ts';
import type { Check } from '../../src/system/doctor-checks.ts';
import { NOW, sealer } from '../contract/calendar-rows.ts';
import { collectingLog } from '../harness/calendar-server.ts';
import { onEachDatabase, onSqlite } from '../harness/databases.ts';
import { headersOf, type SmtpServer, startSmtpServer, withSmtpServer } from '../harness/smtp-server.ts';

const MINUTE = 60_000;
const TO_ADA: AlertSettings = { emails: ['ada@example.com'], webhookUrl: undefined, webhookSecret: '' };
const DOWN: Mailer = { send: () => Promise.reject(new MailError('The mail server cannot be reached.')) };

/** Opens workers on one database with one clock; `check` and `mailer` can be replaced at any time. */
function openWorkers(db: Database, mailer: Mailer, settings: AlertSettings = TO_ADA) {
  const stores = openStores(db, { sealer });
  const log = collectingLog();
  const state = { now: NOW, mailer, checks: [] as Check[] };
  const now = () => state.now;
  const alertEgress = lazyEgress({ privateNetwork: { mode: 'allow' } });
  const openWorker = (send: Mailer['send'] = (mail) => state.mailer.send(mail)) => {
    const webhookSigner = { signaturesOf: () => [] };
    const deps = { mailer: { send }, alertEgress, webhookSigner, publicUrl: 'https://kalends.example', now };
    const channels = alertChannels(settings, deps);
    const program = { check: async () => state.checks };
    return alertsDue({ ...stores, channels, program, log, now, dashboardUrl: 'https://kalends.example' });
  };
  /** Runs every worker once a minute, all at the same time. */
  const pass = async (minutes: number, ...workers: (() => Promise<void>)[]) => {
    for (let minute = 0; minute < minutes; minute++) {
      await Promise.all(workers.map((look) => look()));
      state.now += MINUTE;
    }
  };
  return { db, stores, log, state, alertEgress, openWorker, pass };
}

async function addApplication(db: Database, name = 'Acme'): Promise<void> {
  await db.write(
    `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
     VALUES ('acme', :name, 'https://acme.example/cb', 1, 1)`,
    { name },
  );
}

/** Adds endpoints that have failed for an hour, or for `minutes`. */
async function addFailing(db: Database, count: number, { from = 0, minutes = 60 } = {}): Promise<void> {
  for (let i = from; i < from + count; i++)
    await db.write(
      `INSERT INTO webhook_endpoint (endpoint_id, client_id, url, address, is_first, state, failures, failing_since, created_at)
       VALUES (:id, 'acme', 'https://hook.example/s3cret', 'https://hook.example/s3cret', 0, 'active', 9, :since, 1)`,
      { id: `we_${i}`, since: NOW - minutes * MINUTE },
    );
}

/** Returns the database with another `change`; all other methods keep its private fields. */
const withChange = (db: Database, change: Database['change']): Database =>
  new Proxy(db, {
    get(target, name) {
      if (name === 'change') return change;
      const value: unknown = Reflect.get(target, name);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });

const fixAll = (db: Database) => db.change('UPDATE webhook_endpoint SET failures = 0, failing_since = NULL');

onEachDatabase((database, open) => {
  describe(`alerts of two workers on ${database}`, withSmtpServer, () => {
    let server: SmtpServer;
    let mailer: Mailer;
    before(async () => {
      server = await startSmtpServer();
      mailer = smtpMailer(
        parseMailServer(`smtp://127.0.0.1:${server.port}`),
        parseMailSender('k@example.com'),
      );
    });
    after(() => server.stop());
    const subjectsFrom = async (start: number) =>
      (await server.mails()).slice(start).map((mail) => headersOf(mail, 'Subject')[0]);

    it('300 endpoints that fail at once are one mail, and their recovery is another', async () => {
      const start = (await server.mails()).length;
      const { db, openWorker, pass } = openWorkers(await open(), mailer);
      const workers = [openWorker(), openWorker()];
      await addApplication(db);
      await addFailing(db, 300);
      await pass(20, ...workers);
      assert.deepEqual(await subjectsFrom(start), ['[Kalends kalends.example] Alerts: 300 opened']);
      assert.doesNotMatch((await server.mails()).at(-1)?.text ?? '', /s3cret/);
      await fixAll(db);
      await pass(20, ...workers);
      assert.deepEqual((await subjectsFrom(start)).slice(1), [
        '[Kalends kalends.example] Alerts: 300 resolved',
      ]);
    });

    it('an alert stays open while more endpoints are unhealthy than one evaluation reads', async () => {
      const { db, stores, openWorker, pass } = openWorkers(await open(), mailer);
      await addApplication(db);
      await addFailing(db, 1);
      await pass(3, openWorker());
      await addFailing(db, 1050, { from: 1, minutes: 30 });
      await pass(3, openWorker());
      const unresolved = async () =>
        (await stores.alerts.listAlerts(2000)).filter(({ resolvedAt }) => !resolvedAt);
      assert.equal((await unresolved()).length, 1001);
      await fixAll(db);
      await pass(3, openWorker());
      assert.equal((await unresolved()).length, 0);
    });

    it('a fault while the mail server is down is one mail when it is back', async () => {
      const start = (await server.mails()).length;
      const { db, state, log, openWorker, pass } = openWorkers(await open(), DOWN);
      const workers = [openWorker(), openWorker()];
      await addApplication(db);
      await addFailing(db, 1);
      await pass(30, ...workers);
      assert.ok(log.lines.some((line) => line.includes('alert_delayed')));
      state.mailer = mailer;
      await pass(30, ...workers);
      assert.equal((await subjectsFrom(start)).length, 1);
    });

    it('a worker that is killed while it sends leaves its notices to another, which sends one mail', async () => {
      const start = (await server.mails()).length;
      const { db, openWorker, pass } = openWorkers(await open(), mailer);
      const claimed = Promise.withResolvers<void>();
      const dying = openWorker(() => {
        claimed.resolve();
        return new Promise(() => undefined);
      });
      await addApplication(db);
      await addFailing(db, 1);
      await pass(1, dying);
      void dying();
      await claimed.promise;
      await pass(4, openWorker());
      assert.equal((await subjectsFrom(start)).length, 0);
      await pass(10, openWorker(), openWorker());
      assert.equal((await subjectsFrom(start)).length, 1);
    });
  });
});

onSqlite((open) => {
  describe('alerts', withSmtpServer, () => {
    let server: SmtpServer;
    let mailer: Mailer;
    before(async () => {
      server = await startSmtpServer();
      mailer = smtpMailer(
        parseMailServer(`smtp://127.0.0.1:${server.port}`),
        parseMailSender('k@example.com'),
      );
    });
    after(() => server.stop());

    it('hostile names add no header, no recipient and no line', async () => {
      const { db, openWorker, pass } = openWorkers(await open(), mailer);
      await addApplication(db, 'A\r\nBcc: eve@example.com\r\n\r\nX\u2028Y\u202e');
      await addFailing(db, 1);
      await pass(3, openWorker());
      const mail = (await server.mails()).at(-1);
      assert.ok(mail);
      assert.deepEqual([mail.to, headersOf(mail, 'Bcc')], [['ada@example.com'], []]);
      assert.equal(headersOf(mail, 'Subject').length, 1);
      assert.doesNotMatch(mail.text, /^Bcc/m);
    });

    it('a failed check and a warning about backups open alerts, other warnings do not', async () => {
      const { stores, state, openWorker, pass } = openWorkers(await open(), mailer);
      state.checks = [
        { name: 'database', status: 'fail', message: 'It cannot be opened.' },
        { name: 'backups', status: 'warn', message: 'There is no backup yet.' },
        { name: 'pushes', status: 'warn', message: 'Polled.' },
      ];
      await pass(10, openWorker());
      assert.equal((await stores.alerts.listAlerts(9)).length, 0, 'checks run every ten minutes');
      await pass(2, openWorker());
      const alerts = await stores.alerts.listAlerts(9);
      assert.deepEqual(alerts.map(({ subject, severity }) => `${subject} ${severity}`).toSorted(), [
        'backups warning',
        'database critical',
      ]);
    });

    it('a database that is away for a minute is one mail from memory, and its return another', async () => {
      const start = (await server.mails()).length;
      const db = await open();
      let isAway = false;
      const change: Database['change'] = (sql, values) =>
        isAway ? Promise.reject(new DatabaseAwayError(new Error('It is gone'))) : db.change(sql, values);
      const { openWorker, pass } = openWorkers(withChange(db, change), mailer);
      const worker = openWorker();
      for (const away of [false, true, false]) {
        isAway = away;
        await pass(away ? 9 : 2, worker);
      }
      const subjects = (await server.mails()).slice(start).map((mail) => headersOf(mail, 'Subject')[0]);
      assert.deepEqual(
        subjects.map((subject) => /(Opened|Resolved): The database is unreachable/.exec(subject ?? '')?.[1]),
        ['Opened', 'Resolved'],
      );
    });

    it('mails about the database are sent again after a failure, and at most one in five minutes', async () => {
      const db = await open();
      let isAway = true;
      const change: Database['change'] = (sql, values) =>
        isAway ? Promise.reject(new DatabaseAwayError(new Error('It is gone'))) : db.change(sql, values);
      const { state, openWorker, pass } = openWorkers(withChange(db, change), DOWN);
      const worker = openWorker();
      await pass(3, worker);
      const sent: [number, string][] = [];
      state.mailer = { send: async ({ subject }) => void sent.push([(state.now - NOW) / MINUTE, subject]) };
      await pass(4, worker);
      isAway = false;
      await pass(6, worker);
      const at = (minute: number, what: string) => [
        minute,
        `[Kalends kalends.example] ${what}: The database is unreachable or read-only`,
      ];
      assert.deepEqual(sent, [at(6, 'Opened'), at(11, 'Resolved')]);
    });

    it('notices that cannot be sent for 24 hours are given up with one line in the log', async () => {
      const { db, state, log, openWorker, pass } = openWorkers(await open(), DOWN);
      await addApplication(db);
      await addFailing(db, 1);
      await pass(3, openWorker());
      state.now += 24 * 60 * MINUTE;
      await pass(3, openWorker());
      assert.equal(log.lines.filter((line) => /^error .*alert_not_sent/.test(line)).length, 1);
    });
  });

  it('a webhook has a signature that receivers can verify, and the alert as "alert list" has it', async (t) => {
    const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const received: { headers: Record<string, string>; body: string }[] = [];
    const receiver = createServer(async (request, response) => {
      const chunks = await request.toArray();
      // Node joins repeated headers, so every value is a text here.
      received.push({
        headers: request.headers as Record<string, string>,
        body: Buffer.concat(chunks).toString(),
      });
      response.end();
    }).listen(0, '127.0.0.1');
    t.after(() => receiver.close());
    await once(receiver, 'listening');
    const { port } = receiver.address() as AddressInfo; // it listens on TCP
    const settings = { emails: [], webhookUrl: `http://127.0.0.1:${port}/hook`, webhookSecret: secret };
    const { db, state, stores, alertEgress, openWorker, pass } = openWorkers(await open(), DOWN, settings);
    t.after(() => alertEgress.close());
    state.now = Date.now();
    await addApplication(db);
    await addFailing(db, 1);
    await pass(3, openWorker());
    assert.equal(received.length, 1);
    const [{ headers, body } = { headers: {}, body: '' }] = received;
    const message = new Webhook(secret).verify(body, headers) as Record<string, Record<string, unknown>>;
    const [alert] = await stores.alerts.listAlerts(1);
    assert.deepEqual([message.type, message.data?.id], ['alert.opened', alert?.alertId]);
    assert.equal(headers['webhook-id'], `${alert?.alertId}_opened`);
    assert.deepEqual([message.data?.client_id, message.data?.resolved_at], ['acme', null]);
  });
});
