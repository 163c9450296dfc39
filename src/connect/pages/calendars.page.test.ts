import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { sampleAccount, sampleAppearance, sampleRequest } from '../../../test/harness/page-samples.ts';
import { type CalendarChoice, type CalendarsForm, calendarsPage } from './calendars.page.ts';

const WORK: CalendarChoice = { calendarKey: 'work', title: 'Work', color: '#1f4fd8', isChosen: true };
const renderForm = (change: Partial<CalendarsForm>): string => {
  const form = { request: sampleRequest, account: sampleAccount, onlyThese: false, calendars: [WORK] };
  return calendarsPage({ ...form, ...change }, sampleAppearance).document.markup;
};

describe('the selection of calendars', () => {
  it('checks only the selected calendars', () => {
    const left = { ...WORK, calendarKey: 'left', isChosen: false };

    const markup = renderForm({ calendars: [WORK, left] });

    assert.match(markup, /name="calendar" value="work" checked>/);
    assert.match(markup, /name="calendar" value="left">/);
  });

  it('says whether calendars that appear later are included', () => {
    assert.match(renderForm({ onlyThese: false }), /name="only_these" value="" checked>/);
    assert.match(renderForm({ onlyThese: true }), /name="only_these" value="yes" checked>/);
  });

  it('shows a color only if it is one', () => {
    const color = 'red" onload="alert(1)';

    const markup = renderForm({ calendars: [{ ...WORK, color }] });

    assert.doesNotMatch(markup, /onload|class="dot"/);
  });
});
