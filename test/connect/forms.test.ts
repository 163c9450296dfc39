/** The Apple and CalDAV forms: what they help with, and what they say when a login is refused. On SQLite. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';

import type {
  PasswordLogin,
  PasswordProvider,
  PasswordSignIn,
} from '../../src/calendars/calendar-provider.ts';
import {
  ProviderError,
  type ProviderErrorDetail,
  type ProviderErrorKind,
} from '../../src/calendars/provider-error.ts';
import { CALDAV_PRESETS } from '../../src/connect/accounts/caldav-presets.ts';
import { connectAttempts } from '../../src/connect/flow/connect-attempts.ts';
import { GENEROUS } from '../harness/connect-limits.ts';
import {
  type Answer,
  APPLE_PASSWORD,
  Browser,
  type Harness,
  openConnect,
  passwordProvider,
  transactionOf,
} from './connect-harness.ts';
import { read } from './journeys.ts';

const logins: PasswordLogin[] = [];
/** For whom they were. */
const users: unknown[] = [];
let refusal: ProviderErrorKind | undefined;
let refusalDetail: ProviderErrorDetail | undefined;
let harness: Harness;
before(async () => {
  const limits = { ...GENEROUS, passwordsPerTransaction: 5 };
  harness = await openConnect({
    providers: { apple: watched('apple'), caldav: watched('caldav') },
    attempts: connectAttempts(limits),
  });
});
after(() => harness.close());
afterEach(() => {
  logins.length = 0;
  refusal = undefined;
  refusalDetail = undefined;
});

/** The harness's provider, which tells what it was asked and refuses as the test says. */
function watched(kind: 'apple' | 'caldav'): PasswordProvider {
  const provider = passwordProvider(kind);
  const verify: PasswordSignIn['verify'] = async (login, user) => {
    logins.push(login);
    users.push([user?.clientId, user?.userId]);
    const detail = refusalDetail && { detail: refusalDetail };
    if (refusal !== undefined) throw new ProviderError(refusal, 'refused', { ...detail });
    return provider.signIn.verify(login);
  };
  return { ...provider, signIn: { ...provider.signIn, verify } };
}

let user = 0;
async function openForm(kind: 'apple' | 'caldav', query = '') {
  user += 1;
  const browser = new Browser(harness);
  const selection = await browser.start({ user_id: `form-${user}` });
  const form = await browser.get(`/connect/${kind}?transaction=${transactionOf(selection)}${query}`);
  const send = (fields: Record<string, string>, page: Answer = form) =>
    browser.submit(page, `/connect/${kind}`, fields);
  return { browser, form, send };
}

/** To the form with a server's address. */
const BY_SERVER = '&by=server';

const labelsOf = ({ body }: Answer): string[] =>
  [...body.matchAll(/<label for="\w+">([^<]*)</g)].map(([, label = '']) => label);

const inputOf = ({ body }: Answer, name: string): string =>
  new RegExp(`<input id="${name}"[^>]*>`).exec(body)?.[0] ?? '';

