/** Draws logos one at a time, because the program that draws one can take much memory (draw-logo.ts). */
import { ApiError } from '../http/refusal.ts';
import type { LogoImage } from './branding-store.ts';
import { logoImage } from './logo-image.ts';
import { SETTINGS } from './settings-error.ts';

/** Draws like `logoImage`. Also throws ApiError 503 if too many calls are waiting. */
export type LogoDrawing = (bytes: Uint8Array, name: string) => Promise<LogoImage>;

/** A drawing takes up to ten seconds: a caller behind more of them should try again later. */
const MOST_WAITING = 4;

export function logoDrawing(draw: LogoDrawing = logoImage): LogoDrawing {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (bytes, name) => {
    if (waiting > MOST_WAITING) {
      const message = `The ${name} cannot be rendered now because other logos are being rendered. Try again in a minute`;
      throw new ApiError(SETTINGS.too_many_pictures, message);
    }
    waiting += 1;
    const drawn = last
      .then(() => draw(bytes, name))
      .finally(() => {
        waiting -= 1;
      });
    // A failed drawing does not affect the next one.
    last = drawn.catch(() => undefined);
    return drawn;
  };
}
