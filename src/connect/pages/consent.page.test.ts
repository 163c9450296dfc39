import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import {
  buttonsOf,
  newAccount,
  newCalendarLink,
  sampleAccount,
  sampleAppearance,
  sampleRequest,
  wordsOf,
} from '../../../test/harness/page-samples.ts';
import type { AccountView } from '../accounts/account-views.ts';
import { consentPage } from './consent.page.ts';

const narrower = { ...sampleAccount, givenScope: 'free-busy', isNew: true } as const;

describe('the consent page', () => {
  it('names the application, its domain and its user', () => {
    const request = { ...sampleRequest, userId: 'ada@example.com' };
    const page = consentPage({ request, accounts: [newAccount, newAccount] }, sampleAppearance);

    assert.match(wordsOf(page), /Acme Planner .*planner\.acme\.example For user ada@example\.com/);
    assert.deepEqual(buttonsOf(page), ['Allow', 'Cancel']);
  });

  it("shows the user's name if the application vouches for it", () => {
    const request = { ...sampleRequest, userName: 'Ada Lovelace' };

    const text = wordsOf(consentPage({ request, accounts: [newAccount] }, sampleAppearance));

    assert.match(text, /For user Ada Lovelace/);
    assert.doesNotMatch(text, /ada-1815/);
  });

  it('shows no user id that the user would not recognize', () => {
    const text = wordsOf(consentPage({ request: sampleRequest, accounts: [newAccount] }, sampleAppearance));

    assert.doesNotMatch(text, /For user|ada-1815/);
  });

  it('offers no changes if it covers only calendar links', () => {
    const request = { ...sampleRequest, scope: 'read-write' } as const;
    const renderFor = (accounts: readonly AccountView[]) =>
      wordsOf(consentPage({ request, accounts }, sampleAppearance));

    assert.match(
      renderFor([newCalendarLink, newCalendarLink]),
      /will be able to See your calendars and all details of your events It will not be able to Create, change/,
    );
    assert.match(renderFor([newCalendarLink, newAccount]), /will be able to See .* events Create, change/);
  });

  it('lists added access as new, and existing access in short', () => {
    const accounts = [narrower, sampleAccount];

    const text = wordsOf(consentPage({ request: sampleRequest, accounts }, sampleAppearance));

    assert.match(text, /Acme Planner can now also See your calendars and all details/);
    assert.match(text, /As before See when you are busy/);
  });

  it('lists all access as new if nothing was allowed before', () => {
    const accounts = [newAccount, sampleAccount];

    const text = wordsOf(consentPage({ request: sampleRequest, accounts }, sampleAppearance));

    assert.match(text, /Acme Planner will be able to/);
    assert.doesNotMatch(text, /As before/);
    assert.match(text, /new@example\.com Google New/);
  });

  it('compares with the access that all widened accounts have', () => {
    const request = { ...sampleRequest, scope: 'read-write' } as const;
    const accounts = [narrower, { ...sampleAccount, isNew: true }];

    const text = wordsOf(consentPage({ request, accounts }, sampleAppearance));

    assert.match(text, /can now also See your calendars and all details of your events Create, change/);
  });

  it("links to the application's policies that are set", () => {
    const privacyUrl = 'https://acme.example/privacy';
    const facts = { ...sampleAppearance.facts, privacyUrl };

    const { markup } = consentPage(
      { request: sampleRequest, accounts: [newAccount] },
      { ...sampleAppearance, facts },
    ).document;

    assert.match(markup, /<a href="https:\/\/acme\.example\/privacy" target="_blank"/);
    assert.doesNotMatch(markup, /Terms of service/);
  });
});