describe('the Apple form', () => {
  it('the Apple form asks Apple with the password as Apple spells it, however it was typed', async () => {
    const { send } = await openForm('apple');

    const { status } = await send({
      username: ' jane@icloud.com ',
      password: 'ABCD efgh\u2011IJKL\u2013mnop ',
    });

    assert.equal(status, 303);
    assert.deepEqual(logins, [{ username: 'jane@icloud.com', password: APPLE_PASSWORD }]);
    assert.deepEqual(users.at(-1), ['acme', `form-${user}`]);
  });

  it('the Apple form takes a phone number for an Apple Account', async () => {
    const { send } = await openForm('apple');

    const { status } = await send({ username: '+1 408 555 0100', password: APPLE_PASSWORD });

    assert.equal(status, 303);
    assert.equal(logins[0]?.username, '+1 408 555 0100');
  });

  it('the Apple form answers what cannot be an app-specific password at once, and counts it as no attempt', async () => {
    const { send } = await openForm('apple');

    const pages: Answer[] = [];
    for (let i = 0; i < 8; i += 1) {
      pages.push(await send({ username: 'jane@icloud.com', password: 'Summer2026!' }));
    }

    assert.deepEqual(logins, []);
    for (const page of pages) {
      assert.equal(page.status, 422);
      assert.match(read(page), /role="alert".*This does not look like an app-specific password/s);
      assert.ok(!page.body.includes('Summer2026'));
    }
    const [page] = pages;
    assert.match(page ? inputOf(page, 'password') : '', /aria-invalid="true" autofocus/);
    assert.match(page?.body ?? '', /<details class="steps" open>/);
  });

  it('the Apple form says step by step how one is made, with the page at Apple', async () => {
    const { form } = await openForm('apple');

    const steps = /<details class="steps">.*?<\/details>/s.exec(form.body)?.[0] ?? '';
    assert.match(steps, /<summary>How do I create an app-specific password\?</);
    assert.equal(steps.match(/<li>/g)?.length, 4);
    assert.match(steps, /href="https:\/\/account\.apple\.com\/"/);
    assert.match(steps, /Acme Planner/);
  });

  const texts: [ProviderErrorKind, RegExp][] = [
    ['unauthorized', /Apple does not accept this Apple Account/],
    ['unavailable', /Apple cannot be reached/],
    ['no_calendars', /has no calendar/],
    ['forbidden_address', /Apple sent an unexpected response/],
    ['invalid_response', /Apple sent an unexpected response/],
    ['not_found', /Apple sent an unexpected response/],
    ['rate_limited', /Too many attempts/],
    ['busy', /Try again in a minute/],
  ];
  for (const [kind, expected] of texts) {
    it(`the Apple form speaks of Apple, and of no address, when it fails as ${kind}`, async () => {
      const { send } = await openForm('apple');
      refusal = kind;

      const page = await send({ username: 'jane@icloud.com', password: APPLE_PASSWORD });

      const alert = /role="alert".*?<\/div><\/div>/s.exec(read(page))?.[0] ?? '';
      assert.match(alert, expected);
      assert.doesNotMatch(alert, /address/i);
      assert.match(inputOf(page, 'username'), /value="jane@icloud.com"/);
    });
  }
});

