/** The guests of a request (wire 1.8): e-mail addresses, or objects that name one. */
import type { Attendee } from '../calendars/event.ts';
import { asObject, type Fields, problemOfText } from './fields.ts';

const STATUSES = ['accepted', 'declined', 'tentative', 'none'] as const;
const MOST_ATTENDEES = 1_000;
const LONGEST_EMAIL = 320;
const LONGEST_NAME = 500;
/** Enough to keep out what is no address; whether it reaches anybody only the provider knows. */
const EMAIL = /^[^\s@<>,;:"()[\]\\]+@[^\s@<>,;:"()[\]\\]+$/u;

/** Each address once, as first named; `undefined` when the field is absent. */
export function attendeesInput(fields: Fields): readonly Attendee[] | undefined {
  const values = fields.list('attendees');
  if (values === undefined) return undefined;
  if (values.length > MOST_ATTENDEES) {
    return fields.mistake('attendees', `must not be more than ${MOST_ATTENDEES.toLocaleString('en')}`);
  }
  const attendees = new Map<string, Attendee>();
  for (const [at, value] of values.entries()) {
    const attendee = attendeeOf(value);
    if ('problem' in attendee) fields.mistake('attendees', `[${at}] ${attendee.problem}`);
    else if (!attendees.has(attendee.email.toLowerCase()))
      attendees.set(attendee.email.toLowerCase(), attendee);
  }
  return [...attendees.values()];
}

function attendeeOf(value: unknown): Attendee | { readonly problem: string } {
  const members = typeof value === 'string' ? { email: value } : asObject(value);
  const { email, name, status, organizer }: Readonly<Record<string, unknown>> = members ?? {};
  const address = typeof email === 'string' ? email.trim().replace(/^mailto:/i, '') : '';
  if (!EMAIL.test(address) || problemOfText(address, LONGEST_EMAIL) !== undefined) {
    return { problem: 'must be an e-mail address, or an object with one as email' };
  }
  const isName = typeof name === 'string' && problemOfText(name, LONGEST_NAME) === undefined;
  if (name !== undefined && name !== null && !isName)
    return { problem: 'has a name that is no text to keep' };
  const known = STATUSES.find((one) => one === status);
  if (status !== undefined && status !== null && status !== '' && known === undefined) {
    return { problem: `has a status that is none of ${STATUSES.join(', ')}` };
  }
  return {
    email: address,
    ...(isName && name !== '' ? { name } : {}),
    status: known ?? 'none',
    ...(organizer === true ? { organizer } : {}),
  };
}
