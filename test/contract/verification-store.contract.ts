/**
 * Contract tests for VerificationStore and the domain functions on it. Each database's test calls them with its own
 * empty database.
 */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';

import type { Caller } from '../../src/audit/audit-entry.ts';
import type { ApiError } from '../../src/http/refusal.ts';
import { registeredUris } from '../../src/oauth/client.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { REVIEW_STEPS, type ReviewStep, transitionOf } from '../../src/verification/review-states.ts';
import {
  approveSubmission,
  cancelReview,
  requestChanges,
  submissionOf,
  submitForReview,
  verifyNow,
  withdrawVerification,
} from '../../src/verification/reviews.ts';
import type { ReviewedValues, Verification } from '../../src/verification/verification.ts';
import { NOW, openWithUsers, tenTimes } from './calendar-rows.ts';
import { rowsIn } from './grant-rows.ts';

const TABLES = ['verification', 'approved_logo', 'verification_activity'];
const LOGO = { webp: Buffer.from('light') };
const DARK = { webp: Buffer.from('dark') };
const hashOf = ({ webp }: typeof LOGO) => hash('sha256', webp);
const VALUES: ReviewedValues = {
  displayName: 'Acme Planner',
  applicationUrl: 'https://acme.example/',
  supportEmail: 'help@acme.example',
  supportUrl: 'https://acme.example/help',
  logo: { hash: hashOf(LOGO) },
  darkLogo: { hash: hashOf(DARK) },
};

