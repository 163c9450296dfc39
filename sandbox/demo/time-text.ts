/** Times as the demo's pages show them, in the zone of this machine. */

const TIME = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
});
const CLOCK = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Formats epoch milliseconds: `Tue, 13 Oct, 11:30`. */
export const timeText = (ms: number): string => TIME.format(ms);

/** Formats the time of day of epoch milliseconds: `11:30:07`. */
export const clockText = (ms: number): string => CLOCK.format(ms);
