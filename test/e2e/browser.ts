/**
 * A browser without JavaScript, with what the Connect pages need: cookies, redirects and forms, found by their visible
 * names. If it does not find something, its error contains the page.
 */

/** A page as it was received, after redirects within the server. */
export type Page = {
  readonly url: URL;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The address of the last redirect if it led away from the server; it is not requested. */
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
  /** Opens the link of this name. */
  follow(link: string): Promise<Page>;
};

export type Pressing = {
  /** Unticks every box first. */
  readonly untick?: boolean;
  /** Name → value; replaces values of hidden fields, as a forged form would. */
  readonly forged?: Readonly<Record<string, string>>;
};

const MOST_REDIRECTS = 10;

/** Opens a browser that sends the current `headers` with every request, such as Accept-Language. */
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

/** Returns the names of the page's buttons that can be pressed, in order. */
export function buttonsOf(body: string): string[] {
  return formsOf(body).flatMap(({ buttons }) => buttons.map(({ label }) => label));
}

/** A field with the value that is sent if nobody touches it. */
type Field = {
  readonly name: string;
  readonly value: string;
  /** Undefined unless the field is a checkbox. */
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

/** Visible content that is not part of a control's name. */
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

/** Returns the visible text of markup: no styles, no drawings, one space between words. */
export function textOf(markup: string): string {
  // A possible line break does not change how a name reads.
  const visible = markup
    .replace(/<wbr>/g, '')
    .replace(/<(style|script|svg|head)\b.*?<\/\1>/gs, ' ')
    .replace(/<[^>]*>/g, ' ');
  return decoded(visible).replace(/\s+/g, ' ').trim();
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

export function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (whole, decimal, hex, name) => {
    if (decimal) return String.fromCodePoint(Number(decimal));
    if (hex) return String.fromCodePoint(Number.parseInt(hex, 16));
    return ENTITIES[name] ?? whole;
  });
}
