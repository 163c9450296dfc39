import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  buttonsOf,
  foreignAccount,
  newAccount,
  newCalendarLink,
  sampleAccount,
  sampleAppearance,
  sampleSelection,
  wordsOf,
} from '../../../test/harness/page-samples.ts';
import { type Happening, type ProviderSelection, providerSelectionPage } from './provider-selection.page.ts';

const page = (change: Partial<ProviderSelection>) =>
  providerSelectionPage({ ...sampleSelection, ...change }, sampleAppearance);

const WAYS_ON = ['Continue', 'Allow', 'Done'];

describe('the buttons that leave the selection page', () => {
  const cases = [
    { ending: 'none', accounts: [], expected: ['Cancel'] },
    { ending: 'continue', accounts: [sampleAccount, newAccount], expected: ['Continue', 'Cancel'] },
    { ending: 'allow', accounts: [newAccount], expected: ['Allow', 'Cancel'] },
    { ending: 'done', accounts: [sampleAccount], expected: ['Done'] },
  ] as const;
  for (const { ending, accounts, expected } of cases) {
    it(`with the ending ${ending} are exactly ${expected.join(' and ')}`, () => {
      const buttons = buttonsOf(page({ ending, accounts }));

      assert.deepEqual(
        buttons.filter((words) => [...WAYS_ON, 'Cancel'].includes(words)),
        expected,
      );
    });
  }

  it('are on the same page as the consent if there is one account', () => {
    const text = wordsOf(page({ ending: 'allow', accounts: [newAccount] }));

    assert.match(text, /Allow access to your calendars\?.*Acme Planner will be able to/);
    assert.match(text, /planner\.acme\.example/);
  });
});

describe('managing an account that needs reconnecting', () => {
  const broken = { ...sampleAccount, problem: 'reconnect' } as const;
  const manage = (change: Partial<ProviderSelection>) =>
    page({ ending: 'done', isManaging: true, ...change });

  it('names the account in the headline, with Reconnect first and Done second', () => {
    const { markup } = manage({ accounts: [sampleAccount, broken] }).document;
    const [, actions = ''] = markup.split('<div class="actions">');

    assert.ok(markup.includes(`<h1>Reconnect ${broken.name}</h1>`));
    assert.match(actions, /class="primary"[^>]*>Reconnect<.*<button>Done</s);
    assert.equal(markup.split('>Reconnect</button>').length, 2, 'one button');
  });

  it('keeps the headline and Done if nothing needs reconnecting, or if its provider is not offered', () => {
    for (const change of [{ accounts: [sampleAccount] }, { accounts: [broken], providers: [] }]) {
      const { markup } = manage(change).document;

      assert.ok(markup.includes('<h1>Your calendar accounts</h1>'));
      assert.match(markup, /<button class="primary">Done</);
    }
  });
});

describe('accounts on the selection page', () => {
  it('are removed at once while nobody uses them, otherwise disconnected after a question', () => {
    const unfinished = page({ ending: 'allow', accounts: [newAccount] }).document.markup;
    const connected = page({ ending: 'done', accounts: [sampleAccount] }).document.markup;

    assert.match(unfinished, /method="post" action="\/connect\/remove"/);
    assert.doesNotMatch(unfinished, /connect\/disconnect/);
    assert.match(connected, /method="get" action="\/connect\/disconnect"/);
  });

  it('have no buttons if their owner was not proved', () => {
    const text = wordsOf(page({ ending: 'continue', accounts: [foreignAccount, foreignAccount] }));

    assert.doesNotMatch(text, /Disconnect|Remove|Choose calendars/);
  });

  it('offer a selection of calendars once these are listed', () => {
    const account = { accounts: [newAccount], ending: 'allow' } as const;
    const listed = new Map([[newAccount.accountKey, { isListed: true, calendars: 3, loaded: 3 }]]);

    assert.doesNotMatch(wordsOf(page(account)), /Choose calendars/);
    assert.match(wordsOf(page({ ...account, loading: listed })), /Choose calendars/);
  });

  it('have their selection of calendars and Remove in a menu that names them, if the page asks a question', () => {
    const loading = new Map([[newAccount.accountKey, { isListed: true, calendars: 3, loaded: 3 }]]);

    const asking = page({ accounts: [newAccount], ending: 'allow', loading }).document.markup;
    const managing = page({ accounts: [sampleAccount], ending: 'done' }).document.markup;

    assert.match(
      asking,
      /<summary aria-label="Options for new@example\.com".*Choose calendars<\/a>.*Remove<\/button><\/form><\/div><\/details>/s,
    );
    assert.doesNotMatch(managing, /Options for/);
  });

  it('that are published calendars are called calendar links, and read-only', () => {
    const text = wordsOf(page({ accounts: [newCalendarLink], ending: 'allow' }));

    assert.match(text, /Holidays \(calendars\.example\) Calendar link · Read-only/);
    assert.doesNotMatch(text, /\) CalDAV/);
  });

  it('are marked as new beside old ones, but not among themselves', () => {
    const beside = wordsOf(page({ ending: 'continue', accounts: [sampleAccount, newAccount] }));
    const alone = wordsOf(page({ ending: 'continue', accounts: [newAccount, newAccount] }));

    assert.match(beside, /New/);
    assert.doesNotMatch(alone, /New/);
  });

  it('show the number of calendars in place of the loading hint', () => {
    const renderLoaded = (loaded: number) => {
      const loading = new Map([[newAccount.accountKey, { isListed: true, calendars: 3, loaded }]]);
      return page({ ending: 'allow', accounts: [newAccount], loading }).document.markup;
    };

    assert.match(renderLoaded(1), /id="loading">No need to wait/);
    assert.match(renderLoaded(3), /id="loading">3 calendars are ready/);
  });

  it('that are not covered are masked, with a button that names them', () => {
    const { markup } = page({ others: [foreignAccount] }).document;

    assert.match(markup, /Other accounts/);
    assert.match(markup, /aria-label="Confirm it is yours: a•••@e•••\.com">Confirm it is yours/);
    assert.match(markup, /name="confirm" value="key-3"/);
  });

  it('that are not covered have no button if their provider is not offered', () => {
    const { markup } = page({ others: [foreignAccount], providers: [] }).document;

    assert.doesNotMatch(markup, /Confirm it is yours/);
  });
});

