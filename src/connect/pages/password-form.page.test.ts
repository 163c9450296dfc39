import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { markupOf, sampleAppearance, sampleRequest, wordsOf } from '../../../test/harness/page-samples.ts';
import { type PasswordForm, passwordFormPage } from './password-form.page.ts';

const EMPTY: PasswordForm = {
  kind: 'caldav',
  mode: 'email',
  request: sampleRequest,
  typed: { server: '', username: '', address: '' },
  problem: undefined,
  chosen: undefined,
  preset: undefined,
  accountKey: undefined,
  confirm: undefined,
  reconnects: undefined,
};
const page = (change: Partial<PasswordForm> = {}) =>
  passwordFormPage({ ...EMPTY, ...change }, sampleAppearance);
const listLabels = (markup: string): string[] =>
  [...markup.matchAll(/<label for="\w+">(.*?)<\/label>/g)].map(([, text = '']) => text);

describe('the form of an account with a password', () => {
  it('asks for a CalDAV e-mail address and password, and links to the form with a server address', () => {
    const markup = markupOf(page());

    assert.deepEqual(listLabels(markup), ['E-mail address', 'Password']);
    assert.match(markup, /name="by" value="email"/);
    assert.match(markup, /href="\/connect\/caldav\?transaction=T{22}&by=server">Enter the server address/);
  });

  it('asks for the server on demand', () => {
    const { markup } = page({ mode: 'server' }).document;

    assert.deepEqual(listLabels(markup), ['Server URL', 'Username', 'Password']);
    assert.match(markup, /name="by" value="server"/);
    assert.doesNotMatch(markup, /Enter the server address/);
  });

  it('asks only for the address of a calendar without login, and links back to the others', () => {
    const typed = { server: '', username: '', address: 'webcal://cal.example/a.ics' };
    const markup = markupOf(page({ mode: 'address', typed }));

    assert.deepEqual(listLabels(markup), ['Calendar address']);
    assert.match(markup, /name="by" value="address"/);
    assert.match(markup, /name="address" value="webcal:\/\/cal\.example\/a\.ics"/);
    assert.match(markup, /by=email">Sign in to a calendar account instead/);
    assert.match(markupOf(page()), /by=address">Enter the address of one calendar/);
  });

  it('offers no calendar address when confirming an account, or for Apple', () => {
    for (const change of [{ confirm: 'key-3' }, { kind: 'apple' }] as const)
      assert.doesNotMatch(markupOf(page(change)), /by=address/);
  });

  it('names the application, its domain and its user beside the password', () => {
    for (const kind of ['apple', 'caldav'] as const) {
      assert.match(wordsOf(page({ kind })), /Acme Planner .*planner\.acme\.example/);
    }
  });

  it('keeps the account to confirm, and says so', () => {
    const confirmForm = page({ confirm: 'key-3' });

    assert.match(wordsOf(confirmForm), /Confirm it is yours/);
    assert.match(markupOf(confirmForm), /name="confirm" value="key-3"/);
    assert.match(markupOf(confirmForm), /&confirm=key-3&by=server"/);
  });

  it('submits typed values with a change of language or color scheme', () => {
    const { markup } = page().document;

    assert.match(markup, /<button name="language" value="de"[^>]* form="login" formnovalidate>/);
    assert.match(markup, /<button name="theme" value="dark"[^>]* form="login" formnovalidate>/);
  });

  it('says what it waits for after it is sent', () => {
    assert.match(page().document.markup, /data-working="Looking for your server…"/);
    assert.match(page({ kind: 'apple' }).document.markup, /data-working="Signing in at Apple…"/);
  });

  it('never contains a password', () => {
    assert.doesNotMatch(page().document.markup, /<input id="password"[^>]* value=/);
  });
});
