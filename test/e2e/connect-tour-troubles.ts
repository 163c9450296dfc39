/** The chapters of the tour in which something is slow, refused or broken, at a provider or here. */
import { MOST_STARTS, PROBLEMS, SLOWNESSES, UNLUCKY, UNWELCOME, userWith } from './connect-tour-site.ts';
import { type Chapter, stop } from './connect-tour-stop.ts';
import type { TourWalker as Walker } from './connect-tour-walker.ts';

/** Waits in the selection page, as a user does who loads it again. */
export async function reloadUntil(walker: Walker, isThere: (body: string) => boolean): Promise<void> {
  const { url } = walker.page;
  const deadline = performance.now() + 60_000;
  while (!isThere(walker.page.body)) {
    if (performance.now() > deadline) throw new Error('The page does not come to say what is awaited');
    await walker.open(url);
  }
}

const accounts: Chapter = {
  name: 'accounts',
  stops: [
    stop('selection-troubled', async (walker) => {
      await walker.start({ parameters: { scope: 'read' } });
      for (const problem of PROBLEMS)
        await walker.signInToGoogle({ email: userWith(walker.language, problem) });
      const texts = PROBLEMS.map((problem) => walker.text(`selection.${problem}`));
      await reloadUntil(walker, (body) => texts.every((word) => body.includes(word)));
    }),
    stop('consent-troubled', (walker) => walker.press('selection.continue')),
  ],
};

const loading: Chapter = {
  name: 'loading',
  stops: [
    stop('selection-loading', async (walker) => {
      await walker.start({ parameters: { scope: 'read' } });
      for (const slowness of SLOWNESSES) {
        await walker.signInToGoogle({ email: userWith(walker.language, slowness) });
      }
      const texts = [
        walker.text('selection.loading'),
        walker.text('selection.loading_some', { done: 0, count: 1 }),
      ];
      await reloadUntil(walker, (body) => texts.every((word) => body.includes(word)));
    }),
  ],
};

const passwords: Chapter = {
  name: 'passwords',
  stops: [
    stop('caldav-no-calendars', async (walker) => {
      const { emptyCalendars } = walker.site;
      await walker.start();
      await walker.linkCalDav(emptyCalendars);
    }),
    stop('apple-unauthorized', async (walker) => {
      await walker.start();
      await walker.press('selection.connect', { provider: 'Apple' });
      await walker.connect(APPLE_LOGIN);
    }),
    stop('apple-unavailable', async (walker) => {
      const { faults } = walker.site;
      const fault = faults.set({
        provider: 'icloud',
        user: APPLE_LOGIN['form.apple_account'],
        effect: { kind: 'status', status: 503 },
      });
      await walker.connect(APPLE_LOGIN);
      faults.clear(fault);
    }),
  ],
};

/** Well formed, and nobody's. */
const APPLE_LOGIN = {
  'form.apple_account': 'ada@icloud.example',
  'form.app_password': 'abcd-efgh-ijkl-mnop',
} as const;

const signIns: Chapter = {
  name: 'sign-ins',
  stops: [
    stop('error-sign-in-failed', async (walker) => {
      await walker.start();
      await walker.press('selection.connect', { provider: 'Google' });
      await walker.chooseAtGoogle({ code: 'another' });
    }),
    stop('error-sign-in-nobody', (walker) =>
      walker.open(`/connect/google/callback?error=access_denied&lng=${walker.language}`),
    ),
    stop('error-sign-in-replaced', async (walker) => {
      await walker.start();
      const selection = walker.page.url;
      await walker.press('selection.connect', { provider: 'Google' });
      const first = walker.page.url;
      await walker.open(selection);
      await walker.press('selection.connect', { provider: 'Google' });
      await walker.open(first);
      await walker.chooseAtGoogle();
    }),
  ],
};

const breakdown: Chapter = {
  name: UNLUCKY,
  stops: [
    stop('error-unexpected', async (walker) => {
      await walker.start();
      await walker.linkCalDav();
    }),
    stop('error-user-failed', (walker) => walker.start({ parameters: { user_id: UNWELCOME } })),
  ],
};

const crowd: Chapter = {
  name: 'crowd',
  stops: [
    stop('error-limit', async (walker) => {
      walker.standIn('crowd');
      for (let start = 0; start <= MOST_STARTS && walker.page.status !== 429; start++) await walker.start();
      walker.standIn('own');
    }),
  ],
};

export const TROUBLES: readonly Chapter[] = [accounts, loading, passwords, signIns, breakdown, crowd];
