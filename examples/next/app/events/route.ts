/** Writes an event. */
import { AccountNeedsReconnect, ReauthorizationRequired } from '@kalends/client';

import { calendarsOf } from '../../lib/calendars';
import { currentSession } from '../../lib/session';

/** Takes the page's form. */
export async function POST(request: Request) {
  const form = await request.formData();
  const title = form.get('title');
  const start = new Date(`${form.get('start')}Z`);
  if (typeof title !== 'string' || title === '' || Number.isNaN(start.getTime()))
    return new Response('A title and a start, please.', { status: 400 });
  const current = await currentSession();
  // The page offers to connect.
  if (current === undefined) return toPage();
  const mine = calendarsOf(current.session.userId);
  try {
    const { calendars } = await mine.calendars();
    const place = calendars.find(({ access }) => access === 'write');
    if (place === undefined)
      return new Response('None of your calendars can be written to.', { status: 409 });
    const end = new Date(start.getTime() + 3_600_000);
    await mine.createEvent({ provider: place.provider, calendarId: place.id }, { title, start, end });
    return toPage();
  } catch (error) {
    // The page offers to reconnect the account, or to connect again.
    if (error instanceof AccountNeedsReconnect || error instanceof ReauthorizationRequired) return toPage();
    console.error(error);
    return new Response('That did not work. Please try again.', { status: 502 });
  }
}

const toPage = () => new Response(null, { status: 303, headers: { location: '/' } });
