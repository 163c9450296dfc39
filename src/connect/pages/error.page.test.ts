import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { markupOf, sampleAppearance, sampleRequest, wordsOf } from '../../../test/harness/page-samples.ts';
import { ConnectError, type ConnectErrorKind } from '../flow/connect-error.ts';
import { type ErrorView, errorPage } from './error.page.ts';

const page = (kind: ConnectErrorKind, change: Partial<ErrorView> = {}, appearance = sampleAppearance) => {
  const view = {
    error: new ConnectError(kind, { provider: 'google' }),
    request: undefined,
    reference: 'r-1',
    settings: undefined,
  };
  return errorPage({ ...view, ...change }, appearance);
};

describe('the error page', () => {
  it('is green if everything is done, and red if something is wrong', () => {
    assert.match(markupOf(page('finished')), /<span class="badge done">/);
    assert.match(markupOf(page('session_expired')), /<span class="badge trouble">/);
  });

  it('names the three scopes if another one was sent', () => {
    const error = new ConnectError('scope_unknown', { parameter: 'scope' });

    const text = wordsOf(page('scope_unknown', { error }));

    assert.match(text, /scope must be one of free-busy ?, read ?, read-write/);
  });

  it('sends people to the application, not to an administrator', () => {
    const nameless = { ...sampleAppearance, displayName: undefined };

    assert.match(wordsOf(page('unexpected')), /Need help\? Contact Acme Planner \./);
    assert.match(wordsOf(page('unexpected', {}, nameless)), /Contact the people behind the application\./);
    assert.doesNotMatch(wordsOf(page('provider_misconfigured')), /administrator/);
  });

  it('is shown in another language at its own address, with its query', () => {
    const query = [{ name: 'state', value: 'a"b' }];
    const settings = { path: '/authorize?state=a', place: '/authorize', query, parameter: 'lng' };

    const markup = markupOf(page('client_unknown', { settings }));

    assert.match(
      markup,
      /<form method="get" action="\/authorize"><input type="hidden" name="state" value="a&\S*b">/,
    );
    assert.match(markup, /<button name="lng" value="de"/);
    assert.match(
      markup,
      /action="\/connect\/theme"><input type="hidden" name="back" value="\/authorize\?state=a">/,
    );
  });

  it('changes the language of an open request, which stores it', () => {
    const settings = { request: sampleRequest, path: '/connect/consent?transaction=T' };

    const markup = markupOf(page('provider_unavailable', { settings }));

    assert.match(markup, /<form method="post" action="\/connect\/language">/);
  });
});
