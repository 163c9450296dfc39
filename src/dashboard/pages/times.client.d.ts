/** The types of times.client.js. */
export declare function relativeTime(at: number, now: number): string;
