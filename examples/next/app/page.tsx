/** The one page: before an account is connected, and after. React escapes what is put in: titles are other people's text. */
import { type AccountOfProvider, type CalendarEvent, ReauthorizationRequired } from '@kalends/client';

import { calendarsOf } from '../lib/calendars';
import { currentSession } from '../lib/session';
import { type Change, storage } from '../lib/storage';

/** Reads a cookie, so that it is made anew for each request, and none is made by the build. */
export default async function Page() {
  const userId = (await currentSession())?.session.userId;
  if (userId === undefined || storage().tokensOf(userId) === undefined) return <Welcome />;
  const start = new Date();
  const end = new Date(start.getTime() + 28 * 86_400_000);
  try {
    const { events, errors = [] } = await calendarsOf(userId).eventsPage({ start, end });
    const broken = errors.filter(({ code }) => code === 'reauth_required');
    return <Agenda events={events} broken={broken} changes={storage().changesOf(userId)} />;
  } catch (error) {
    if (error instanceof ReauthorizationRequired)
      return <Welcome notice="Please connect your calendar again." />;
    console.error(error);
    return <Welcome notice="That did not work. Please try again." />;
  }
}

function Welcome({ notice = '' }: { readonly notice?: string }) {
  return (
    <>
      <p>{notice}</p>
      {/* No <Link>: Next.js would follow it before anybody presses it, and /connect begins something. */}
      <p>
        <a href="/connect">Connect a calendar</a>
      </p>
    </>
  );
}

type AgendaProps = {
  readonly events: readonly CalendarEvent[];
  /** The accounts that need reconnecting. */
  readonly broken: readonly AccountOfProvider[];
  readonly changes: readonly Change[];
};

function Agenda({ events, broken, changes }: AgendaProps) {
  return (
    <>
      {broken.map(({ provider, account }) => (
        <p key={`${provider} ${account}`}>
          <a href={`/connect?${new URLSearchParams({ provider, account })}`}>{`Reconnect ${account}`}</a>
        </p>
      ))}
      <ul>
        {events.map(({ id, start, title }) => (
          <li key={`${start} ${id}`}>{`${start.slice(0, 16)} ${title}`}</li>
        ))}
      </ul>
      <form method="post" action="/events">
        <p>
          <label htmlFor="title">Title</label> <input id="title" name="title" required />
        </p>
        <p>
          <label htmlFor="start">Start (UTC)</label>{' '}
          <input id="start" name="start" type="datetime-local" required />
        </p>
        <button type="submit">Add</button>
      </form>
      <h2>Changes</h2>
      <ul>
        {changes.map(({ id, text }) => (
          <li key={id}>{text}</li>
        ))}
      </ul>
    </>
  );
}
