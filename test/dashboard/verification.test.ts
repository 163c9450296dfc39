/** The review of applications in the dashboard: who may make which step, and what each page says before and after. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import {
  type Answer,
  type DashboardApp,
  type DashboardBrowser,
  leadsTo,
  openDashboardApp,
} from './dashboard-app.ts';

const ACME = '/dashboard/applications/acme';
const TAB = `${ACME}/verification`;

const submissionIn = ({ body }: Answer): string => /name="submission" value="([^"]+)"/.exec(body)?.[1] ?? '';

onEachDatabase((database, open) => {
  describe(`verification in the dashboard, on ${database}`, () => {
    let dashboard: DashboardApp;
    let owner: DashboardBrowser;
    let developer: DashboardBrowser;
    let viewer: DashboardBrowser;
    before(async () => {
      dashboard = await openDashboardApp(await open());
      owner = await dashboard.signedIn('owner');
      developer = await dashboard.signedIn('developer');
      viewer = await dashboard.signedIn('viewer');
    });
    after(() => dashboard.app.close());

    const statusOf = async () => (await dashboard.stores.verification.findVerification('acme'))?.status;
    const settings = (changes: Record<string, string> = {}) =>
      developer.post(ACME, {
        ...{ name: 'Acme', display_name: 'Acme Planner', redirect_uris: 'https://acme.example/callback' },
        ...{ application_url: 'https://acme.example/', support_email: 'help@acme.example' },
        ...changes,
      });

    it('lists what is missing with links to where it is set, and refuses a submission until then', async () => {
      const page = await developer.get(TAB);
      for (const field of ['display_name', 'application_url', 'support_email'])
        assert.ok(page.body.includes(`href="${ACME}#${field}"`), field);
      assert.ok(!page.body.includes(`href="${ACME}#redirect_uris"`));
      assert.match(page.body, /<button disabled aria-describedby="note-submit-off">/);

      const refused = await developer.post(`${TAB}/submit`, { note: 'Kept <b>note</b>' });

      assert.equal(refused.status, 400);
      assert.ok(refused.body.includes('Set a display name'));
      assert.ok(refused.body.includes('Kept &#60;b&#62;note'));
      assert.equal(await statusOf(), 'not_submitted');
    });

    it('a submission waits on the list of owners, who alone decide', async () => {
      await settings();
      assert.equal(leadsTo(await developer.post(`${TAB}/submit`, { note: 'First' })), `${TAB}?done=submit`);

      assert.equal(await statusOf(), 'under_review');
      const list = await owner.get('/dashboard/reviews');
      assert.match(list.body, /href="\/dashboard\/applications" aria-current="page"/);
      assert.ok(list.body.includes('Acme Planner') && list.body.includes(TAB));
      for (const path of ['/dashboard', '/dashboard/applications'])
        assert.ok((await owner.get(path)).body.includes('href="/dashboard/reviews"'), path);
      for (const other of [developer, viewer]) {
        assert.equal((await other.get('/dashboard/reviews')).status, 403);
        assert.ok(!(await other.get('/dashboard')).body.includes('/dashboard/reviews'));
        assert.ok(!(await other.get(TAB)).body.includes(`${TAB}/approve`));
        for (const step of ['approve', 'request-changes', 'withdraw'])
          assert.equal((await other.post(`${TAB}/${step}`, { note: 'x' })).status, 403);
      }
      assert.ok(
        !(await viewer.get(TAB)).body.includes('<form method="post" action="/dashboard/applications'),
      );
      assert.equal(await statusOf(), 'under_review');
    });

    it('changes are requested with a note, which the developer reads; without one nothing is done', async () => {
      const submission = submissionIn(await owner.get(TAB));
      for (const note of ['', ' \n', 'x'.repeat(2001), 'evil\u202Etxt']) {
        const refused = await owner.post(`${TAB}/request-changes`, { submission, note });
        assert.equal(refused.status, 400);
        assert.ok(refused.body.includes('id="note-request-changes-wrong"'));
      }
      assert.equal(await statusOf(), 'under_review');

      await owner.post(`${TAB}/request-changes`, { submission, note: 'Name the <i>vendor</i>\nplease' });

      const page = await developer.get(TAB);
      assert.ok(page.body.includes('Name the &#60;i&#62;vendor&#60;/i&#62;\nplease'));
      assert.ok(page.body.includes('Changes requested'));
      assert.ok((await owner.get('/dashboard/reviews')).body.includes('No reviews'));
    });

    it('says before an edit during a review that it cancels it, which it does', async () => {
      await developer.post(`${TAB}/submit`);
      const submission = submissionIn(await owner.get(TAB));
      assert.ok((await developer.get(ACME)).body.includes('the review is cancelled'));
      assert.ok(!(await viewer.get(ACME)).body.includes('the review is cancelled'));

      await settings({ display_name: 'Acme Planner 2' });

      assert.equal(await statusOf(), 'not_submitted');
      const late = await owner.post(`${TAB}/approve`, { submission });
      assert.equal(late.status, 400);
      assert.ok(late.body.includes('The application is not under review'));
      await developer.post(`${TAB}/submit`);
      const other = await owner.post(`${TAB}/approve`, { submission });
      assert.equal(other.status, 400);
      assert.ok(other.body.includes('review the new submission'));
      assert.equal(await statusOf(), 'under_review');
    });

    it('changes after approval are shown beside the approved values that users still see', async () => {
      await owner.post(`${TAB}/approve`, { submission: submissionIn(await owner.get(TAB)), note: 'Fine' });
      assert.equal(await statusOf(), 'approved');
      assert.ok((await developer.get(ACME)).body.includes('needs a new review'));
      assert.ok((await viewer.get(TAB)).body.includes('Verified since'));

      await settings({ display_name: 'Acme Planner 3', redirect_uris: 'https://acme.example/other' });

      assert.equal(await statusOf(), 'not_submitted');
      const { body } = await developer.get(TAB);
      for (const part of [
        'Acme Planner 3',
        'Acme Planner 2',
        'Users see',
        'Changed after approval',
        'Changed<',
      ])
        assert.ok(body.includes(part), part);
      assert.ok((await developer.get(ACME)).body.includes('until you submit the current values'));
      const found = await dashboard.stores.verification.findVerification('acme');
      assert.equal(found?.approved?.displayName, 'Acme Planner 2');
    });

    it('a verification is withdrawn on a page that asks, which keeps a rejected form', async () => {
      const asking = `${TAB}/withdraw`;
      const zone = new RegExp(`class="button small danger" href="${asking}"`);
      assert.match((await owner.get(TAB)).body, zone);
      assert.doesNotMatch((await developer.get(TAB)).body, zone);
      assert.equal((await developer.get(asking)).status, 403);
      const form = /action="[^"]*\/withdraw"[\s\S]*<button class="destructive">Withdraw verification</;

      const asked = await owner.get(asking);
      const refused = await owner.post(asking);

      assert.match(asked.body, form);
      assert.doesNotMatch(asked.body, /role="alert"/);
      assert.equal(refused.status, 400);
      assert.match(refused.body, form);
      assert.match(refused.body, /id="note-withdraw-wrong"/);
    });

    it('a withdrawal takes a note; a cancelled review can be submitted again; each step has its actor', async () => {
      await developer.post(`${TAB}/submit`);
      await developer.post(`${TAB}/cancel`, { note: 'Not yet' });
      assert.equal(await statusOf(), 'not_submitted');
      assert.equal((await owner.post(`${TAB}/withdraw`)).status, 400);
      await owner.post(`${TAB}/withdraw`, { note: 'Gone' });

      const [withdrawn, cancelled] = await dashboard.stores.verification.listActivity('acme', { limit: 2 });
      assert.deepEqual(
        [withdrawn?.kind, withdrawn?.note, withdrawn?.actor],
        ['withdrawn', 'Gone', 'Some owner'],
      );
      assert.deepEqual([cancelled?.kind, cancelled?.actor], ['cancelled', 'Some developer']);
      const entries = await dashboard.stores.audit.listEntries({ clientId: 'acme' }, { limit: 2 });
      assert.deepEqual(
        entries.map(({ actor }) => actor.kind === 'person' && actor.id),
        [owner.personId, developer.personId],
      );
      assert.ok(!JSON.stringify(entries).includes('Gone'));
    });

    it('older entries of the log are on further pages, and an invalid number shows the newest page', async () => {
      for (let round = 0; round < 16; round += 1) {
        await developer.post(`${TAB}/submit`, { note: `Round ${round}.` });
        await developer.post(`${TAB}/cancel`);
      }
      const { body } = await developer.get(TAB);
      const older = /href="([^"]+\?before=\d+)#activity"/.exec(body.replaceAll('&#61;', '='))?.[1] ?? '';
      assert.ok(body.includes('Round 15.') && !body.includes('Round 0.'));
      assert.ok((await developer.get(older)).body.includes('Round 0.'));
      for (const before of ['x', '-1', '9'.repeat(30), '0'])
        assert.ok((await developer.get(`${TAB}?before=${before}`)).body.includes('Round 15.'), before);
    });

    it('the review of a foreign application is not there', async () => {
      const foreign = '/dashboard/applications/other/verification';
      assert.equal((await developer.get(foreign)).status, 404);
      for (const step of ['submit', 'cancel'])
        assert.equal((await developer.post(`${foreign}/${step}`)).status, 404);
      assert.equal((await owner.get('/dashboard/applications/none/verification')).status, 404);
    });
  });
});
