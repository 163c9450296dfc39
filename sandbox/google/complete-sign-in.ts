/** Goes through the sign-in pages as a browser would, by their forms; for tests and scripts without a browser. */
import assert from 'node:assert/strict';

export type SignInChoices = {
  /** The account to pick in the chooser. */
  readonly email: string;
  /** Scopes to untick on the consent page. */
  readonly untick?: readonly string[];
};

/** The address the browser is sent back to. Rejects when the pages lead nowhere. */
export async function completeSignIn(url: URL, { email, untick = [] }: SignInChoices): Promise<URL> {
  let response = await fetch(url, { redirect: 'manual' });
  for (let page = 0; page < 2 && response.status === 200; page += 1) {
    const text = await response.text();
    const fields = new URLSearchParams();
    for (const [input] of text.matchAll(/<input[^>]*>/g)) {
      const value = attribute(input, 'value');
      const isTicked = /type="checkbox"/.test(input)
        ? /\bchecked\b/.test(input) && !untick.includes(value)
        : true;
      if (isTicked) fields.append(attribute(input, 'name'), value);
    }
    if (text.includes('name="account"')) {
      assert.ok(text.includes(`>${email}</button>`), `No button named ${email}`);
      fields.append('account', email);
    } else fields.append('decision', 'continue');
    const action = attribute(/<form[^>]*>/.exec(text)?.[0] ?? '', 'action');
    response = await fetch(new URL(action, url), { method: 'POST', body: fields, redirect: 'manual' });
  }
  assert.equal(response.status, 303, `No redirect: ${response.status}`);
  return new URL(response.headers.get('location') ?? '');
}

const attribute = (tag: string, name: string): string =>
  (new RegExp(`\\b${name}="([^"]*)"`).exec(tag)?.[1] ?? '').replaceAll('&#38;', '&');
