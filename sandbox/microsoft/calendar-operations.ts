/** /me, /me/mailboxSettings, /me/calendars: the account and its calendars. */
import type { Calendar, User } from '@microsoft/microsoft-graph-types';

import type { SandboxAnswer } from '../core/sandbox-server.ts';
import { accessDenied } from './graph-error.ts';
import { type GraphCall, jsonAnswer } from './graph-request.ts';
import { windowsNameOf } from './graph-time.ts';
import { changeKeyOf, type StoredCalendar } from './mailbox.ts';
import { calendarOf } from './mailbox-store.ts';
import { allowedProviders } from './online-meeting.ts';
import { allowOnly, pageOf, selected } from './page.ts';
import { maySeeShared, mayWrite } from './permission.ts';

export function answerMe(call: GraphCall): SandboxAnswer {
  if (!call.permissions.includes('User.Read')) throw accessDenied();
  const { email, name, oid } = call.account;
  const user: User = {
    id: oid,
    displayName: name,
    mail: email,
    userPrincipalName: email,
    givenName: name.split(' ')[0] ?? name,
    surname: name.split(' ').slice(1).join(' '),
    businessPhones: [],
    jobTitle: null,
    mobilePhone: null,
    officeLocation: null,
    preferredLanguage: null,
  };
  return jsonAnswer(
    selected({ '@odata.context': contextOf(call, 'users/$entity'), ...user }, call.request.url.searchParams),
    call,
  );
}

export function answerMailboxSettings(call: GraphCall): SandboxAnswer {
  if (!call.permissions.includes('MailboxSettings.Read')) throw accessDenied();
  return jsonAnswer({ timeZone: windowsNameOf(call.account.mailbox.timeZone) }, call);
}

export function answerCalendars(call: GraphCall): SandboxAnswer {
  const { searchParams } = call.request.url;
  allowOnly(searchParams, ['$top', '$skip', '$select']);
  // Without a .Shared permission, calendars that others shared are not listed. No source confirms that.
  const calendars = [...call.account.mailbox.calendars.values()].filter(
    ({ sharedBy }) => sharedBy === undefined || maySeeShared(call.permissions),
  );
  const { items, nextLink } = pageOf(calendars, call);
  return jsonAnswer(
    {
      '@odata.context': contextOf(call, `users('${call.account.oid}')/calendars`),
      ...(nextLink === undefined ? {} : { '@odata.nextLink': nextLink }),
      value: items.map((calendar) => selected(calendarResource(calendar, call), searchParams)),
    },
    call,
  );
}

export function answerCalendar(call: GraphCall): SandboxAnswer {
  const calendar = calendarOf(call.account, call.parts.calendarId);
  const context = contextOf(call, `users('${call.account.oid}')/calendars/$entity`);
  return jsonAnswer(
    selected(
      { '@odata.context': context, ...calendarResource(calendar, call) },
      call.request.url.searchParams,
    ),
    call,
  );
}

function calendarResource(calendar: StoredCalendar, { account, permissions }: GraphCall): Calendar {
  const { id, name, hexColor, canEdit, isDefault, sharedBy, change } = calendar;
  const providers = allowedProviders(account);
  return {
    id,
    name,
    color: calendar.color ?? 'auto',
    hexColor,
    isDefaultCalendar: isDefault,
    changeKey: changeKeyOf(change),
    canShare: sharedBy === undefined,
    canViewPrivateItems: true,
    // This is the user's permission, whatever the token allows. No source confirms that.
    canEdit: canEdit && (sharedBy === undefined || mayWrite(permissions)),
    allowedOnlineMeetingProviders: providers,
    defaultOnlineMeetingProvider: providers[0] ?? 'unknown',
    isTallyingResponses: isDefault,
    isRemovable: !isDefault,
    owner: sharedBy ?? { name: account.name, address: account.email },
  };
}

export const contextOf = ({ view }: GraphCall, what: string): string =>
  `${view.origin}/v1.0/$metadata#${what}`;
