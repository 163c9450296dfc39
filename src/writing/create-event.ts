/** POST /event: a new event or series (wire 1.8). */
import { createHash, randomBytes } from 'node:crypto';

import type { Grant } from '../oauth/grant.ts';
import { inTurn } from './calendar-turn.ts';
import { renderedEvent, writtenBody } from './event-answer.ts';
import { draftOf } from './event-draft.ts';
import { eventInput } from './event-input.ts';
import { fieldsOf } from './fields.ts';
import { calendarName, findCalendar } from './find-calendar.ts';
import { noEvent } from './latest-version.ts';
import { finishOpenSplits } from './run-split.ts';
import type { WriteDeps } from './write-deps.ts';
import { refusalOf } from './write-refusal.ts';

/** What is carried out, and for which account. */
export type Done = { readonly body: string; readonly accountKey: string };

/** `seed` is the same for every repetition of the request, and new for each other. Throws ApiError. */
export async function createEvent(body: unknown, grant: Grant, seed: string, deps: WriteDeps): Promise<Done> {
  const fields = fieldsOf(body);
  const name = calendarName(fields);
  const input = eventInput(fields, { whole: true });
  // The zone is not known yet; what is wrong whatever it is comes before the look for the calendar.
  fields.done();
  const chosen = await findCalendar(name, grant, deps);
  const { account, calendar } = chosen;
  const draft = draftOf(input, calendar.timeZone, fields);
  try {
    const event = await inTurn(account, calendar.calendarKey, deps, async (turn) => {
      await finishOpenSplits(turn, deps);
      const written = await turn.writing.create(calendar.href, draft, keyOf(seed));
      await turn.keep(written);
      const id = written.changed.find(({ seriesId }) => seriesId === undefined)?.eventId;
      return id === undefined ? undefined : renderedEvent(id, chosen, deps);
    });
    if (event === undefined) throw noEvent();
    return { body: writtenBody(event), accountKey: account.accountKey };
  } catch (reason) {
    throw refusalOf(reason, account);
  }
}

/** What the port wants as a key: 32 hex digits. */
export const keyOf = (seed: string): string => createHash('sha256').update(seed).digest('hex').slice(0, 32);

export const newSeed = (): string => randomBytes(16).toString('hex');
