/** The zone of a calendar: what its calendar-timezone property (RFC 4791 §5.2.2) names. */

/** An IANA name; undefined when the VTIMEZONE names no zone that is known. */
export function timeZoneOf(icalendar: string | undefined): string | undefined {
  const unfolded = (icalendar ?? '').replace(/\r?\n[ \t]/g, '');
  const name = (property: string) =>
    new RegExp(`^${property}(?:;[^:\\r\\n]*)?:(.+)$`, 'im').exec(unfolded)?.[1]?.trim();
  return [name('X-LIC-LOCATION'), name('TZID')].map(ianaZone).find((zone) => zone !== undefined);
}

function ianaZone(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined; // RangeError: not a zone.
  }
}
