/** Contract tests for BrandingStore. Each database's test calls them with its own empty database. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, it } from 'node:test';

import { DEFAULT_BRANDING } from '../../src/branding/branding.ts';
import type { LookChange } from '../../src/branding/branding-store.ts';
import type { Database } from '../../src/store/drivers/database.ts';
import { NOW, openWithUsers, tenTimes } from './calendar-rows.ts';
import { rowsIn } from './grant-rows.ts';

const NO_FACTS = {
  applicationUrl: undefined,
  supportEmail: undefined,
  supportUrl: undefined,
  privacyUrl: undefined,
  termsUrl: undefined,
};
const picture = (content: string) => ({ webp: Buffer.from(`RIFF ${content} \0\xff`, 'latin1') });
const hashOf = ({ webp }: ReturnType<typeof picture>) => hash('sha256', webp);

export function brandingStoreContract(database: string, open: () => Promise<Database>): void {
  const prepare = async () => {
    const { db, branding: looks, clients } = await openWithUsers(open);
    await db.write(
      `INSERT INTO application (client_id, name, redirect_uri, created_at, updated_at)
       VALUES ('other', 'Other', 'https://other.example/cb', :now, :now)`,
      { now: NOW },
    );
    return { db, looks, clients };
  };

  describe(`BrandingStore on ${database}`, () => {
    it('an application that has set no look, or is not known, has the defaults', async () => {
      const { looks } = await prepare();

      for (const clientId of ['acme', 'nobody']) {
        assert.deepEqual(await looks.findLook(clientId), { branding: DEFAULT_BRANDING, facts: NO_FACTS });
      }
    });

    it('a look is answered as it was set, to its application only', async () => {
      const { looks } = await prepare();
      const [logo, darkLogo] = [picture('light'), picture('dark')];
      const plain = { enabled: false, primaryColor: '#aa3355', theme: 'dark', hideFooter: true } as const;
      const facts = {
        applicationUrl: 'https://acme.example/',
        supportEmail: 'a@acme.example',
        supportUrl: 'https://acme.example/?',
        privacyUrl: 'https://acme.example/privacy',
        termsUrl: 'https://acme.example/terms',
      };

      const changed = await looks.changeLook(
        'acme',
        { ...plain, ...facts, logo, darkLogo },
        { now: NOW, by: undefined },
      );

      const logos = { logo: { hash: hashOf(logo) }, darkLogo: { hash: hashOf(darkLogo) } };
      assert.deepEqual(changed, { branding: { ...plain, ...logos }, facts });
      assert.deepEqual(await looks.findLook('acme'), changed);
      assert.deepEqual(await looks.findLook('other'), { branding: DEFAULT_BRANDING, facts: NO_FACTS });
    });

    it('a change of a look leaves what it does not name, and empties what it names null', async () => {
      const { looks } = await prepare();
      const set = { primaryColor: '#aa3355', supportEmail: 'a@acme.example', logo: picture('one') };
      await looks.changeLook('acme', { ...set, theme: 'light' }, { now: NOW, by: undefined });

      const changed = await looks.changeLook('acme', { hideFooter: true }, { now: NOW + 1, by: undefined });
      const emptied = await looks.changeLook(
        'acme',
        { primaryColor: null, supportEmail: null, logo: null },
        { now: NOW + 2, by: undefined },
      );

      assert.deepEqual(changed?.branding.logo, { hash: hashOf(set.logo) });
      assert.equal(changed?.branding.primaryColor, '#aa3355');
      assert.equal(changed?.facts.supportEmail, 'a@acme.example');
      assert.deepEqual(emptied, {
        branding: { ...DEFAULT_BRANDING, theme: 'light', hideFooter: true },
        facts: NO_FACTS,
      });
    });

    it('no look is set for an application that is not there', async () => {
      const { db, looks } = await prepare();

      assert.equal(
        await looks.changeLook('nobody', { logo: picture('x') }, { now: NOW, by: undefined }),
        undefined,
      );
      assert.equal(await rowsIn(db, 'application_look'), 0);
      assert.equal(await rowsIn(db, 'application_logo'), 0);
    });

    it('nothing of a look is set where a part cannot be', async () => {
      const { db, looks } = await prepare();
      // The cast breaks the type's guarantee on purpose.
      const change = { logo: picture('x'), theme: 'sepia' } as unknown as LookChange;

      await assert.rejects(looks.changeLook('acme', change, { now: NOW, by: undefined }));

      assert.equal(await rowsIn(db, 'application_logo'), 0);
    });

    it('none of ten changes of a look that are made at once is lost', async () => {
      const { looks } = await prepare();
      const changes: LookChange[] = [
        { enabled: false },
        { primaryColor: '#000000' },
        { theme: 'dark' },
        { hideFooter: true },
        { supportEmail: 'a@acme.example' },
        { supportUrl: 'https://acme.example/' },
        { applicationUrl: 'https://acme.example/' },
        { logo: picture('light') },
        { darkLogo: picture('dark') },
        { privacyUrl: 'https://acme.example/privacy', termsUrl: 'https://acme.example/terms' },
      ];

      await tenTimes((i) => looks.changeLook('acme', changes[i] ?? {}, { now: NOW + i, by: undefined }));

      const { branding, facts } = await looks.findLook('acme');
      const lost = Object.entries({ ...branding, ...facts }).filter(([name, value]) => {
        const before = { ...DEFAULT_BRANDING, ...NO_FACTS }[name as keyof typeof facts];
        return value === before;
      });
      assert.deepEqual(lost, []);
    });

    it('a picture is answered byte for byte by its hash', async () => {
      const { looks } = await prepare();
      const logo = picture('one');
      await looks.changeLook('acme', { logo }, { now: NOW, by: undefined });

      const image = await looks.findLogo(hashOf(logo));

      assert.deepEqual(image && Buffer.from(image.webp), logo.webp);
      assert.equal(await looks.findLogo(hashOf(picture('two'))), undefined);
    });

    it('a picture is kept while one application or one scheme shows it, and no longer', async () => {
      const { db, looks } = await prepare();
      const logo = picture('shared');
      await looks.changeLook('acme', { logo, darkLogo: logo }, { now: NOW, by: undefined });
      await looks.changeLook('other', { logo }, { now: NOW, by: undefined });

      const states: boolean[] = [];
      const look = async () => states.push((await looks.findLogo(hashOf(logo))) !== undefined);
      await looks.changeLook('acme', { logo: picture('next') }, { now: NOW, by: undefined });
      await look();
      await looks.changeLook('acme', { darkLogo: null }, { now: NOW, by: undefined });
      await look();
      await looks.changeLook('other', { logo: null }, { now: NOW, by: undefined });
      await look();

      assert.deepEqual(states, [true, true, false]);
      assert.equal(await rowsIn(db, 'application_logo'), 1);
    });

    it('the look and the pictures of an application that is deleted are forgotten', async () => {
      const { db, looks, clients } = await prepare();
      const logo = picture('gone');
      await looks.changeLook('acme', { logo }, { now: NOW, by: undefined });

      await clients.deleteClient('acme', NOW, undefined);

      assert.equal(await looks.findLogo(hashOf(logo)), undefined);
      assert.equal(await rowsIn(db, 'application_look'), 0);
      assert.equal(await rowsIn(db, 'application_logo'), 0);
    });
  });
}
