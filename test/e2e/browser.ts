/**
 * A person's browser without JavaScript, as far as the Connect pages need one: cookies, redirects and
 * forms, found by the names people read. What it does not find it says, with the page it looked at.
 */

/** A page as it was answered, after the redirects that stayed with the server. */
export type Page = {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Where the last redirect led away from the server: there nothing was asked. */
  readonly destination: URL | undefined;
};

export type Browser = {
  /** Name → value, as the server set them. */
  readonly cookies: Map<string, string>;
  /** The page that was opened last. */
  page(): Page;
  open(url: string | URL): Promise<Page>;
  /** Sends the form whose button has this name, with `typed` in the fields of these labels. */
  press(button: string | RegExp, typed?: Readonly<Record<string, string>>, how?: Pressing): Promise<Page>;
  /** Opens what the link of this name leads to. */
  follow(link: string): Promise<Page>;
};

export type Pressing = {
  /** Takes the tick out of every box first. */
  readonly untick?: boolean;
  /** Name → value, in place of what the page has in fields nobody sees: somebody else's form. */
  readonly forged?: Readonly<Record<string, string>>;
};

const MOST_REDIRECTS = 10;

/** `headers`, as they are at that moment, go with every request, as a browser's Accept-Language does. */
export function openBrowser(headers: Readonly<Record<string, string>> = {}): Browser {
  const cookies = new Map<string, string>();
  let current: Page | undefined;

  const ask = async (url: URL, form?: URLSearchParams): Promise<Response> => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(form === undefined ? {} : { body: form }),
    });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ''] = set.split(';');
      const name = pair.slice(0, pair.indexOf('='));
      if (/max-age=0(;|$)/i.test(set)) cookies.delete(name);
      else cookies.set(name, pair.slice(pair.indexOf('=') + 1));
    }
    return answer;
  };

  const follow = async (start: URL, form?: URLSearchParams): Promise<Page> => {
    let url = start;
    let answer = await ask(url, form);
    for (let hop = 0; ; hop++) {
      const location = answer.headers.get('location');
      const { status, headers: answered } = answer;
      const destination = location === null ? undefined : new URL(location, url);
      if (destination === undefined || destination.origin !== start.origin) {
        current = { url, status, headers: answered, body: await answer.text(), destination };
        return current;
      }
      if (hop === MOST_REDIRECTS) throw new Error(`Too many redirects, the last to ${destination}`);
      await answer.body?.cancel();
      url = destination;
      answer = await ask(url);
    }
  };

  const page = (): Page => {
    if (current === undefined) throw new Error('No page is open');
    return current;
  };

  return {
    cookies,
    page,
    open: (url) => follow(new URL(url)),
    follow: (link) => follow(new URL(linkNamed(link, page().body), page().url)),
    async press(button, typed = {}, { untick = false, forged = {} } = {}) {
      const { url, body } = page();
      const { form, pressed } = formWith(button, body);
      const sent = form.fields.filter(({ isTicked }) => isTicked === undefined || (isTicked && !untick));
      const fields = new URLSearchParams(sent.map(({ name, value }) => [name, value]));
      for (const [label, value] of Object.entries(typed)) fields.set(fieldLabelled(label, body), value);
      for (const [name, value] of Object.entries(forged)) fields.set(name, value);
      if (pressed.name !== undefined) fields.append(pressed.name, pressed.value);
      const target = new URL(form.action, url);
      if (form.method === 'post') return follow(target, fields);
      target.search = fields.toString();
      return follow(target);
    },
  };
}

/** The names of the page's buttons that can be pressed, in order. */
export function buttonsOf(body: string): string[] {
  return formsOf(body).flatMap(({ buttons }) => buttons.map(({ label }) => label));
}

/** What is sent of a field that nobody touched. */
type Field = {
  readonly name: string;
  readonly value: string;
  /** Only of a checkbox. */
  readonly isTicked: boolean | undefined;
};
type Button = { readonly label: string; readonly name: string | undefined; readonly value: string };
type Form = {
  readonly action: string;
  readonly method: string;
  readonly fields: readonly Field[];
  readonly buttons: readonly Button[];
};

function formWith(button: string | RegExp, body: string): { form: Form; pressed: Button } {
  for (const form of formsOf(body)) {
    const pressed = form.buttons.find(({ label }) =>
      typeof button === 'string' ? label === button : button.test(label),
    );
    if (pressed !== undefined) return { form, pressed };
  }
  throw new Error(`The page has no button ${button} that can be pressed: ${textOf(body)}`);
}

/** What is shown, but is no part of a control's name. */
const HIDDEN = /<(\w+)\b[^>]* aria-hidden="true"[^>]*>.*?<\/\1>/gs;

function formsOf(body: string): Form[] {
  return [...body.matchAll(/<form\b([^>]*)>(.*?)<\/form>/gs)].map(([, attributes = '', inner = '']) => {
    const { action = '', method = 'get' } = attributesOf(attributes);
    const fields = [...inner.matchAll(/<input\b([^>]*)>/g)].map(([, text = '']) => fieldOf(text));
    const buttons = [...inner.matchAll(/<button\b([^>]*)>(.*?)<\/button>/gs)].flatMap(
      ([, text = '', content = '']) => {
        const { disabled, 'aria-label': label, name, value = '' } = attributesOf(text);
        return disabled === undefined ? [{ label: label ?? nameIn(content), name, value }] : [];
      },
    );
    return { action, method: method.toLowerCase(), fields, buttons };
  });
}

function fieldOf(attributes: string): Field {
  const { name = '', value = '', type, checked } = attributesOf(attributes);
  return { name, value, isTicked: type === 'checkbox' ? checked !== undefined : undefined };
}

const nameIn = (content: string): string => textOf(content.replace(HIDDEN, ''));

function linkNamed(link: string, body: string): string {
  for (const [, attributes = '', content = ''] of body.matchAll(/<a\b([^>]*)>(.*?)<\/a>/gs)) {
    const { href, 'aria-label': label } = attributesOf(attributes);
    if (href !== undefined && (label ?? nameIn(content)) === link) return href;
  }
  throw new Error(`The page has no link "${link}": ${textOf(body)}`);
}

function fieldLabelled(label: string, body: string): string {
  for (const [, attributes = '', content = ''] of body.matchAll(/<label\b([^>]*)>(.*?)<\/label>/gs)) {
    if (textOf(content) !== label) continue;
    const { for: id } = attributesOf(attributes);
    const input = [...body.matchAll(/<input\b([^>]*)>/g)].map(([, text = '']) => attributesOf(text));
    const name = input.find((field) => field.id === id)?.name;
    if (name !== undefined) return name;
  }
  throw new Error(`The page has no field "${label}": ${textOf(body)}`);
}

function attributesOf(text: string): Record<string, string> {
  const pairs = text.matchAll(/([\w-]+)(?:="([^"]*)")?/g);
  return Object.fromEntries([...pairs].map(([, name = '', value = '']) => [name, decoded(value)]));
}

/** What a person reads of some markup: no styles, no drawings, one space between words. */
export function textOf(markup: string): string {
  // A name reads the same wherever its line may break.
  const visible = markup
    .replace(/<wbr>/g, '')
    .replace(/<(style|script|svg|head)\b.*?<\/\1>/gs, ' ')
    .replace(/<[^>]*>/g, ' ');
  return decoded(visible).replace(/\s+/g, ' ').trim();
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name] ?? whole;
  });
}
