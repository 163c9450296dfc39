import assert from 'node:assert/strict';
import { it } from 'node:test';

import { buttonsOf, markupOf, sampleAppearance, sampleRequest } from '../../../test/harness/page-samples.ts';
import { waitingPage } from './consent.page.ts';

it('the page of a waiting approval reloads with and without scripts, and has Cancel', () => {
  const page = waitingPage(sampleRequest, sampleAppearance);
  const markup = markupOf(page);

  const path = `/connect/waiting\\?transaction=${sampleRequest.transactionId}`;
  assert.match(
    markup,
    new RegExp(`<noscript><meta http-equiv="refresh" content="5; url=${path}"></noscript>`),
  );
  assert.match(markup, new RegExp(`<body [^>]*data-goes-on="${path}" data-seconds="5"`));
  assert.deepEqual(buttonsOf(page), ['Cancel']);
});
