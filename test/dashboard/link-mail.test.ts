/** One-time links that the dashboard mails. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { parseMailSender, parseMailServer } from '../../src/lib/mail/mail-server.ts';
import { smtpMailer } from '../../src/lib/mail/mailer.ts';
import { onSqlite } from '../harness/databases.ts';
import { type SmtpServer, startSmtpServer, withSmtpServer } from '../harness/smtp-server.ts';
import { leadsTo, openDashboardApp } from './dashboard-app.ts';

onSqlite((open) => {
  describe('with a mail server', withSmtpServer, () => {
    let server: SmtpServer;
    before(async () => {
      server = await startSmtpServer();
    });
    after(() => server.stop());
    const openWithMail = async () =>
      openDashboardApp(await open(), {
        mailer: smtpMailer(
          parseMailServer(`smtp://127.0.0.1:${server.port}`),
          parseMailSender('kalends@example.com'),
        ),
      });

    it('an owner mails an invitation, or asks for its link', async () => {
      const { app, signedIn } = await openWithMail();
      const owner = await signedIn('owner');
      const path = '/dashboard/people/invite';
      assert.match((await owner.get(path)).body, /Send invitation/);
      const sent = await owner.post(path, { login: 'ada@example.com', role: 'viewer' });
      assert.equal(leadsTo(sent), '/dashboard/people?done=mailed');
      assert.match((await owner.get(leadsTo(sent))).body, /The link was mailed/);
      assert.match(
        (await server.mails()).at(-1)?.text ?? '',
        /https:\/\/kalends\.example\/dashboard\/join\//,
      );
      const count = (await server.mails()).length;
      const form = { login: 'ben@example.com', role: 'viewer', link: 'shown' };
      assert.match((await owner.post(path, form)).body, /https:\/\/kalends\.example\/dashboard\/join\//);
      assert.equal((await server.mails()).length, count);
      await app.close();
    });

    it('a refused mail leaves the owner with the link and the reason', async () => {
      const { app, signedIn, log } = await openWithMail();
      const owner = await signedIn('owner');
      const form = { login: 'refused@example.com', role: 'viewer' };
      const { status, body } = await owner.post('/dashboard/people/invite', form);
      assert.equal(status, 200);
      assert.match(body, /The link was not mailed.*\(550\).*\/dashboard\/join\//s);
      assert.ok(JSON.stringify(log.lines).includes('link_not_mailed'));
      assert.ok(!JSON.stringify(log.lines).includes('/join/'));
      await app.close();
    });

    it('mails a reset link, but not to a login that single sign-on made of a subject', async () => {
      const { app, signedIn, stores, clock, db } = await openWithMail();
      const [owner, ben] = [await signedIn('owner'), await signedIn('viewer')];
      const path = `/dashboard/people/${ben.personId}`;
      assert.match((await owner.get(path)).body, /Send reset link/);
      assert.equal(leadsTo(await owner.post(`${path}/reset`)), '/dashboard/people?done=mailed');
      assert.deepEqual((await server.mails()).at(-1)?.to, [`${ben.personId}@example.com`.toLowerCase()]);
      const count = (await server.mails()).length;
      const identity = { issuer: 'https://id.example', subject: 'admin' };
      await stores.people.setIdentity(ben.personId, identity, { now: clock.now, by: undefined });
      await db.write(
        `UPDATE person SET login = 'admin@id.example' WHERE person_id = :personId RETURNING person_id`,
        { personId: ben.personId },
      );
      assert.match((await owner.post(`${path}/reset`)).body, /\/dashboard\/join\//);
      assert.equal((await server.mails()).length, count);
      await app.close();
    });

    it('a developer confirms their address with a mailed link, and turns alerts off', async () => {
      const { app, signedIn, stores, clock } = await openWithMail();
      const [ada, ben, viewer] = [
        await signedIn('developer'),
        await signedIn('developer'),
        await signedIn('viewer'),
      ];
      const path = '/dashboard/account';
      assert.doesNotMatch((await viewer.get(path)).body, /Alerts by mail/);
      assert.equal((await viewer.post(`${path}/alerts/link`)).status, 403);

      assert.equal(leadsTo(await ada.post(`${path}/alerts/link`)), `${path}?done=link_mailed`);
      const mail = (await server.mails()).at(-1);
      assert.deepEqual(mail?.to, [`${ada.personId}@example.com`.toLowerCase()]);
      const [link = ''] =
        /\/dashboard\/account\/alerts\/confirm\?link=[\w.-]+/.exec(
          mail?.text.replaceAll(/=\r?\n/g, '').replaceAll('=3D', '=') ?? '',
        ) ?? [];
      for (const other of [await ben.get(link), await ada.get(link.slice(0, -3))]) {
        assert.equal(leadsTo(other), `${path}?problem=link_ended`);
        assert.match((await ada.get(leadsTo(other))).body, /This link is not valid/);
      }
      assert.equal((await stores.people.findPerson(ben.personId))?.addressConfirmedAt, undefined);
      assert.equal(leadsTo(await ada.get(link)), `${path}?done=confirmed`);
      assert.equal((await stores.people.findPerson(ada.personId))?.addressConfirmedAt, clock.now);

      await ada.post(`${path}/alerts`, {});
      assert.equal((await stores.people.findPerson(ada.personId))?.getsAlertMails, false);
      await ada.post(`${path}/alerts`, { alerts: 'on' });
      assert.equal((await stores.people.findPerson(ada.personId))?.getsAlertMails, true);
      await app.close();
    });

    it('a link that confirms an address ends after a day, and a member gets three an hour', async () => {
      const { app, signedIn, clock } = await openWithMail();
      const ada = await signedIn('developer');
      const path = '/dashboard/account';
      for (let i = 0; i < 3; i++) await ada.post(`${path}/alerts/link`);
      const count = (await server.mails()).length;
      const refused = await ada.post(`${path}/alerts/link`);
      assert.deepEqual([refused.status, (await server.mails()).length], [400, count]);
      assert.match(refused.body, /try again in an hour/);
      const text =
        (await server.mails())
          .at(-1)
          ?.text.replaceAll(/=\r?\n/g, '')
          .replaceAll('=3D', '=') ?? '';
      const [link = ''] = /\/dashboard\/account\/alerts\/confirm\?link=[\w.-]+/.exec(text) ?? [];
      clock.now += 24 * 3_600_000;
      const late = await ada.get(link);
      assert.notEqual(leadsTo(late), `${path}?done=confirmed`);
      await app.close();
    });
  });
});
