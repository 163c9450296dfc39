/**
 * Every state of the Connect pages and the way to it on the running program: the one list for the tests, the
 * screenshots and the soak. A chapter has its own user; each of its stops continues from the one before.
 */
import { adaIn, eveIn, MOST_PASSWORDS } from './connect-tour-site.ts';
import { type Chapter, type Stop, stop, unfolded } from './connect-tour-stop.ts';
import { reloadUntil, TROUBLES } from './connect-tour-troubles.ts';
import type { TourWalker as Walker } from './connect-tour-walker.ts';
import { loginOf } from './site.ts';

/** Sends an empty form, without the browser's own checks. */
const sendEmpty = (walker: Walker): Promise<void> => walker.connect({});

const caldav: Chapter = {
  name: 'caldav',
  stops: [
    stop('selection-empty', (walker) => walker.start()),
    stop('caldav-email', (walker) => walker.press('selection.connect', { provider: 'CalDAV' })),
    stop('caldav-email-missing', sendEmpty),
    stop('caldav-email-not-found', (walker) =>
      walker.connect({ 'form.email': 'ada@nowhere.invalid', 'form.password': 'secret' }),
    ),
    stop('caldav-form', async (walker) => {
      await walker.start();
      await walker.openServerForm();
    }),
    stop('caldav-missing', sendEmpty),
    stop('caldav-preset', async (walker) => {
      await walker.start();
      await walker.openServerForm();
      await walker.follow('Nextcloud');
    }),
    ...(
      [
        ['caldav-unauthorized', (walker) => ({ ...walker.login, password: 'wrong' })],
        ['caldav-refused', (walker) => ({ ...walker.login, server: walker.site.nowhere })],
        ['caldav-host-unknown', (walker) => ({ ...walker.login, server: 'https://nowhere.invalid' })],
        ['caldav-no-https', (walker) => ({ ...walker.login, server: 'https://10.0.0.1' })],
        ['caldav-no-server', (walker) => ({ ...walker.login, server: walker.site.callback.redirectUri })],
      ] as const satisfies readonly (readonly [string, (walker: Walker) => Walker['login']])[]
    ).map(([name, login]) => stop(name, (walker) => walker.signInToCalDav(login(walker)))),
    stop('selection-allow', async (walker) => {
      await walker.start();
      await walker.linkCalDav();
    }),
    stop('selection-found', async (walker) => {
      await walker.start();
      await reloadUntil(walker, (body) => body.includes(walker.text('selection.choose')));
    }),
    unfolded('selection-more', '.fold'),
    unfolded('selection-options', '.options'),
    stop('calendars', (walker) => walker.followForAccount('selection.choose_account')),
    stop('calendars-chosen', (walker) => walker.press('calendars.save')),
    stop('selection-continue', (walker) => walker.linkCalDav(loginOf(walker.site.calendars, 'grace'))),
    stop('consent-read-write', (walker) => walker.press('selection.continue')),
    stop('finished', async (walker) => {
      const { url } = walker.page;
      await walker.press('consent.allow');
      await walker.open(url);
    }),
    stop('selection-not-finished', (walker) => walker.start()),
  ],
};

const address: Chapter = {
  name: 'address',
  stops: [
    stop('address-form', async (walker) => {
      await walker.start();
      await walker.press('selection.connect_calendar_link');
    }),
    stop('address-missing', sendEmpty),
    stop('address-no-calendar', (walker) =>
      walker.connect({ 'form.address': walker.site.callback.redirectUri }),
    ),
    stop('address-sign-in', (walker) =>
      walker.connect({ 'form.address': walker.site.calendars.calendarUrl('ada', 'work') }),
    ),
    stop('address-in-place-of-mail', async (walker) => {
      await walker.follow(walker.text('form.by_account'));
      const webcal = 'webcal://calendars.example/holidays/private-0123456789abcdef/basic.ics';
      await walker.connect({ 'form.email': webcal, 'form.password': 'secret' });
    }),
  ],
};

const returning: Chapter = {
  name: 'returning',
  stops: [
    stop('selection-done', async (walker) => {
      await walker.start();
      await walker.linkCalDav();
      await walker.press('consent.allow');
      await walker.redeem();
      await walker.start();
    }),
    stop('selection-beside', (walker) => walker.linkCalDav(loginOf(walker.site.calendars, 'grace'))),
    stop('consent-beside', (walker) => walker.press('selection.continue')),
    stop('selection-others', async (walker) => {
      walker.browser.cookies.clear();
      await walker.start();
    }),
    stop('caldav-confirm', (walker) => walker.pressForAccount('selection.confirm_account')),
    stop('caldav-not-this', async (walker) => {
      await walker.follow(walker.text('form.by_server'));
      await walker.signInToCalDav(loginOf(walker.site.calendars, 'grace'));
    }),
    stop('selection-confirmed', (walker) => walker.signInToCalDav(walker.login)),
  ],
};

