/** Texts as Microsoft's documentation and its users show them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';

import { readTeamsParagraph, withTeamsParagraph } from './copy-later.ts';

const LINE = '_'.repeat(80);
const URL = 'https://teams.microsoft.com/l/meetup-join/19%3ameeting_ODky%40thread.v2/0';
/** The form of 2019: the lines are beside the paragraph. */
const OLDER = `<div style="width:100%; height:20px"><span style="opacity:.36">${LINE}</span>\r
</div>\r
<div class="me-email-text" style="color:#252424">\r
<div style="margin-top:24px"><a class="me-email-headline" href="${URL}">Join\r
 Microsoft Teams Meeting</a> </div>\r
</div>\r
<div style="width:100%; height:20px"><span style="opacity:.36">${LINE}</span>\r
</div>`;
/** The form of 2024: the lines are within it. */
const NEWER = `<div aria-hidden="true" style="overflow:hidden">\r
${LINE}</div>\r
<div><a href="https://aka.ms/JoinTeamsMeeting?omkt=en-US">Need help?</a> </div>\r
<div><a href="${URL}" class="me-email-headline">Join the meeting now</a> </div>\r
<div aria-hidden="true" style="overflow:hidden">\r
${LINE}</div>`;

describe('the paragraph of a Teams meeting', () => {
  for (const [form, paragraph] of Object.entries({ older: OLDER, newer: NEWER }))
    it(`finds and replaces the paragraph of a Teams meeting in its ${form} form`, () => {
      const text = (part: string) =>
        `<html><body>\r\n<div>Agenda</div>\r\n<div class="me-email-text">${part}\r\n</div>\r\n</body></html>`;

      assert.equal(readTeamsParagraph(text(paragraph)), paragraph);
      assert.equal(withTeamsParagraph(text(paragraph), ''), text(''));
      assert.equal(withTeamsParagraph(text(paragraph), '<div>New</div>'), text('<div>New</div>'));
    });

  it('does not change a text without a Teams paragraph between two lines', () => {
    for (const text of [
      '',
      `<div>${LINE}</div><div>Minutes</div><div>${LINE}</div>`,
      `<div>${LINE}</div><a href="${URL}">Join</a>`,
      `${LINE}<a href="${URL}">Join</a>${LINE}`,
    ])
      assert.equal(withTeamsParagraph(text, 'X'), text);
  });

  it('takes only the lines around the Teams meeting, not other lines of the text', () => {
    const before = `<div>${LINE}</div><div>Minutes</div>`;

    assert.equal(withTeamsParagraph(`${before}${OLDER}<p>After</p>`, ''), `${before}<p>After</p>`);
  });
});