export function verificationStoreContract(database: string, open: () => Promise<Database>): void {
  describe(`VerificationStore on ${database}`, () => {
    it('an application that did nothing about it is not submitted and not verified, and an unknown one has nothing', async () => {
      const { stores } = await prepare(open);

      const found = await stores.verification.findVerification('acme');

      const { present, ...rest } = found ?? {};
      assert.deepEqual(present, VALUES);
      assert.deepEqual(rest, {
        clientId: 'acme',
        ...{ redirectUri: 'https://acme.example/cb', furtherRedirectUris: [] },
        status: 'not_submitted',
        submittedAt: undefined,
        reviewerNote: undefined,
        verifiedAt: undefined,
        approved: undefined,
      });
      assert.equal(await stores.verification.findVerification('nobody'), undefined);
      assert.equal(await submitForReview({ clientId: 'nobody' }, stores.deps), undefined);
    });

    it('what is approved stays what users see through every change, until the next approval', async () => {
      const { stores, approve } = await prepare(open);
      await submitForReview({ clientId: 'acme' }, stores.deps);
      await approve();

      await stores.clients.updateClient('acme', { displayName: 'Evil' }, BY_OLGA);
      const other = { webp: Buffer.from('other') };
      const emptied = { applicationUrl: null, supportEmail: null, supportUrl: null, darkLogo: null };
      await stores.branding.changeLook('acme', { ...emptied, logo: other }, BY_OLGA);
      const edited = await stores.verification.findVerification('acme');
      await stores.branding.changeLook(
        'acme',
        { applicationUrl: 'https://evil.example', supportEmail: 'x@y.example' },
        BY_OLGA,
      );
      await submitForReview({ clientId: 'acme' }, stores.deps);
      const submitted = await stores.verification.findVerification('acme');
      const kept = await stores.branding.findLogo(hashOf(LOGO));
      const approved = await approve();

      for (const one of [edited, submitted]) assert.deepEqual(one?.approved, VALUES);
      assert.equal(edited?.status, 'not_submitted');
      assert.equal(edited?.present.displayName, 'Evil');
      assert.deepEqual(kept && Buffer.from(kept.webp), LOGO.webp);
      assert.deepEqual(approved?.approved, approved?.present);
      assert.equal(approved?.approved?.logo?.hash, hashOf(other));
      assert.equal(await stores.branding.findLogo(hashOf(LOGO)), undefined);
    });

    const setUps: Readonly<Record<string, readonly ReviewStep[]>> = {
      not_submitted: [],
      'not_submitted, verified': ['verify', 'edit'],
      under_review: ['submit'],
      'under_review, verified': ['verify', 'edit', 'submit'],
      'approved, verified': ['submit', 'approve'],
      changes_requested: ['submit', 'request_changes'],
      'changes_requested, verified': ['verify', 'edit', 'submit', 'request_changes'],
    };
    for (const [state, before] of Object.entries(setUps)) {
      it(`every step goes where the table of transitions says, or nowhere, from: ${state}`, async () => {
        const { db, stores, take } = await prepare(open);
        for (const step of REVIEW_STEPS) {
          for (const table of TABLES) await db.write(`DELETE FROM ${table}`);
          for (const one of before) await take(one);
          const from = await stateOf(stores);

          const { refused } = await take(step);

          const after = await stateOf(stores);
          const transition = transitionOf(from, step);
          assert.equal(`${from.status}${from.isVerified ? ', verified' : ''}`, state);
          const expected = transition ?? from;
          assert.deepEqual([after.status, after.isVerified], [expected.status, expected.isVerified], step);
          assert.equal(refused, transition === undefined && !['edit', 'verify'].includes(step), step);
          assert.equal(after.log[0], transition?.kind ?? from.log[0], step);
          assert.equal(after.log.length, from.log.length + (transition === undefined ? 0 : 1), step);
        }
      });
    }

    it('whatever is done in whatever order, users of a verified application see what was approved last', async () => {
      const { stores, take } = await prepare(open);
      let random = 20261124;
      for (let i = 0; i < 80; i += 1) {
        random = (random * 1_103_515_245 + 12_345) % 2 ** 31;
        const step = REVIEW_STEPS[(random >> 16) % REVIEW_STEPS.length] ?? 'edit';
        const before = await stores.verification.findVerification('acme');
        const made = transitionOf(await stateOf(stores), step);

        await take(step);

        const after = await stores.verification.findVerification('acme');
        const last = made?.kind === 'approved' ? before?.present : before?.approved;
        const isVerified = made?.isVerified ?? before?.verifiedAt !== undefined;
        assert.deepEqual(after?.approved, isVerified ? last : undefined, `${i}: ${step}`);
      }
    });

    it('a review continues if other values change or a value is set to what it already is', async () => {
      const { stores } = await prepare(open);
      await submitForReview({ clientId: 'acme' }, stores.deps);
      const settings = {
        name: 'Internal',
        redirectUris: () => ['https://new.example/cb', 'com.acme:/cb'],
        webhookUrl: 'https://new.example/h',
      };

      await stores.clients.updateClient('acme', { ...settings, displayName: 'Acme Planner' }, BY_OLGA);
      const look = { primaryColor: '#000000', theme: 'dark', hideFooter: true, enabled: false } as const;
      await stores.branding.changeLook(
        'acme',
        { ...look, logo: LOGO, supportEmail: 'help@acme.example' },
        BY_OLGA,
      );
      await stores.branding.changeLook(
        'acme',
        { privacyUrl: 'https://a.example/p', termsUrl: null },
        BY_OLGA,
      );

      const { status, log } = await stateOf(stores);
      assert.deepEqual([status, log], ['under_review', ['submitted']]);
      const verification = await stores.verification.findVerification('acme');
      assert.deepEqual(verification && registeredUris(verification), settings.redirectUris());
    });

    it('an edit that cancels a review, or ends an approval, is kept with what it changed and who did it', async () => {
      const { stores, approve } = await prepare(open);
      await submitForReview({ clientId: 'acme' }, stores.deps);
      await stores.branding.changeLook('acme', { supportUrl: null, logo: DARK }, { now: NOW + 1, by: OLGA });
      await submitForReview({ clientId: 'acme', note: ' Please.\r\nAgain ' }, stores.deps);
      await approve('Fine');
      await stores.clients.updateClient('acme', { displayName: null }, { now: NOW + 2, by: OLGA });

      const log = await stores.verification.listActivity('acme', { limit: 10 });

      const rows = log.map(({ number, kind, actor, note, fields }) => [number, kind, actor, note, fields]);
      assert.deepEqual(rows, [
        [5, 'edited', 'Olga', undefined, ['displayName']],
        [4, 'approved', 'Olga', 'Fine', []],
        [3, 'submitted', 'Olga', 'Please.\nAgain', []],
        [2, 'cancelled', 'Olga', undefined, ['supportUrl', 'logo']],
        [1, 'submitted', 'Olga', undefined, []],
      ]);
      assert.deepEqual(
        log.map(({ at }) => at),
        [NOW + 2, NOW, NOW, NOW + 1, NOW],
      );
      const page = await stores.verification.listActivity('acme', { before: 4, limit: 2 });
      assert.deepEqual(
        page.map(({ number }) => number),
        [3, 2],
      );
      const audited = await stores.audit.listEntries({ clientId: 'acme' }, { limit: 20 });
      assert.deepEqual(
        audited.map(({ action }) => action).filter((action) => action.startsWith('verification.')),
        log.map(({ kind }) => `verification.${kind}`),
      );
      const edits = audited.find(({ action }) => action === 'verification.edited');
      assert.deepEqual(
        [edits?.before, edits?.after],
        [{ review_status: 'approved' }, { review_status: 'not_submitted' }],
      );
    });

    it('what was not submitted cannot be approved: neither a later submission nor one of another application', async () => {
      const { stores } = await prepare(open);
      const looked = await submitForReview({ clientId: 'acme' }, stores.deps);
      await stores.clients.updateClient('acme', { displayName: 'Evil' }, BY_OLGA);
      await submitForReview({ clientId: 'acme' }, stores.deps);
      const submission = looked === undefined ? '' : submissionOf(looked);

      for (const decide of [approveSubmission, requestChanges]) {
        const decision = decide({ clientId: 'acme', submission, note: 'x' }, stores.deps);
        await assert.rejects(decision, (refusal: ApiError) => refusal.body.code === 'submission_changed');
      }

      assert.notEqual(submission, looked && submissionOf({ ...looked, clientId: 'other' }));
      assert.equal((await stateOf(stores)).status, 'under_review');
    });

    it('of ten reviewers who decide at once, one does, whichever way', async () => {
      const { stores, submission } = await prepare(open);
      await submitForReview({ clientId: 'acme' }, stores.deps);
      const input = { clientId: 'acme', submission: await submission(), note: 'because' };

      const outcomes = await Promise.allSettled(
        Array.from({ length: 10 }, (_, i) =>
          (i % 2 ? approveSubmission : requestChanges)(input, stores.deps),
        ),
      );

      assert.equal(outcomes.filter(({ status }) => status === 'fulfilled').length, 1);
      for (const one of outcomes)
        if (one.status === 'rejected') assert.equal(one.reason.body?.code, 'not_under_review', one.reason);
      const { status, isVerified, log } = await stateOf(stores);
      assert.equal(isVerified, status === 'approved');
      assert.deepEqual(log.slice(1), ['submitted']);
    });

    it('an approval that races an edit approves what was submitted, or nothing', async () => {
      for (let round = 0; round < 8; round += 1) {
        const { stores, submission } = await prepare(open);
        await submitForReview({ clientId: 'acme' }, stores.deps);
        const input = { clientId: 'acme', submission: await submission() };
        const edit = () =>
          round % 2
            ? stores.clients.updateClient('acme', { displayName: 'Evil' }, BY_OLGA)
            : stores.branding.changeLook('acme', { supportUrl: 'https://evil.example', logo: DARK }, BY_OLGA);
        const approve = () => approveSubmission(input, stores.deps).catch(() => undefined);

        await Promise.all(round % 4 < 2 ? [edit(), approve()] : [approve(), edit()]);

        const { status, isVerified, approved, log } = await stateOf(stores);
        assert.equal(status, 'not_submitted');
        assert.deepEqual(approved, isVerified ? VALUES : undefined);
        const expected = isVerified ? ['edited', 'approved', 'submitted'] : ['cancelled', 'submitted'];
        assert.deepEqual(log, expected);
      }
    });

    it('one of ten submissions at once counts, and ten edits at once end one review', async () => {
      const { stores } = await prepare(open);

      await tenTimes(() => submitForReview({ clientId: 'acme' }, stores.deps).catch(() => undefined));
      await tenTimes((i) => stores.clients.updateClient('acme', { displayName: `Acme ${i}` }, BY_OLGA));

      assert.deepEqual((await stateOf(stores)).log, ['cancelled', 'submitted']);
    });

    it('a submission that races the loss of a required value is complete, or refused', async () => {
      const { stores } = await prepare(open);

      await Promise.all([
        submitForReview({ clientId: 'acme' }, stores.deps).catch(() => undefined),
        stores.branding.changeLook('acme', { applicationUrl: null }, BY_OLGA),
      ]);

      assert.equal((await stateOf(stores)).status, 'not_submitted');
    });

    it('withdrawing shows users what the application has set, and forgets what was approved', async () => {
      const { db, stores, take } = await prepare(open);
      await take('verify');
      await stores.branding.changeLook('acme', { logo: null, darkLogo: null }, BY_OLGA);

      const after = await withdrawVerification({ clientId: 'acme', note: 'Spam' }, stores.deps);

      assert.deepEqual([after?.verifiedAt, after?.approved], [undefined, undefined]);
      assert.equal(await rowsIn(db, 'approved_logo'), 0);
      assert.equal(await stores.branding.findLogo(hashOf(LOGO)), undefined);
    });

    it('those under review are listed by when they were submitted, others are not', async () => {
      const { db, stores } = await prepare(open);
      for (const [i, clientId] of ['late', 'first', 'never'].entries()) {
        await db.write(
          `INSERT INTO application (client_id, name, redirect_uri, display_name, created_at, updated_at)
           VALUES (:clientId, 'n', 'https://a.example/cb', 'N', :now, :now)`,
          { clientId, now: NOW },
        );
        await stores.branding.changeLook(
          clientId,
          { applicationUrl: 'https://a.example', supportEmail: 'a@b.example' },
          BY_OLGA,
        );
        if (clientId === 'never') continue;
        await submitForReview({ clientId }, { ...stores.deps, now: () => NOW - i });
      }

      const listed = await stores.verification.listUnderReview();

      assert.deepEqual(
        listed.map(({ clientId, submittedAt }) => [clientId, submittedAt]),
        [
          ['first', NOW - 1],
          ['late', NOW],
        ],
      );
    });

    it('a deleted application leaves nothing of its verification', async () => {
      const { db, stores, take } = await prepare(open);
      await take('verify');

      await stores.clients.deleteClient('acme', NOW, OLGA);

      for (const table of TABLES) assert.equal(await rowsIn(db, table), 0, table);
    });
  });
}