const waiting: Chapter = {
  name: 'waiting',
  stops: [
    stop('waiting', async (walker) => {
      for (const user of ['ada', 'grace']) {
        walker.browser.cookies.clear();
        await walker.start();
        await walker.linkCalDav(loginOf(walker.site.calendars, user));
        await walker.press('consent.allow');
      }
    }),
  ],
};

const masked: Chapter = {
  name: 'masked',
  stops: [
    stop('selection-masked', async (walker) => {
      const application = walker.site.applications.trusting;
      await walker.start({ application });
      await walker.linkCalDav();
      await walker.press('consent.allow');
      await walker.redeem();
      walker.browser.cookies.clear();
      await walker.start({ application });
    }),
  ],
};

const limit: Chapter = {
  name: 'limit',
  stops: [
    stop('caldav-limited', async (walker) => {
      await walker.start();
      await walker.openServerForm();
      for (let attempt = 0; attempt <= MOST_PASSWORDS; attempt++) {
        await walker.signInToCalDav({ ...walker.login, password: 'wrong' });
      }
    }),
  ],
};

const disconnecting: Chapter = {
  name: 'disconnecting',
  stops: [
    stop('selection-removed', async (walker) => {
      await walker.start();
      await walker.linkCalDav();
      await walker.pressForAccount('selection.remove_account');
    }),
    stop('disconnect', async (walker) => {
      await walker.linkCalDav();
      await walker.press('consent.allow');
      await walker.redeem();
      await walker.start();
      await walker.pressForAccount('selection.disconnect_account');
    }),
    stop('selection-disconnected', (walker) => walker.press('selection.disconnect')),
    stop('disconnect-all', async (walker) => {
      await walker.start();
      for (const user of ['ada', 'grace']) {
        await walker.linkCalDav(loginOf(walker.site.calendars, user));
      }
      await walker.press('selection.continue');
      await walker.press('consent.allow');
      await walker.redeem();
      await walker.start();
      await walker.follow(walker.text('selection.disconnect_all'));
    }),
    stop('selection-disconnected-all', (walker) => walker.press('disconnect.confirm')),
  ],
};

const popup: Chapter = {
  name: 'popup',
  stops: [
    stop(
      'popup-denied',
      async (walker) => {
        await walker.start({ parameters: { display: 'popup' } });
        await walker.press('cancel');
      },
      { withoutScripts: true },
    ),
    stop(
      'popup-approved',
      async (walker) => {
        await walker.start({ parameters: { display: 'popup' } });
        await walker.linkCalDav();
        await walker.press('consent.allow');
      },
      { withoutScripts: true },
    ),
  ],
};

const scopes: Chapter = {
  name: 'scopes',
  stops: [
    stop('consent-free-busy', async (walker) => {
      await walker.start({ parameters: { scope: 'free-busy' } });
      await walker.linkCalDav();
    }),
    stop('consent-wider', async (walker) => {
      await walker.press('consent.allow');
      await walker.redeem();
      await walker.start({ parameters: { scope: 'read' } });
    }),
  ],
};

const apple: Chapter = {
  name: 'apple',
  stops: [
    stop('apple-form', async (walker) => {
      await walker.start();
      await walker.press('selection.connect', { provider: 'Apple' });
    }),
    unfolded('apple-help', '.steps'),
    stop('apple-missing', sendEmpty),
    stop('apple-format', (walker) =>
      walker.connect({
        'form.apple_account': 'ada@icloud.example',
        'form.app_password': 'My usual password 1',
      }),
    ),
  ],
};

const google: Chapter = {
  name: 'google',
  stops: [
    stop('selection-cancelled', async (walker) => {
      await walker.start({ parameters: { scope: 'read' } });
      await walker.signInToGoogle({ decision: 'cancel' });
    }),
    stop('selection-unpermitted', (walker) => walker.signInToGoogle({ decision: 'untick' })),
    stop('selection-google', (walker) => walker.signInToGoogle()),
    stop('selection-more-needed', (walker) => walker.start({ parameters: { scope: 'read-write' } })),
    stop('error-misconfigured', async (walker) => {
      await walker.start({ application: walker.site.applications.misconfigured });
      await walker.signInToGoogle();
    }),
  ],
};

