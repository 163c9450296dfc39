import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  buttonsOf,
  foreignAccount,
  newAccount,
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
    { ending: 'continue_off', accounts: [], expected: ['Continue', 'Cancel'] },
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

  it('are off until there is an account', () => {
    const { markup } = page({ ending: 'continue_off' }).document;

    assert.match(markup, /<button disabled aria-describedby="continue-hint">Continue/);
  });

  it('are on the same page as the consent if there is one account', () => {
    const text = wordsOf(page({ ending: 'allow', accounts: [newAccount] }));

    assert.match(text, /Allow access to your calendars\?.*Acme Planner will be able to/);
    assert.match(text, /planner\.acme\.example.*For user ada-1815/);
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

    assert.match(markup, /Also linked/);
    assert.match(markup, /aria-label="Confirm it is yours: a•••@e•••\.com">Confirm it is yours/);
    assert.match(markup, /name="confirm" value="key-3"/);
  });

  it('that are not covered have no button if their provider is not offered', () => {
    const { markup } = page({ others: [foreignAccount], providers: [] }).document;

    assert.doesNotMatch(markup, /Confirm it is yours/);
  });
});

describe('the notice about the last action', () => {
  const cases: readonly (readonly [Happening, string])[] = [
    [{ what: 'linked', provider: 'google' }, 'done'],
    [{ what: 'removed' }, 'done'],
    [{ what: 'confirmed', provider: 'google' }, 'done'],
    [{ what: 'cancelled', provider: 'google' }, 'note'],
    [{ what: 'not_finished' }, 'note'],
    [{ what: 'not_this', provider: 'google' }, 'trouble'],
  ];
  for (const [happened, kind] of cases) {
    it(`${happened.what} is shown as ${kind}`, () => {
      assert.match(page({ happened }).document.markup, new RegExp(`<div class="notice ${kind}"`));
    });
  }

  it('names no account if the user signed in to another one', () => {
    const text = wordsOf(page({ happened: { what: 'not_this', provider: 'google' } }));

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
