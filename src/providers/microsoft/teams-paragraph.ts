/**
 * The paragraph that an online meeting puts into the text of its event: how to join, between two lines of underscores. A
 * copy of the event has another meeting, and so another paragraph.
 */

/** How many underscores make such a line; published examples have eighty. */
const LINE = /_{40,}/g;
/** What it links to: the meeting, or the help of whoever joins it. */
const JOINS = /\/\/(?:teams\.microsoft\.com|teams\.live\.com|join\.skype\.com|aka\.ms\/JoinTeamsMeeting)/i;

type Place = { readonly from: number; readonly to: number };

/** The HTML with `replacement` in the place of the paragraph; as it is where none can be told. */
export function withTeamsParagraph(html: string, replacement: string): string {
  const place = placeOfParagraph(html);
  return place === undefined ? html : html.slice(0, place.from) + replacement + html.slice(place.to);
}

/** The paragraph itself; empty where none can be told. */
export function teamsParagraphIn(html: string): string {
  const place = placeOfParagraph(html);
  return place === undefined ? '' : html.slice(place.from, place.to);
}

/** From the element of the first line to the end of that of the second. */
function placeOfParagraph(html: string): Place | undefined {
  const lines = [...html.matchAll(LINE)];
  for (const [index, line] of lines.entries()) {
    const next = lines[index + 1];
    if (next === undefined || !JOINS.test(html.slice(line.index, next.index))) continue;
    const from = html.lastIndexOf('<div', line.index);
    const end = html.indexOf('</div>', next.index);
    return from === -1 || end === -1 ? undefined : { from, to: end + '</div>'.length };
  }
  return undefined;
}
