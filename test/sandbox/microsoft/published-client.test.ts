/** Microsoft's published client at the sandbox's Graph. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { AuthenticationHandler, Client, type Middleware } from '@microsoft/microsoft-graph-client';
import type { Calendar, Event } from '@microsoft/microsoft-graph-types';

import { single } from './graph.ts';
import { ADA, openMicrosoft, signIn } from './harness.ts';

const HAL = { email: 'hal@outlook.com', name: 'Hal' };
const GRACE = { email: 'grace@contoso.example', name: 'Grace Hopper' };

/** The client as published, whose requests go to the sandbox instead of Graph. */
function clientAt(origin: string, token: string): Client {
  const middleware = new AuthenticationHandler({ getAccessToken: async () => token });
  const toSandbox: Middleware = {
    async execute(context) {
      const url = String(context.request).replace('https://graph.microsoft.com', origin);
      context.response = await fetch(url, context.options);
    },
  };
  middleware.setNext(toSandbox);
  return Client.initWithMiddleware({ middleware });
}

describe('Microsoft’s published client at the sandbox’s Graph', () => {
  it('lists shared calendars with a .Shared permission, which personal accounts are not granted', async (t) => {
    const { sandbox, manual } = await openMicrosoft(t);
    await manual.addPerson(HAL);
    await manual.addCalendar(HAL.email, { title: 'Calendar', timeZone: 'UTC' });
    for (const email of [ADA, HAL.email])
      await manual.shareCalendar(email, { title: 'Hers', timeZone: 'UTC', owner: GRACE });
    const listed = async (account: string, scope: string) => {
      const { accessToken } = await signIn(sandbox.origin, { account, scope: `openid ${scope}` });
      const { value } = await clientAt(sandbox.origin, accessToken).api('/me/calendars').get();
      return value.map(({ name }: Calendar) => name);
    };

    const without = await listed(ADA, 'Calendars.ReadWrite');
    const granted = await listed(ADA, 'Calendars.ReadWrite Calendars.ReadWrite.Shared');
    const personal = await listed(HAL.email, 'Calendars.ReadWrite Calendars.ReadWrite.Shared');

    assert.deepEqual(granted, [...without, 'Hers']);
    assert.deepEqual(personal, ['Calendar']);
  });

  const texts = [
    'one\ntwo\n\nfour',
    'windows\r\nlines',
    '  two  spaces \n\tand a tab ',
    '<b>1 < 2 & 3 > 2</b> "quoted" `it’s` \'x\' &nbsp; &#9; &lt;',
    '\n\nfirst and last\n\n',
  ];
  for (const text of texts)
    it(`keeps ${JSON.stringify(text)} when its HTML is read and written back`, async (t) => {
      const { sandbox } = await openMicrosoft(t);
      const { accessToken } = await signIn(sandbox.origin);
      const client = clientAt(sandbox.origin, accessToken);
      const body = { contentType: 'text', content: text };
      const { id }: Event = await client.api('/me/events').post({ ...single('Notes'), body });
      const event = `/me/events/${encodeURIComponent(id ?? '')}`;
      const textNow = async () => {
        const read = client.api(event).header('Prefer', 'outlook.body-content-type="text"');
        return (await read.get()).body.content;
      };

      const written = await textNow();
      const asHtml: Event = await client.api(event).get();
      await client.api(event).patch({ body: asHtml.body });

      assert.deepEqual([written, asHtml.body?.contentType], [text, 'html']);
      assert.equal(await textNow(), text);
    });
});
