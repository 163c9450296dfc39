import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { withDetails } from './event-details.ts';
import { parseEventResource } from './event-resource.ts';

const ADDRESS = 'https://meet.example.com/a;b,c?d=%2C';
const WRITTEN = 'https://meet.example.com/a%3Bb%2Cc?d=%2C';
const event = ['UID:one', 'DTSTART:20261105T120000Z'];

const conferenceIn = (lines: readonly string[]): string | undefined => {
  const icalendar = ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', ...lines, 'END:VEVENT', 'END:VCALENDAR'].join('\r\n');
  return parseEventResource({ href: '/cal/one.ics', etag: undefined, icalendar }).events[0]?.conference;
};

describe('the address of a conference', () => {
  it('a conference is read as it was written, also on an event with another URL', () => {
    const alone = withDetails(event, { conference: ADDRESS });
    const besideAnother = withDetails([...event, 'URL:https://example.com/agenda'], { conference: ADDRESS });

    assert.equal(conferenceIn(alone), ADDRESS);
    assert.equal(conferenceIn(besideAnother), ADDRESS);
  });

  it('a conference is written without commas and semicolons, which some servers read as lists', () => {
    const lines = withDetails(event, { conference: ADDRESS });

    assert.ok(lines.some((line) => line.startsWith('CONFERENCE;') && line.endsWith(`:${WRITTEN}`)));
  });

  it('a conference that another program changed is read as changed', () => {
    const changed = withDetails([...event, 'URL:https://example.com/agenda'], { conference: ADDRESS }).map(
      (line) => line.replace(`:${WRITTEN}`, ':https://meet.example.com/new'),
    );

    assert.equal(conferenceIn(changed), 'https://meet.example.com/new');
  });
});
