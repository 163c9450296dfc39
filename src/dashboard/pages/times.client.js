// Returns the distance of `at` from `now`, both in epoch milliseconds, or the empty text after seven days.
// The server imports this file, and pages contain its text.
export function relativeTime(at, now) {
  const seconds = Math.round(Math.abs(now - at) / 1000);
  if (seconds < 10) return 'just now';
  if (seconds > 7 * 86_400) return '';
  const amount =
    seconds < 60
      ? `${seconds} s`
      : seconds < 3_600
        ? `${Math.floor(seconds / 60)} min`
        : seconds < 86_400
          ? `${Math.floor(seconds / 3_600)} h`
          : `${Math.floor(seconds / 86_400)} d`;
  return at > now ? `in ${amount}` : `${amount} ago`;
}