const microsoft: Chapter = {
  name: 'microsoft',
  stops: [
    stop('error-unavailable', async (walker) => {
      await walker.start();
      await walker.signInToMicrosoft(adaIn(walker.language));
    }),
    stop(
      'error-administrator',
      async (walker) => {
        await walker.start();
        await walker.signInToMicrosoft(eveIn(walker.language));
      },
      { withScripts: true },
    ),
    stop('administrator-allowed', (walker) =>
      walker.open(`/connect/microsoft/callback?admin_consent=True&lng=${walker.language}`),
    ),
  ],
};

const errors: Chapter = {
  name: 'errors',
  stops: [
    ...(
      [
        ['error-client', 'client_id=nobody'],
        ['error-missing', ''],
        ['error-invalid', 'user_id=ada&code_challenge=short&code_challenge_method=S256'],
        ['error-scope', 'user_id=ada&scope=everything'],
      ] as const
    ).map(([name, query]) =>
      stop(name, (walker) => {
        const { clientId } = walker.site.applications.plain;
        // The first of a repeated parameter counts.
        const parameters = `${query}&client_id=${clientId}&lng=${walker.language}`;
        return walker.open(`/authorize?${parameters}`);
      }),
    ),
    stop('error-expired', async (walker) => {
      await walker.start();
      walker.browser.cookies.clear();
      await walker.open(walker.page.url);
    }),
    stop('error-request-uri', (walker) => {
      const { clientId } = walker.site.applications.plain;
      const parameters = `request_uri=urn:ietf:params:oauth:request_uri:x&client_id=${clientId}`;
      return walker.open(`/authorize?${parameters}&lng=${walker.language}`);
    }),
    stop('error-push-required', (walker) => walker.start({ application: walker.site.applications.pushing })),
    stop('error-foreign-form', async (walker) => {
      await walker.start();
      await walker.press('cancel', {}, { forged: { token: 'x' } });
    }),
    stop('error-not-offered', async (walker) => {
      await walker.start({ parameters: { providers: 'caldav' } });
      await walker.open(`/connect/google?transaction=${walker.transaction}`);
    }),
  ],
};

const looks: Chapter = {
  name: 'looks',
  stops: [
    stop('nameless-selection', (walker) => walker.start({ application: walker.site.applications.nameless })),
    stop('hostile-selection', (walker) => walker.start({ application: walker.site.applications.hostile })),
    unfolded('verification-means', '.caution'),
    stop('hostile-linked', (walker) => walker.linkCalDav()),
    stop('hostile-consent', async (walker) => {
      await walker.linkCalDav(loginOf(walker.site.calendars, 'grace'));
      await walker.press('selection.continue');
    }),
    stop('branded-selection', (walker) => walker.start({ application: walker.site.applications.branded })),
    stop('branded-form', (walker) => walker.openServerForm()),
    stop('branded-linked', (walker) => walker.signInToCalDav(walker.login)),
    stop('branded-consent', async (walker) => {
      await walker.linkCalDav(loginOf(walker.site.calendars, 'grace'));
      await walker.press('selection.continue');
    }),
    unfolded('language-menu', '.menu'),
    stop('branded-error', async (walker) => {
      const { branded } = walker.site.applications;
      await walker.start({ application: branded, parameters: { providers: 'caldav' } });
      await walker.open(`/connect/google?transaction=${walker.transaction}`);
    }),
  ],
};

export const CHAPTERS: readonly Chapter[] = [
  caldav,
  address,
  returning,
  waiting,
  masked,
  limit,
  disconnecting,
  popup,
  scopes,
  apple,
  google,
  microsoft,
  errors,
  looks,
  ...TROUBLES,
];

/** Goes through `chapters` and calls `visit` while the page of each stop is open. Each tour has its own users. */
export async function takeTour(
  walker: Walker,
  visit: (stop: Stop) => Promise<void>,
  chapters: readonly Chapter[] = CHAPTERS,
): Promise<void> {
  tours += 1;
  // Other tours begin while this one is under way.
  const tour = tours;
  for (const chapter of chapters) {
    walker.userId = `${chapter.name}-${tour}`;
    for (const next of chapter.stops) {
      await next.reach(walker).catch((reason: unknown) => {
        const where = `${walker.language}, ${next.name}, at ${walker.page.url}`;
        throw new Error(`The tour does not get there: ${where}`, { cause: reason });
      });
      await visit(next);
    }
  }
}

let tours = 0;
