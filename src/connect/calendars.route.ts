/** Selects the calendars of an account that the application gets. By default it gets all. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { seeOther } from '../http/page.ts';
import { formField, formValues } from '../http/page-form.ts';
import { scalar } from '../http/received-query.ts';
import { CHOICE_BYTES } from '../http/sizes.ts';
import { manageableAccount } from './accounts/account-views.ts';
import type { ConnectDeps } from './flow/connect-deps.ts';
import type { PageVisit } from './flow/connect-flow.ts';
import { selectionPath } from './flow/paths.ts';
import { calendarsPage } from './pages/calendars.page.ts';
import { loadAppearance, openPage, readForm, showPage } from './visit.ts';

/** GET and POST /connect/calendars. */
export function calendarsRoutes(app: FastifyInstance, deps: ConnectDeps): void {
  app.get('/connect/calendars', async (http, reply) => {
    const page = await openPage(http, deps);
    const { visit, request } = page;
    const choice = await findCalendarChoice(page, scalar(visit.query, 'account'), deps);
    if (choice === undefined) return seeOther(reply, selectionPath(request));
    const appearance = await loadAppearance(http, request, deps);
    return showPage(reply, calendarsPage({ request, ...choice }, appearance), { request });
  });

  app.post('/connect/calendars', { bodyLimit: CHOICE_BYTES }, async (http, reply) => {
    const form = await readForm(http, deps);
    const choice = await findCalendarChoice(form, form.field('account'), deps);
    if (choice !== undefined) await choose(http, choice, deps);
    return seeOther(reply, selectionPath(form.request, 'calendars_chosen'));
  });
}

/** Returns `undefined` if the account is gone or not proved here, or if its calendars are not known yet. */
async function findCalendarChoice(page: PageVisit, accountKey: string | undefined, deps: ConnectDeps) {
  const account = await manageableAccount(page, accountKey, deps);
  if (!account?.isProved) return undefined;
  const choice = await deps.calendarChoices.chosenCalendars(account.accountKey);
  return choice && { account, ...choice };
}

async function choose(http: FastifyRequest, { account, calendars }: Choice, deps: ConnectDeps) {
  const displayedKeys = formValues(http.body, 'shown');
  // A calendar that appeared after the page was rendered does not change.
  const unseen = calendars.filter(
    ({ calendarKey, isChosen }) => isChosen && !displayedKeys.includes(calendarKey),
  );
  const chosen = [
    ...formValues(http.body, 'calendar'),
    ...(displayedKeys.length === 0 ? [] : unseen.map(({ calendarKey }) => calendarKey)),
  ];
  const onlyThese = formField(http.body, 'only_these') === 'yes';
  await deps.calendarChoices.chooseCalendars(account.accountKey, { chosen, onlyThese }, deps.now());
}

type Choice = NonNullable<Awaited<ReturnType<typeof findCalendarChoice>>>;
