/** POST /me/calendar/getSchedule: when colleagues are busy. Personal accounts have no colleagues. */
import type { FreeBusyStatus, ScheduleInformation } from '@microsoft/microsoft-graph-types';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

import { SandboxRefusal } from '../core/sandbox-refusal.ts';
import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { contextOf } from './calendar-operations.ts';
import { type Account, isPersonal } from './directory.ts';
import { type GraphCall, type GraphDeps, jsonAnswer, jsonBody } from './graph-request.ts';
import { graphDate, graphTime, instantOfTime, readTime, windowsNameOf } from './graph-time.ts';
import { type EventInstance, instancesOf } from './series-instances.ts';

const Time = Type.Object({ dateTime: Type.String(), timeZone: Type.String() });
const ScheduleRequest = Type.Object({
  schedules: Type.Array(Type.String(), { minItems: 1, maxItems: 20 }),
  startTime: Time,
  endTime: Time,
  availabilityViewInterval: Type.Optional(Type.Integer({ minimum: 5, maximum: 1440 })),
});

/** No source confirms that views are at most 62 days long. */
const LONGEST = 62 * 86_400_000;
const DIGITS: Readonly<Record<FreeBusyStatus, string>> = {
  free: '0',
  tentative: '1',
  busy: '2',
  oof: '3',
  workingElsewhere: '4',
  unknown: '?',
};

export function answerSchedule(call: GraphCall, deps: GraphDeps): SandboxAnswer {
  if (isPersonal(call.account)) {
    // No source confirms the code.
    throw new SandboxRefusal(
      403,
      'ErrorAccessDenied',
      'getSchedule is not supported for personal Microsoft accounts.',
    );
  }
  const body = jsonBody(call.request);
  if (!Value.Check(ScheduleRequest, body))
    throw new SandboxRefusal(400, 'ErrorInvalidRequest', 'schedules, startTime and endTime are needed.');
  const start = instantOfTime(readTime('startTime', body.startTime));
  const end = instantOfTime(readTime('endTime', body.endTime));
  if (end <= start || end - start > LONGEST) {
    throw new SandboxRefusal(
      400,
      'ErrorInvalidRequest',
      'The requested time duration must be positive and at most 62 days.',
    );
  }
  const interval = (body.availabilityViewInterval ?? 30) * 60_000;
  const value = body.schedules.map((email): ScheduleInformation => {
    const account = deps.findAccount(email);
    if (account === undefined || account.tenant !== call.account.tenant) {
      const error = {
        message: 'The recipient could not be resolved.',
        responseCode: 'ErrorMailRecipientNotFound',
      };
      return { scheduleId: email, availabilityView: '', scheduleItems: [], error };
    }
    return information({ email, account }, { start, end, interval }, call);
  });
  return jsonAnswer(
    { '@odata.context': contextOf(call, 'Collection(microsoft.graph.scheduleInformation)'), value },
    call,
  );
}

function information(
  { email, account }: { readonly email: string; readonly account: Account },
  { start, end, interval }: { readonly start: number; readonly end: number; readonly interval: number },
  { view, account: reader }: GraphCall,
): ScheduleInformation {
  const calendar = [...account.mailbox.calendars.values()].find(({ isDefault }) => isDefault);
  const instances = [...(calendar?.events.values() ?? [])]
    .flatMap((event) => instancesOf(event, { start, end }))
    .sort((a, b) => a.start - b.start);
  const statusAt = (from: number) => {
    const here = instances.filter((one) => one.start < from + interval && one.end > from).map(statusOf);
    return DIGITS[here.toSorted((a, b) => DIGITS[b].localeCompare(DIGITS[a]))[0] ?? 'free'];
  };
  const slots = Math.ceil((end - start) / interval);
  const scheduleItems = instances.map((instance) => {
    const { isAllDay, sensitivity, subject } = { ...instance.event.content, ...instance.exception?.content };
    const isPrivate = sensitivity === 'private';
    const timeOf = isAllDay ? graphDate : graphTime;
    return {
      isPrivate,
      status: statusOf(instance),
      // A colleague's view of another calendar depends on sharing. No source confirms that the owner sees everything.
      ...(account === reader || !isPrivate ? { subject: subject ?? '' } : {}),
      start: timeOf(instance.start, view.zoneName),
      end: timeOf(instance.end, view.zoneName),
    };
  });
  const availabilityView = Array.from({ length: slots }, (_, slot) => statusAt(start + slot * interval)).join(
    '',
  );
  return { scheduleId: email, availabilityView, scheduleItems, workingHours: workingHours(account) };
}

/** The working hours in the zone of the mailbox. No source confirms that this zone is the default. */
const workingHours = ({ mailbox }: Account): NonNullable<ScheduleInformation['workingHours']> => ({
  daysOfWeek: ['monday', 'tuesday', 'wednesday', 'thursday', 'friday'],
  startTime: '08:00:00.0000000',
  endTime: '17:00:00.0000000',
  timeZone: { name: windowsNameOf(mailbox.timeZone) },
});

const statusOf = ({ event, exception }: EventInstance): FreeBusyStatus =>
  exception?.content.showAs ?? event.content.showAs ?? 'busy';
