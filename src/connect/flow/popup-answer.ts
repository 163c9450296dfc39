/** The end of a flow in a popup (OpenID Connect Core 1.0 §3.1.2.1, `display=popup`). See docs/popup.md. */
import type { AuthorizationRequest } from './authorization-request-store.ts';
import { answerParameters, answerUrl, type UserAnswer, webOriginOf } from './paths.ts';

export type PopupAnswer = {
  readonly answer: UserAnswer;
  /** The redirect URI with the response, if there is no page to receive the message. */
  readonly url: string;
  /** The only origin that gets the message (docs/security.md T9), of the redirect URI. Installed apps have none. */
  readonly origin: string | undefined;
  readonly message: Readonly<Record<string, string>>;
};

export function popupAnswer(request: AuthorizationRequest, answer: UserAnswer): PopupAnswer {
  const { redirectUri, state } = request;
  const url = answerUrl(request, answer);
  const message = {
    type: 'kalends:authorization',
    ...answerParameters(request, answer),
    // Decoded, as an application reads it from a redirect.
    ...(state !== undefined && { state: new URLSearchParams(`state=${state}`).get('state') ?? '' }),
    redirect_uri: url,
  };
  return { answer, url, origin: webOriginOf(redirectUri), message };
}
