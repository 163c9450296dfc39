/** An application with two redirect URIs, from its creation on the command line to the exchange of a code. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';

import { onEachDatabase } from '../harness/databases.ts';
import { type Application, authorize, authorizeUrl, exchange, jsonOf } from './flow.ts';
import { openSite, type Site, WITHOUT_RADICALE } from './site.ts';

const [FIRST, SECOND, THIRD] = [
  'https://app.example/cb',
  'https://staging.example/cb',
  'https://local.example/cb',
];

onEachDatabase((database, _open, place) => {
  describe(`an application with two redirect URIs, on ${database}`, { skip: WITHOUT_RADICALE }, () => {
    let site: Site;
    let application: Application;
    before(async () => {
      site = await openSite({ databaseUrl: (await place()).databaseUrl });
      const uris = ['--redirect-uri', FIRST, '--redirect-uri', SECOND];
      const { client_id, client_secret } = await site.program.command(
        'client',
        'create',
        '--name',
        'Two',
        ...uris,
      );
      const [clientId, clientSecret] = [String(client_id), String(client_secret)];
      application = { url: site.program.url, clientId, clientSecret, redirectUri: SECOND };
    });
    after(() => site?.close());

    it('a code of the second redirect URI is exchanged with it alone', async () => {
      const parameters = { redirect_uri: SECOND };
      const { callback } = await authorize(application, { userId: 'ada', login: site.login, parameters });
      assert.ok(callback.href.startsWith(`${SECOND}?code=ada`), callback.href);

      const refused = await exchange({ ...application, redirectUri: FIRST }, 'ada');
      assert.equal((await jsonOf(refused)).error_description, 'Redirect URI mismatch');
      assert.equal((await exchange(application, 'ada')).status, 200);
    });

    it('a redirect URI is accepted once the command line has added it, and refused once it has removed it', async () => {
      const statusOf = async () => {
        const parameters = { redirect_uri: THIRD };
        return (await fetch(authorizeUrl(application, { userId: 'ada', parameters }), { redirect: 'manual' }))
          .status;
      };
      const update = (option: string) =>
        site.program.command('client', 'update', application.clientId, option, THIRD);

      const statuses = [await statusOf()];
      await update('--add-redirect-uri');
      statuses.push(await statusOf());
      await update('--remove-redirect-uri');
      statuses.push(await statusOf());

      assert.deepEqual(statuses, [400, 302, 400]);
    });
  });
});
