/** docs/log-events.md, from the table of log events. */
import { ACCESS_EVENTS } from '../src/lib/log-events/access-events.ts';
import { CALENDAR_EVENTS } from '../src/lib/log-events/calendar-events.ts';
import type { LogEvent } from '../src/lib/log-events/log-event.ts';
import { LOG_FIELDS } from '../src/lib/log-events/log-fields.ts';
import { PROGRAM_EVENTS } from '../src/lib/log-events/program-events.ts';

const SECTIONS: readonly (readonly [title: string, events: Readonly<Record<string, LogEvent>>])[] = [
  ['Access', ACCESS_EVENTS],
  ['Calendars', CALENDAR_EVENTS],
  ['The program', PROGRAM_EVENTS],
];

export function logEventsDocument(): string {
  const fields = Object.entries(LOG_FIELDS).map(([name, meaning]) => `| \`${name}\` | ${meaning} |`);
  return `# Log events

Look up the \`event\` of a log line on this page to learn when it is written and what to do. Every line of the [log](operations.md#logs) is one
JSON document. The names of events do not change; the sentence in \`msg\` may. Set an alert for lines of level \`error\`, and for events whose
entry says "if frequent". No line contains a token, code, secret, password or title of an event. \`userId\` and \`calendar\` can be email addresses.
${SECTIONS.map(([title, events]) => sectionOf(title, events)).join('')}
## Fields

In addition, each line has \`level\` (10 \`trace\`, 20 \`debug\`, 30 \`info\`, 40 \`warn\`, 50 \`error\`), \`time\` in epoch milliseconds, and \`msg\`.
Lines of sampled [traces](operations.md#traces) also have \`trace_id\` and \`span_id\`.

| Field | Meaning |
| --- | --- |
${fields.join('\n')}

This page is generated from \`src/lib/log-events/\` by \`npm run docs\`.
`;
}

function sectionOf(title: string, events: Readonly<Record<string, LogEvent>>): string {
  const rows = Object.entries(events).map(([name, { level, when, act, fields }]) => {
    const fieldList = fields.map((field) => `\`${field}\``).join(', ');
    return `| \`${name}\` | \`${level}\` | ${when} | ${act ?? '–'} | ${fieldList} |`;
  });
  return `
## ${title}

| \`event\` | Level | When | What to do | Fields |
| --- | --- | --- | --- | --- |
${rows.join('\n')}
`;
}