describe('the CalDAV form', () => {
  it('the CalDAV form asks for e-mail address and password, and finds the server by them', async () => {
    const { form, send } = await openForm('caldav');

    const { status } = await send({ username: ' ada@example.com ', password: 'right' });

    assert.deepEqual(labelsOf(form), ['E-mail address', 'Password']);
    assert.match(form.body, /<button class="primary">Connect<\/button>/);
    assert.equal(inputOf(form, 'server'), '');
    assert.equal(status, 303);
    assert.deepEqual(logins, [{ username: 'ada@example.com', password: 'right' }]);
  });

  it('the CalDAV form asks nobody for what is no e-mail address', async () => {
    const { send } = await openForm('caldav');
    for (const username of ['ada', 'ada@', '@example.com', 'a b@example.com', 'a@b@example.com']) {
      const page = await send({ username, password: 'right' });

      assert.equal(page.status, 422, username);
      assert.match(read(page), /No server was found for this email address/);
      assert.match(inputOf(page, 'username'), /aria-invalid="true" autofocus/);
    }
    assert.deepEqual(logins, []);
  });

  it('the CalDAV form has a link to the server’s own address, and asks for that in three fields', async () => {
    const { browser, form } = await openForm('caldav');
    const [, link = ''] = /href="([^"]*)">Enter the server address</.exec(read(form)) ?? [];

    const byServer = await browser.get(link);

    assert.deepEqual(labelsOf(byServer), ['Server URL', 'Username', 'Password']);
    assert.match(byServer.body, /<button class="primary">Connect<\/button>/);
    assert.doesNotMatch(byServer.body, /Enter the server address/);
  });

  const searches: ProviderErrorKind[] = ['not_found', 'unavailable', 'forbidden_address', 'invalid_response'];
  for (const kind of searches) {
    it(`the CalDAV form asks for the server where a search fails as ${kind}, and keeps the e-mail address`, async () => {
      const { send } = await openForm('caldav');
      refusal = kind;

      const page = await send({ username: 'ada@example.com', password: 'secret-word' });

      assert.equal(page.status, 422);
      assert.match(read(page), /role="alert".*No server was found for this email address/s);
      assert.deepEqual(labelsOf(page), ['Server URL', 'Username', 'Password']);
      assert.match(inputOf(page, 'username'), /value="ada@example.com"/);
      assert.match(inputOf(page, 'server'), /aria-invalid="true" autofocus/);
      assert.doesNotMatch(page.body, /secret-word/);
      refusal = undefined;
      const typed = { server: 'https://dav.example.com', username: 'ada', password: 'right' };
      assert.equal((await send(typed, page)).status, 303);
    });
  }

  for (const kind of ['unauthorized', 'no_calendars'] as const) {
    it(`the CalDAV form stays with the e-mail address where the server was found and answers ${kind}`, async () => {
      const { send } = await openForm('caldav');
      refusal = kind;

      const page = await send({ username: 'ada@example.com', password: 'right' });

      assert.equal(page.status, 422);
      assert.deepEqual(labelsOf(page), ['E-mail address', 'Password']);
      assert.match(inputOf(page, 'username'), /value="ada@example.com"/);
    });
  }

  const details: [ProviderErrorDetail, RegExp][] = [
    ['host_unknown', /There is no server with this name/],
    ['connection_refused', /No server responds at this address\. Check the port/],
    ['no_caldav', /There is a website at this address, but no CalDAV/],
    ['plain_http', /write http:\/\/ in front of the address/],
    ['certificate', /certificate is not valid/],
  ];
  for (const [detail, words] of details) {
    it(`the CalDAV form says what exactly is wrong with an address: ${detail}`, async () => {
      const { send } = await openForm('caldav', BY_SERVER);
      refusal = 'unavailable';
      refusalDetail = detail;

      const page = await send({ server: 'https://dav.example.com', username: 'ada', password: 'right' });

      assert.equal(page.status, 422);
      assert.match(read(page), words);
      assert.match(inputOf(page, 'server'), /aria-invalid="true" autofocus/);
    });
  }

  it('the CalDAV form offers every known server by a link, open while nothing is filled in', async () => {
    const { form } = await openForm('caldav', BY_SERVER);

    const choice = /<details class="presets" open>.*?<\/details>/s.exec(read(form))?.[0] ?? '';
    assert.match(choice, /Which address is my CalDAV server\?/);
    for (const { id, name } of CALDAV_PRESETS) {
      assert.match(
        choice,
        new RegExp(
          `href="/connect/caldav\\?transaction=[\\w-]{22}&by=server&preset=${id}"><span translate="no">${name}<`,
        ),
      );
    }
  });

  for (const preset of CALDAV_PRESETS) {
    it(`the CalDAV form fills in the address of ${preset.name}, says what to type, and keeps its labels`, async () => {
      const { form } = await openForm('caldav', `&preset=${preset.id}`);

      assert.equal(form.status, 200);
      const text = read(form);
      assert.ok(inputOf(form, 'server').includes(`value="${preset.server}"`));
      for (const [field, label] of [
        ['server', 'Server URL'],
        ['username', 'Username'],
        ['password', 'Password'],
      ] as const) {
        assert.ok(form.body.includes(`<label for="${field}">${label}</label>`), label);
      }
      assert.match(text, /<button class="primary">Connect<\/button>/);
      assert.match(text, new RegExp(`class="choice chosen" href="[^"]*&preset=${preset.id}">.*Chosen`));
      const focused = preset.server.includes('your-server') ? 'server' : 'username';
      assert.match(inputOf(form, focused), / autofocus>/);
      assert.equal(form.body.match(/ autofocus/g)?.length, 1);
      const made = preset.passwordMade;
      if (made && 'page' in made) assert.ok(text.includes(`href="${made.page}"`));
    });
  }

  it('the CalDAV form keeps the choice when the login is refused, and says that provider’s own hint', async () => {
    const { form, send } = await openForm('caldav', '&preset=fastmail');

    const page = await send({
      server: 'https://caldav.fastmail.com/',
      username: 'ada@fastmail.com',
      password: 'wrong',
    });

    assert.equal(page.status, 422);
    assert.match(read(page), /role="alert".*Fastmail<\/bdi> does not accept.*It needs an app password/s);
    assert.match(read(page), /href="https:\/\/app\.fastmail\.com\/[^"]+"[^>]*>Create an app password at/);
    assert.match(read(page), /class="choice chosen" href="[^"]*&preset=fastmail"/);
    assert.doesNotMatch(page.body, /<details class="presets" open/);
    assert.ok(form.body.includes('name="preset" value="fastmail"'));
  });

  for (const server of ['https://caldav.yandex.ru/', 'ada@yandex.com', 'yandex.ru']) {
    it(`the CalDAV form gives the hint of whose server ${server} is, though none was chosen`, async () => {
      const { send } = await openForm('caldav', BY_SERVER);

      const page = await send({ server, username: 'ada', password: 'wrong' });

      assert.match(read(page), /Yandex<\/bdi> does not accept/);
      assert.match(page.body, /href="https:\/\/id\.yandex\.com\/security\/app-passwords"/);
      assert.equal(logins[0]?.server, server);
    });
  }

  it('the CalDAV form forgets a choice once the address of another server was typed', async () => {
    const { send } = await openForm('caldav', '&preset=fastmail');

    const page = await send({ server: 'https://dav.example.com/', username: 'ada', password: 'wrong' });

    assert.match(read(page), /The server does not accept this username and password/);
    assert.doesNotMatch(page.body, /app\.fastmail\.com/);
    assert.match(read(page), /id="server-hint">Ask your provider for it/);
  });

  it('the CalDAV form asks for the server’s own name where it still stands as an example, and asks nobody else', async () => {
    const { form, send } = await openForm('caldav', '&preset=nextcloud');

    const server = /value="([^"]*)"/.exec(inputOf(form, 'server'))?.[1] ?? '';
    const page = await send({ server, username: 'ada', password: 'right' });

    assert.equal(page.status, 422);
    assert.match(read(page), /role="alert".*Replace .* with the name of your own server/s);
    assert.match(inputOf(page, 'server'), /aria-invalid="true" autofocus/);
    assert.deepEqual(logins, []);
  });

  it('the CalDAV form ties what is wrong to its field and to the notice, and focuses the first', async () => {
    const { send } = await openForm('caldav', BY_SERVER);

    const page = await send({ server: 'https://dav.example.com', username: '', password: '' });

    assert.match(page.body, /<div id="trouble"><div class="notice trouble" role="alert"/);
    assert.match(inputOf(page, 'server'), /aria-describedby="server-hint">/);
    assert.match(
      inputOf(page, 'username'),
      /aria-describedby="username-error trouble" aria-invalid="true" autofocus/,
    );
    assert.match(
      inputOf(page, 'password'),
      /aria-describedby="password-error trouble password-hint" aria-invalid="true">/,
    );
    assert.match(page.body, /<p class="wrong" id="username-error">.*Fill in this field\.<\/p>/);
  });

  for (const preset of ['', 'unknown', '__proto__', '%00', 'fastmail%20']) {
    it(`the CalDAV form shows the plain form for the preset ${JSON.stringify(preset)}`, async () => {
      const { form } = await openForm('caldav', `${BY_SERVER}&preset=${preset}`);

      assert.equal(form.status, 200);
      assert.match(inputOf(form, 'server'), /value=""/);
      assert.doesNotMatch(form.body, /class="choice chosen"|name="preset"/);
    });
  }
});