const OLGA: Caller = {
  actor: { kind: 'person', id: 'p1', name: 'Olga' },
  address: undefined,
  now: () => NOW,
};
const BY_OLGA = { now: NOW, by: OLGA };

/** Creates the application `acme` with all required values, and stores that act as a member with all permissions. */
async function prepare(open: () => Promise<Database>) {
  const { db, ...opened } = await openWithUsers(open);
  const stores = { ...opened, deps: { verification: opened.verification, now: () => NOW, by: OLGA } };
  await stores.clients.updateClient('acme', { displayName: 'Acme Planner' }, BY_OLGA);
  const { applicationUrl, supportEmail, supportUrl } = VALUES;
  await stores.branding.changeLook(
    'acme',
    { applicationUrl, supportEmail, supportUrl, logo: LOGO, darkLogo: DARK },
    BY_OLGA,
  );

  const found = async (): Promise<Verification> => {
    const verification = await stores.verification.findVerification('acme');
    assert.ok(verification !== undefined);
    return verification;
  };
  const submission = async () => submissionOf(await found());
  const approve = async (note?: string) =>
    approveSubmission({ clientId: 'acme', submission: await submission(), note }, stores.deps);
  let edits = 0;
  const run: Record<ReviewStep, () => Promise<unknown>> = {
    submit: () => submitForReview({ clientId: 'acme' }, stores.deps),
    cancel: () => cancelReview({ clientId: 'acme' }, stores.deps),
    approve: () => approve(),
    request_changes: async () =>
      requestChanges({ clientId: 'acme', submission: await submission(), note: 'More' }, stores.deps),
    edit: () => stores.clients.updateClient('acme', { displayName: `Acme ${++edits}` }, BY_OLGA),
    verify: () => verifyNow({ clientId: 'acme' }, stores.deps),
    withdraw: () => withdrawVerification({ clientId: 'acme', note: 'Why' }, stores.deps),
  };
  const take = async (step: ReviewStep): Promise<{ refused: boolean }> => {
    try {
      await run[step]();
      return { refused: false };
    } catch (error) {
      assert.equal((error as { status?: number }).status, 409, String(error));
      return { refused: true };
    }
  };
  return { db, stores, submission, approve, take };
}

type Prepared = Awaited<ReturnType<typeof prepare>>['stores'];

async function stateOf({ verification }: Prepared) {
  const found = await verification.findVerification('acme');
  const log = await verification.listActivity('acme', { limit: 100 });
  return {
    status: found?.status ?? 'not_submitted',
    isVerified: found?.verifiedAt !== undefined,
    approved: found?.approved,
    log: log.map(({ kind }) => kind),
  };
}
