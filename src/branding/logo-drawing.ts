/** Draws logos for a server, one at a time: the program that draws one may take much memory (draw-logo.ts). */
import { ApiError } from '../http/refusal.ts';
import type { LogoImage } from './branding-store.ts';
import { logoImage } from './logo-image.ts';
import { SETTINGS } from './settings-error.ts';

/** As `logoImage`; throws ApiError 503 too, where others wait already. */
export type LogoDrawing = (bytes: Uint8Array, name: string) => Promise<LogoImage>;

/** One takes ten seconds at most: who would be behind them can as well come back. */
const MOST_WAITING = 4;

/** Which is drawn next is the order in which they came. */
export function logoDrawing(draw: LogoDrawing = logoImage): LogoDrawing {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (bytes, name) => {
    if (waiting > MOST_WAITING) {
      const message = `The ${name} cannot be drawn now: others are being drawn. Try again in a minute`;
      throw new ApiError(SETTINGS.too_many_pictures, message);
    }
    waiting += 1;
    const drawn = last
      .then(() => draw(bytes, name))
      .finally(() => {
        waiting -= 1;
      });
    // What becomes of one is no matter to the next.
    last = drawn.catch(() => undefined);
    return drawn;
  };
}
