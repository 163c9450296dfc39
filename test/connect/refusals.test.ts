/** The Connect pages and log entries when Google or Microsoft refuses. On SQLite. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { inspect } from 'node:util';

import { ProviderError, type ProviderErrorKind } from '../../src/calendars/provider-error.ts';
import { type Journeys, openJourneys, read } from './journeys.ts';

let journeys: Journeys;
before(async () => {
  journeys = await openJourneys();
});
after(() => journeys.harness.close());
beforeEach(() => journeys.nextUser());

describe('a provider that refuses', () => {
  const troubles: [
    kind: ProviderErrorKind,
    reason: ProviderError['reason'],
    status: number,
    words: RegExp,
  ][] = [
    ['unavailable', undefined, 503, /cannot be reached at the moment.*Try again/s],
    ['rate_limited', undefined, 503, /cannot be reached at the moment/],
    ['misconfigured', 'app_credentials_refused', 502, /not set up correctly.*This is not your fault/s],
    ['misconfigured', 'app_secret_expired', 502, /not set up correctly/],
    ['forbidden_address', undefined, 502, /not set up correctly/],
    ['unauthorized', undefined, 400, /could not be completed/],
    ['invalid_response', undefined, 400, /could not be completed/],
    ['access_denied', 'admin_consent_required', 403, /Your administrator must allow this first/],
  ];
  for (const [kind, reason, status, text] of troubles) {
    it(`a provider’s refusal shows ${status} for ${kind}${reason ? ` (${reason})` : ''}, changes nothing, and another try works`, async () => {
      const { browser, sent } = await journeys.depart();
      const error = new ProviderError(kind, 'Refused', { ...(reason && { reason }), retryAfter: 90_000 });
      journeys.google.failures.push({ call: 'complete', error });

      const page = await browser.get(journeys.google.allow(sent.location));

      assert.equal(page.status, status);
      assert.match(page.body, text);
      assert.equal(page.headers['retry-after'], status === 503 ? '90' : undefined);
      assert.deepEqual(await journeys.accounts(), []);
      const onward = /<p class="way"><a class="button primary" href="([^"]+)"/.exec(read(page))?.[1] ?? '';
      const again = await browser.get(onward);
      assert.equal(again.status, status === 502 ? 200 : 303);
    });
  }

  it('a provider’s refusal is also shown when it happens before the redirect to the provider', async () => {
    journeys.google.failures.push({
      call: 'begin',
      error: new ProviderError('invalid_response', 'Not readable'),
    });
    const { sent } = await journeys.depart();

    assert.equal(sent.status, 503);
    assert.match(sent.body, /lang="en".*cannot be reached at the moment/s);
  });

  it('a provider’s refusal leads to the administrator’s page where the provider has one', async () => {
    const { browser, sent } = await journeys.depart('microsoft');

    const page = await browser.get(journeys.microsoft.refuse(sent.location, 'consent_required'));

    assert.equal(page.status, 403);
    assert.match(read(page), /href="https:\/\/login\.example\/adminconsent\?client_id=instance-app"/);
  });

  it('a provider’s refusal is logged for the operator, without a state, a code or a secret', async () => {
    const { browser, sent, transaction } = await journeys.depart();
    const error = new ProviderError('misconfigured', 'The secret is refused', {
      reason: 'app_credentials_refused',
    });
    journeys.google.failures.push({ call: 'complete', error });
    const address = journeys.google.allow(sent.location);
    const from = journeys.harness.logged.length;

    await browser.get(address);

    const entries = journeys.harness.logged.slice(from);
    assert.deepEqual(
      entries
        .filter(({ level }) => level === 'error')
        .map(({ fields }) => (fields as { reason: string }).reason),
      ['app_credentials_refused'],
    );
    const { state, code } = Object.fromEntries(new URLSearchParams(address.split('?')[1]));
    const text = inspect(entries, { depth: 9 });
    const request = await journeys.harness.deps.requests.findRequest(transaction);
    for (const secret of [state, code, request?.formToken, 'canary-secret'])
      assert.ok(!text.includes(String(secret)));
  });

  it('a provider’s refusal is an internal error when the adapter throws one, and the sign-in is over', async () => {
    const { browser, sent } = await journeys.depart();
    journeys.google.failures.push({ call: 'complete', error: new TypeError('a fault of the adapter') });
    const address = journeys.google.allow(sent.location);

    const statuses = [(await browser.get(address)).status, (await browser.get(address)).status];

    assert.deepEqual(statuses, [500, 400]);
    assert.deepEqual(await journeys.accounts(), []);
  });
});
