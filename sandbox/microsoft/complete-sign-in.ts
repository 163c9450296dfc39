/** Goes through the sign-in pages as a browser would, by their forms; for tests and scripts without a browser. */

export type SignInChoices = {
  /** The button of the account chooser. */
  readonly account: string;
  /** The button of the consent page, when one comes. */
  readonly consent?: 'Accept' | 'Cancel';
};

/** The address the browser is sent back to. Rejects when the pages lead nowhere, with what the last one says. */
export async function completeSignIn(authorizationUrl: URL, choices: SignInChoices): Promise<URL> {
  let answer = await fetch(authorizationUrl, { redirect: 'manual' });
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const location = answer.headers.get('location');
    if (location !== null) return new URL(location);
    const page = await answer.text();
    const form = formOf(page, answer.url, choices);
    if (form === undefined) throw new Error(`Sign-in ended on a page: ${stripMarkup(page)}`);
    answer = await fetch(form.action, { method: 'POST', body: form.fields, redirect: 'manual' });
  }
  throw new Error('Sign-in goes round in circles');
}

const MOST_STEPS = 5;

/** The page's form, filled in with the button that the choices name; `undefined` when it has none of them. */
function formOf(page: string, url: string, { account, consent = 'Accept' }: SignInChoices) {
  const buttons = [...page.matchAll(/<button name="([^"]*)" value="([^"]*)">([^<]*)<\/button>/g)];
  const button = buttons.find(([, , , label = '']) => [account, consent, RETURN].includes(unescaped(label)));
  if (button === undefined) return undefined;
  const fields = new URLSearchParams();
  for (const [, name = '', value = ''] of page.matchAll(
    /<input type="hidden" name="([^"]*)" value="([^"]*)">/g,
  )) {
    fields.set(name, unescaped(value));
  }
  fields.set(unescaped(button[1] ?? ''), unescaped(button[2] ?? ''));
  const target = /<form[^>]*action="([^"]*)"/.exec(page)?.[1] ?? url;
  return { action: new URL(unescaped(target), url), fields };
}

const RETURN = 'Return to the application without granting consent';

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };

const unescaped = (text: string): string =>
  text.replace(/&(?:#(\d+)|(\w+));/g, (entity, code?: string, name = '') =>
    code === undefined ? (NAMED[name] ?? entity) : String.fromCodePoint(Number(code)),
  );

const stripMarkup = (page: string): string =>
  page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
