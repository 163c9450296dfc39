/** Events of an hour, as people make them in the sandbox's Google. */
import type { EventDraft } from '../../../sandbox/core/provider-sandbox.ts';

export const BRUSSELS = 'Europe/Brussels';

export const draft = (title: string, date = '2026-11-23', more: Partial<EventDraft> = {}): EventDraft => ({
  title,
  start: { dateTime: `${date}T09:00:00`, timeZone: BRUSSELS },
  end: { dateTime: `${date}T10:00:00`, timeZone: BRUSSELS },
  ...more,
});
/** Six Mondays over the end of summer time. */
export const weekly = (title: string) =>
  draft(title, '2026-10-12', { recurrence: { frequency: 'weekly', count: 6 } });