describe('the ways to connect', () => {
  const tile =
    /<form [^>]*action="\/connect\/caldav">(?:<input[^>]*>)+\s*<button[^>]*>(?:(?!<\/form>).)*calendar link/s;

  it('have a button for a calendar link that leads to its form, if CalDAV is offered', () => {
    const all = page({});
    const google = page({ providers: [{ kind: 'google', available: true }] });

    const [form = ''] = tile.exec(all.document.markup) ?? [];
    assert.match(form, /name="by" value="address"/);
    assert.match(wordsOf(all), /Connect calendar link \(\.ics\)/);
    assert.doesNotMatch(wordsOf(google), /calendar link/);
  });

  it('are folded under one line once there is an account', () => {
    const fold = /<details class="fold"><summary id="add">Connect another account/;

    assert.match(page({ ending: 'allow', accounts: [newAccount] }).document.markup, fold);
    assert.doesNotMatch(page({}).document.markup, /<details class="fold"/);
  });

  it('are unfolded if the limit of accounts is reached, which says why', () => {
    const { markup } = page({ ending: 'allow', accounts: [newAccount], limit: 1 }).document;

    assert.match(markup, /<details class="fold" open>.*the limit is 1/s);
  });

  it('count calendar links apart from CalDAV accounts', () => {
    const { markup } = page({ ending: 'allow', accounts: [newCalendarLink] }).document;

    assert.match(markup, /id="calendar_link-about"[^>]*><span class="state loaded">1 account connected/);
    assert.match(markup, /id="caldav-about"[^>]*><span class="about-kind">/);
  });
});

describe('the notice about the last action', () => {
  const cases: readonly (readonly [Happening, string])[] = [
    [{ what: 'linked', account: 'ada@example.com' }, 'done'],
    [{ what: 'removed' }, 'done'],
    [{ what: 'confirmed', account: 'ada@example.com' }, 'done'],
    [{ what: 'cancelled', provider: 'google' }, 'note'],
    [{ what: 'not_finished' }, 'note'],
    [{ what: 'not_this' }, 'trouble'],
  ];
  for (const [happened, kind] of cases) {
    it(`${happened.what} is shown as ${kind}`, () => {
      assert.match(page({ happened }).document.markup, new RegExp(`<div class="notice ${kind}"`));
    });
  }

  it('names the account', () => {
    const account = 'ada@example.com';
    const noticeOf = (what: 'linked' | 'other' | 'confirmed' | 'chosen') =>
      wordsOf(page({ happened: { what, account } }));

    assert.match(noticeOf('linked'), /ada@example\.com is connected\./);
    assert.match(noticeOf('other'), /another account\. ada@example\.com is connected too\./);
    assert.match(noticeOf('confirmed'), /Confirmed: ada@example\.com is yours\./);
    assert.match(noticeOf('chosen'), /calendars of ada@example\.com is saved\./);
  });

  it('names no account if the user signed in to another one', () => {
    const text = wordsOf(page({ happened: { what: 'not_this' } }));

    assert.doesNotMatch(text, /@e/);
  });
});

it('the name of the operator replaces that of the program', () => {
  const selectionPage = providerSelectionPage(sampleSelection, {
    ...sampleAppearance,
    serviceName: 'Contoso IT',
  });

  assert.match(wordsOf(selectionPage), /Acme Planner uses Contoso IT to see/);
  assert.doesNotMatch(
    selectionPage.document.markup.replace(/<s(tyle|cript)>.*?<\/s\1>/gs, ''),
    />[^<]*Kalends/,
  );
});
