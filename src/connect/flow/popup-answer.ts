/**
 * The end of a flow in a window of its own (OpenID Connect Core 1.0 §3.1.2.1, `display=popup`): what the page that
 * opened it is told, and which page that may be. See docs/popup.md.
 */
import type { AuthorizationRequest } from './authorization-request-store.ts';
import { answerParameters, answerUrl, type UserAnswer, webOriginOf } from './paths.ts';

export type PopupAnswer = {
  readonly answer: UserAnswer;
  /** The redirect URI with the answer: the way back without a page to tell. */
  readonly url: string;
  /**
   * Whose pages alone are told (docs/security.md T9): the registered redirect URI's origin. `undefined` for
   * an installed app, which has no pages.
   */
  readonly origin: string | undefined;
  readonly message: Readonly<Record<string, string>>;
};

/** What a redirect would carry, in a message. */
export function popupAnswer(request: AuthorizationRequest, answer: UserAnswer): PopupAnswer {
  const { redirectUri, state } = request;
  const url = answerUrl(request, answer);
  const message = {
    type: 'kalends:authorization',
    ...answerParameters(request, answer),
    // Decoded, as an application reads it from the redirect's query.
    ...(state !== undefined && { state: new URLSearchParams(`state=${state}`).get('state') ?? '' }),
    redirect_uri: url,
  };
  return { answer, url, origin: webOriginOf(redirectUri), message };
}
