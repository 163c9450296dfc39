/** The review of applications on the command line (docs/wire.md 5.3). */
import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';

import { type CommandLine, CREATE, openCommandLine } from './cli-run.ts';

const READY = [
  '--display-name',
  'Acme',
  '--application-url',
  'https://acme.example',
  '--support-url',
  'https://acme.example/help',
];

describe('kalends client verification', () => {
  let cli: CommandLine;
  let id: string;
  beforeEach(async () => {
    cli = await openCommandLine({ KALENDS_URL: 'https://k.example' });
    id = String((await cli.json(...CREATE, ...READY)).document.client_id);
  });
  afterEach(() => cli.close());

  const step = (name: string, ...rest: string[]) => cli.json('client', 'verification', name, id, ...rest);
  const update = (...rest: string[]) => cli.run(['client', 'update', id, ...rest]);

  it('kalends client verification goes the whole way from a submission to a withdrawal, each step in its log', async () => {
    await step('submit', '--note', 'First version');
    const { document: asked } = await step('request-changes', '--note', 'Name the vendor');
    await update('--display-name', 'Acme Planner');
    const { document: submitted } = await step('submit');
    const { document: listed } = await cli.json('client', 'verification', 'list');
    const { document: approved } = await step('approve', '--submission', String(submitted.submission));
    await update('--display-name', 'Evil');
    const { document: edited } = await step('show');
    const { document: withdrawn } = await step('withdraw', '--note', 'Spam');
    const { document: shown } = await step('show');

    assert.deepEqual([asked.review_status, asked.reviewer_note], ['changes_requested', 'Name the vendor']);
    assert.match(String(submitted.submission), /^[\da-f]{64}$/);
    assert.deepEqual(
      (listed.applications as { client_id: string }[]).map((one) => one.client_id),
      [id],
    );
    assert.deepEqual(
      [approved.verified, approved.review_status, approved.submission],
      [true, 'approved', null],
    );
    assert.equal(edited.review_status, 'not_submitted');
    const name = (values: unknown) => (values as { display_name: string }).display_name;
    assert.deepEqual([name(edited.approved), name(edited.present)], ['Acme Planner', 'Evil']);
    assert.deepEqual([withdrawn.verified, withdrawn.verified_at, withdrawn.approved], [false, null, null]);
    const log = shown.activity as { kind: string; actor: string; note: string | null; fields: string[] }[];
    assert.deepEqual(
      log.map(({ kind }) => kind),
      ['withdrawn', 'edited', 'approved', 'submitted', 'changes_requested', 'submitted'],
    );
    assert.deepEqual(
      [log[0]?.note, log[1]?.fields, log[5]?.note],
      ['Spam', ['display_name'], 'First version'],
    );
    for (const { actor } of log) assert.match(actor, /^.+ \(command line\)$/);
  });

  it('kalends client verification submit names all that is missing, and show names it before', async () => {
    await update(
      '--display-name',
      '',
      '--application-url',
      '',
      '--support-url',
      '',
      '--redirect-uri',
      'http://localhost/cb',
    );

    const { exitCode, stderr } = await cli.run(['client', 'verification', 'submit', id]);
    const { stdout } = await cli.run(['client', 'verification', 'show', id]);

    assert.equal(exitCode, 1);
    for (const words of [
      'Set a display name',
      'Set the application URL',
      'Set a redirect URI',
      'Set a support email',
    ]) {
      assert.ok(stderr.includes(words), words);
      assert.ok(stdout.includes(words), words);
    }
  });

  it('kalends client verification show and list say in words what is under review, and what users see', async () => {
    await update('--verified', 'on');
    await update('--display-name', 'New name');
    await step('submit');

    const { stdout: shown } = await cli.run(['client', 'verification', 'show', id]);
    const { stdout: listed } = await cli.run(['client', 'verification', 'list']);

    assert.match(
      shown,
      /^verified +on, since 20.*\nreview +under review\nsubmission +[\da-f]{64}\nsubmitted +20.*$/m,
    );
    assert.match(shown, /^display name +New name; users see Acme$/m);
    assert.match(shown, /^20\S+ +submitted +\S.* \(command line\)/m);
    assert.match(listed, new RegExp(`^${id} +20\\S+ +on, since 20\\S+ +New name; users see Acme$`, 'm'));
  });

  it('kalends client update --verified approves what is set without a submission, and takes that back', async () => {
    await update('--display-name', '', '--application-url', '');

    const { document: on } = await cli.json(
      'client',
      'update',
      id,
      '--display-name',
      'Own',
      '--verified',
      'on',
    );
    const again = await update('--verified', 'on');
    const { stdout: edited } = await update('--support-email', 'help@acme.example');
    const { document: off } = await cli.json('client', 'update', id, '--verified', 'off');
    const offAgain = await update('--verified', 'off');
    const { document: shown } = await step('show');

    assert.deepEqual([on.verified, on.review_status], [true, 'approved']);
    assert.match(edited, /Users see the approved values until the new ones are approved/);
    assert.deepEqual([off.verified, off.review_status], [false, 'not_submitted']);
    assert.deepEqual([again.exitCode, offAgain.exitCode], [0, 0]);
    const log = shown.activity as { kind: string; note: string | null }[];
    assert.deepEqual(
      log.map(({ kind, note }) => [kind, note]),
      [
        ['withdrawn', '--verified off'],
        ['edited', null],
        ['approved', '--verified on'],
      ],
    );
  });

  it('kalends client verification show prints no row that a note made up', async () => {
    const forged = '2026-01-01T00:00:00.000Z  approved  Olga (command line)';
    await step('submit', '--note', `Please\n${forged}`);

    const { stdout } = await cli.run(['client', 'verification', 'show', id]);
    const { document } = await step('show');

    assert.match(stdout, /Please \/ 2026-01-01/);
    assert.doesNotMatch(stdout, /^2026-01-01/m);
    assert.equal((document.activity as { note: string }[])[0]?.note, `Please\n${forged}`);
    assert.equal(document.redirect_uri, 'https://app.example/callback');
  });

  const refused: [what: string, args: string[], exitCode: number, sentence: RegExp][] = [
    ['an approval of what is not under review', ['approve'], 1, /not under review/],
    ['a request without a note', ['request-changes'], 2, /--note TEXT is missing/],
    [
      'a request with an empty note',
      ['request-changes', '--note', ' '],
      2,
      /Add a note that says what has to change/,
    ],
    [
      'a note with control characters',
      ['submit', '--note', 'a\u202eb'],
      2,
      /must not contain control characters/,
    ],
    ['a note without an end', ['submit', '--note', 'x'.repeat(2001)], 2, /at most 2000 characters/],
    ['a withdrawal where nothing is verified', ['withdraw', '--note', 'x'], 1, /application is not verified/],
    ['a cancellation of nothing', ['cancel'], 1, /not under review/],
  ];
  for (const [what, [name = '', ...rest], exitCode, sentence] of refused) {
    it(`kalends client verification refuses ${what}`, async () => {
      const { exitCode: code, stderr } = await cli.run(['client', 'verification', name, id, ...rest]);

      assert.match(stderr, sentence);
      assert.equal(code, exitCode);
      assert.deepEqual((await step('show')).document.activity, []);
    });
  }

  it('kalends client verification refuses a submission that is not the one under review, and an unknown application', async () => {
    await step('submit');

    const { document: other } = await step('approve', '--submission', 'f'.repeat(64));
    const { document: unknown } = await cli.json('client', 'verification', 'show', 'nobody');

    assert.equal(other.error, 'submission_changed');
    assert.equal(unknown.error, 'not_found');
    assert.equal((await step('show')).document.review_status, 'under_review');
  });

  it('kalends client verification --help lists its commands alone', async () => {
    const { exitCode, stdout } = await cli.run(['client', 'verification', '--help']);
    const { stderr } = await cli.run(['client', 'verification']);

    assert.equal(exitCode, 0);
    assert.match(stdout, /client verification request-changes/);
    assert.doesNotMatch(stdout, /rotate-secret/);
    assert.match(stderr, /After "kalends client verification", write one of show, list, submit/);
  });
});
